import HUD
import PerfHUDBase
import Terminal
import TestSupport
import Testing

/// A HUD of 36 by 9 in a corner of 80 by 24, and a cursor.
private struct Walk {
  var keeper: CursorAvoidance
  var now = Instant(nanoseconds: 1_000_000_000)
  var screen = Size(rows: 24, columns: 80)
  var size = HUDSize.cells(Size(rows: 9, columns: 36))
  /// A cell that could not be restored.
  var blocked: Point?

  init(_ wish: Corner = .topRight) { keeper = CursorAvoidance(wish: wish) }

  /// The corner after the cursor has rested at a position for some milliseconds, updated every 10 ms.
  mutating func rest(_ row: Int, _ column: Int, _ milliseconds: Int) -> Corner {
    rest(at: Point(row: row, column: column), milliseconds)
  }

  mutating func rest(at cursor: Point?, _ milliseconds: Int) -> Corner {
    for _ in 0...milliseconds / 10 {
      _ = keeper.update(size: size, screen: screen, cursor: cursor, now: now) { place in
        blocked.map { !place.contains($0) } ?? true
      }
      now = now.advanced(byNanoseconds: 10_000_000)
    }
    return keeper.corner
  }
}

@Suite struct CursorAvoidanceTests {
  @Test func `it stays where it is wanted while the cursor is elsewhere`() {
    var walk = Walk()
    for (row, column) in [(23, 0), (0, 0), (8, 41), (9, 70), (23, 79)] {
      #expect(walk.rest(row, column, 5000) == .topRight, "\(row), \(column)")
      #expect(walk.keeper.deadline == nil)
    }
  }

  @Test func `it moves away from cells that could not be restored, and moves back`() {
    var walk = Walk()
    walk.blocked = Point(row: 2, column: 70)
    #expect(walk.rest(at: nil, 100) == .topRight)
    #expect(walk.rest(at: nil, 100) == .bottomRight)
    walk.blocked = nil
    #expect(walk.rest(at: nil, 1900) == .bottomRight)
    #expect(walk.rest(at: nil, 200) == .topRight)
  }

  @Test(arguments: [
    (Corner.topRight, 0, 60, Corner.bottomRight), (.topLeft, 3, 3, .bottomLeft),
    (.bottomRight, 23, 50, .topRight), (.bottomLeft, 20, 0, .topLeft),
  ])
  func `it moves to the other end of the side when the cursor rests under it`(
    wish: Corner, row: Int, column: Int, away: Corner
  ) {
    var walk = Walk(wish)
    #expect(walk.rest(row, column, 100) == wish, "not at once")
    #expect(walk.rest(row, column, 100) == away)
  }

  @Test func `a cursor that passes through moves nothing`() {
    var walk = Walk()
    for column in 40..<80 {
      #expect(walk.rest(4, column, 0) == .topRight)
      #expect(walk.rest(23, column, 0) == .topRight)
    }
  }

  @Test func `it comes back when the cursor has been well away for two seconds`() {
    var walk = Walk()
    _ = walk.rest(2, 60, 300)
    #expect(walk.rest(9, 60, 9000) == .bottomRight, "just below it would be under it again soon")
    #expect(walk.rest(12, 60, 1500) == .bottomRight)
    #expect(walk.rest(10, 60, 1500) == .bottomRight, "the time begins anew")
    #expect(walk.rest(12, 60, 2100) == .topRight)
  }

  @Test func `a cursor that comes under it while it waits to go back is not waited for`() {
    var walk = Walk()
    #expect(walk.rest(0, 60, 300) == .bottomRight)
    #expect(walk.rest(12, 0, 500) == .bottomRight, "well away, and not for long enough")
    #expect(walk.rest(20, 60, 100) == .bottomRight)
    #expect(walk.rest(20, 60, 100) == .topRight)
  }

  @Test func `a cursor that only passes under it does not send it back sooner`() {
    var walk = Walk()
    #expect(walk.rest(0, 60, 300) == .bottomRight)
    #expect(walk.rest(12, 0, 500) == .bottomRight)
    #expect(walk.rest(20, 60, 0) == .bottomRight)
    #expect(walk.rest(12, 0, 500) == .bottomRight, "the HUD stays")
    #expect(walk.rest(12, 0, 1500) == .topRight, "two seconds after the cursor has left")
  }

  @Test func `when the cursor follows, it goes to a third corner`() {
    var walk = Walk()
    #expect(walk.rest(2, 60, 300) == .bottomRight)
    // In the column that is right of both of the left corners and left of this one.
    #expect(walk.rest(20, 60, 100) == .bottomRight)
    #expect(walk.rest(20, 60, 100) == .topRight, "at once, since it is on the cursor")
    walk.screen = Size(rows: 10, columns: 80)
    // Top and bottom overlap in the middle rows: the left side is free.
    #expect(walk.rest(4, 60, 300) == .topLeft || walk.rest(4, 60, 300) == .bottomLeft)
  }

  @Test func `a hidden or unknown cursor is not avoided`() {
    var walk = Walk()
    #expect(walk.rest(2, 60, 300) == .bottomRight)
    #expect(walk.rest(at: nil, 3000) == .topRight)
  }

  @Test func `where every corner covers the cursor it stays`() {
    var walk = Walk()
    walk.size = .cells(Size(rows: 24, columns: 79))
    #expect(walk.rest(10, 10, 5000) == .topRight)
  }

  @Test func `a wish is followed at once`() {
    var walk = Walk()
    _ = walk.rest(2, 60, 300)
    walk.keeper.wish = .topLeft
    #expect(walk.keeper.corner == .topLeft)
    #expect(walk.rest(2, 60, 5000) == .topLeft)
  }

  @Test(arguments: 1...20)
  func `wherever the cursor goes, it is on the screen and ends off the cursor`(seed: Int) {
    var numbers = SeededRandom(seed: UInt64(seed))
    var walk = Walk(Corner.allCases.randomElement(using: &numbers) ?? .topRight)
    for _ in 0..<30 {
      walk.screen = Size(
        rows: .random(in: 1...50, using: &numbers), columns: .random(in: 2...150, using: &numbers))
      let cursor = Point(
        row: .random(in: 0..<walk.screen.rows, using: &numbers),
        column: .random(in: 0..<walk.screen.columns, using: &numbers))
      _ = walk.rest(at: cursor, 3000)
      guard
        let place = walk.keeper.update(
          size: walk.size, screen: walk.screen, cursor: cursor, now: walk.now)
      else {
        Issue.record("no place on \(walk.screen)")
        return
      }
      #expect(place.endRow <= walk.screen.rows && place.endColumn < walk.screen.columns)
      let isAvoidable = Corner.allCases.contains {
        Placement.place(walk.size, at: $0, in: walk.screen)?.contains(cursor) == false
      }
      #expect(!place.contains(cursor) || !isAvoidable, "\(cursor) on \(walk.screen)")
    }
  }

  @Test func `steps from corner to corner`() {
    #expect(CornerStep.up.applied(to: .bottomLeft) == .topLeft)
    #expect(CornerStep.down.applied(to: .topRight) == .bottomRight)
    #expect(CornerStep.left.applied(to: .topRight) == .topLeft)
    #expect(CornerStep.right.applied(to: .bottomLeft) == .bottomRight)
    #expect(CornerStep.up.applied(to: .topLeft) == .topLeft)
    #expect(CornerStep.to(.bottomLeft).applied(to: .topRight) == .bottomLeft)
  }
}

@Suite struct PrefixKeyTests {
  @Test(arguments: [
    ("ctrl-^", "ctrl-^", UInt8?(0x1E), Key.control("^")), ("^^", "ctrl-^", 0x1E, .control("^")),
    ("ctrl-g", "ctrl-g", 7, .control("g")), ("C-g", "ctrl-g", 7, .control("g")),
    ("Ctrl-G", "ctrl-g", 7, .control("g")), ("^G", "ctrl-g", 7, .control("g")),
    ("ctrl-]", "ctrl-]", 0x1D, .control("]")), ("ctrl-_", "ctrl-_", 0x1F, .control("_")),
    ("alt-x", "alt-x", nil, .alt("x")), ("M-x", "alt-x", nil, .alt("x")),
    ("Alt-1", "alt-1", nil, .alt("1")), ("F12", "f12", nil, .function(12)),
    ("f1", "f1", nil, .function(1)),
  ])
  func `a prefix key is read and written`(text: String, name: String, byte: UInt8?, key: Key) {
    let prefixKey = PrefixKey(text: text)
    #expect(prefixKey?.byte == byte && prefixKey?.key == key)
    #expect(prefixKey?.description == name)
    #expect(PrefixKey(text: name) == prefixKey)
  }

  @Test func `as the HUD shows it`() {
    let names = ["f12", "ctrl-^", "alt-x"].map { PrefixKey(text: $0)?.label }
    #expect(names == ["F12", "Ctrl-^", "Alt-x"])
  }

  @Test(arguments: [
    "", "ctrl-", "ctrl", "g", "ctrl-c", "ctrl-z", "ctrl-m", "ctrl-i", "ctrl-[", "ctrl-h", "ctrl-j",
    "ctrl-\\", "ctrl-1", "ctrl-é", "alt-[", "alt-é", "alt-", "f0", "f13", "f012", "f", "f+1", "f١٢",
    "ctrl-gg", "ctrl-\u{7}", "^", "^C", "C-c", "shift-f12", "F 12",
  ])
  func `other keys are none, and the error says which are possible`(text: String) {
    #expect(PrefixKey(text: text) == nil)
    var settings = Settings()
    let error = #expect(throws: SettingError.self) {
      try settings.set("prefix", text, from: .commandLine)
    }
    #expect(
      error?.description.hasSuffix(
        "is none of: f1 to f12; ctrl-, C- or ^ and one of abdefgklnopqrstuvwxy]^_; "
          + "alt- or M- and a letter or a digit; none") == true)
  }

  @Test func `the setting, and its older name`() throws {
    var settings = Settings()
    #expect(settings.prefixKey == PrefixKey(text: "f12"))
    try settings.set("prefix", "ctrl-g", from: .file)
    #expect(settings.prefixKey == PrefixKey(text: "ctrl-g"))
    try settings.set("leader", "ctrl-t", from: .environment)
    #expect(settings.prefixKey == PrefixKey(text: "ctrl-t"))
    #expect(settings.text(of: "prefix") == "ctrl-t")
    try settings.set("prefix", "none", from: .commandLine)
    #expect(settings.prefixKey == nil)
  }
}
