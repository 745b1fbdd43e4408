import HUD
import PerfHUDBase
import Terminal

/// Decides which keys are for the HUD: the prefix key and the key after it, or more if that key keeps the focus or
/// opens a window that needs keys (`KeyFocus`).
///
/// It decides about each token separately, so the number of tokens in one read does not matter. Handle each token for
/// the HUD before the next one is taken (`hasNews`), since it may change what the next one means.
struct PrefixKeyFilter: Sendable {
  private let prefixKey: PrefixKey?
  private(set) var hasHUDFocus = false
  /// The number of keys passed to the command since the start.
  private(set) var passed = 0
  /// Whether the command has requested a keyboard that sends keys as sequences.
  var isRich = false {
    didSet { if !isRich { pressed.removeAll() } }
  }
  private var keys: [Key] = []
  /// Whether the HUD had the focus at the last call of `takeKeys`.
  private var hadHUDFocus = false
  /// Where in the HUD its keys go.
  private var focus = KeyFocus(.overlay)
  /// Windows of the HUD that the mouse can reach, while the HUD has the focus.
  var windows = RectList()
  /// The size of a cell in pixels if the mouse is reported in pixels; `nil` if in cells.
  var cellPixels: Size?
  private var mouse: [MouseEvent] = []
  /// Whether a button was pressed in a window of the HUD. Until it is released, its reports belong to the HUD.
  private var isGrabbed = false
  /// Whether the last press of the prefix key was taken. If so, its repeats are taken too.
  private var hasTakenPrefixKey = false
  /// The numbers of taken keys. Their repeats and releases, which only some keyboards report, are taken too. The oldest
  /// number is forgotten first.
  private var pressed: [UInt32] = []

  private static let pressedLimit = 16

  init(_ prefixKey: PrefixKey?) { self.prefixKey = prefixKey }

  /// Whether there is anything new for the HUD since the last calls of `takeKeys` and `takeMouse`: a key, a mouse
  /// report, or a change of focus.
  var hasNews: Bool { hasHUDFocus != hadHUDFocus || !keys.isEmpty || !mouse.isEmpty }

  /// The keys for the HUD since the last call.
  mutating func takeKeys() -> [Key] {
    hadHUDFocus = hasHUDFocus
    if keys.isEmpty { return [] }
    defer { keys.removeAll(keepingCapacity: true) }
    return keys
  }

  /// The mouse events in the HUD's windows since the last call.
  mutating func takeMouse() -> [MouseEvent] {
    if mouse.isEmpty { return [] }
    defer { mouse.removeAll(keepingCapacity: true) }
    return mouse
  }

  /// Adopts from the HUD where its keys go, since the mouse may have changed that.
  mutating func follow(_ focus: KeyFocus) { if hasHUDFocus { self.focus = focus } }

  /// Whether the prefix key was pressed, and only the key after it is for the HUD.
  var awaitsOneKey: Bool { hasHUDFocus && focus.isOneShot }

  /// Moves the focus back to the command.
  mutating func end() {
    hasHUDFocus = false
    focus.reset()
  }

  mutating func reset() {
    end()
    hadHUDFocus = false
    isGrabbed = false
    mouse.removeAll()
    keys.removeAll()
    pressed.removeAll()
  }

  /// Whether every key except the prefix key is for the command, and none has been taken whose release is still to come.
  var passesAllKeys: Bool { !hasHUDFocus && pressed.isEmpty && !hasNews }

  /// Passes keys while `passesAllKeys`.
  mutating func passPlainKeys(_ count: Int) { passed += count }

  /// Notes a key of which the command has received part, so that it gets the rest too.
  mutating func passRest(_ token: RawSpan) { _ = pass(KeyToken.number(token)) }

  /// Takes a key, if it is for the HUD.
  ///
  /// - Returns: the number of the token's bytes to take, from its start.
  mutating func take(_ key: Key, _ token: RawSpan) -> Int {
    let number = KeyToken.number(token)
    let isRepeat = KeyToken.isRepeat(token)
    if key == prefixKey?.key {
      if isRepeat { return hasTakenPrefixKey ? token.byteCount : 0 }
      // Pressed twice, the prefix key reaches the command once. If the HUD keeps the focus, it only returns the focus.
      hasTakenPrefixKey = !(hasHUDFocus && focus.isOneShot)
      focus.reset()
      hasHUDFocus.toggle()
      guard hasTakenPrefixKey else { return pass(number) }
      // The command may request a richer keyboard before the key is released.
      remember(number, always: true)
      return token.byteCount
    }
    guard hasHUDFocus else {
      return isRepeat && pressed.contains(number) ? token.byteCount : pass(number)
    }
    if KeyToken.isEscapeBefore(key, token) {
      // Esc and a key that arrived together: Alt has no meaning here.
      add(.escape)
      guard hasHUDFocus else { return pass(number) + 1 }
      add(Key(key.code, key.modifiers.subtracting(.alt)))
      return token.byteCount
    }
    add(key)
    remember(number)
    return token.byteCount
  }

  /// Whether to take the release of a key, because its press was taken.
  mutating func takeRelease(_ token: RawSpan) -> Bool {
    guard let index = pressed.firstIndex(of: KeyToken.number(token)) else { return false }
    pressed.remove(at: index)
    return true
  }

  /// Takes a report of the mouse in a window of the HUD, while the HUD has the focus.
  ///
  /// A drag that began in the program stays the program's, up to the release.
  mutating func take(_ report: MouseEvent) -> Bool {
    var event = report
    if let cell = cellPixels {
      event.point = Point(
        row: event.point.row / max(1, cell.rows), column: event.point.column / max(1, cell.columns))
    }
    let isOurs = hasHUDFocus && windows.contains(event.point)
    switch event.action {
    case .press, .wheelUp, .wheelDown, .wheelLeft, .wheelRight:
      // A release that never came must not keep the mouse grabbed.
      if case .press = event.action { isGrabbed = isOurs }
      guard isOurs else { return false }
      mouse.append(event)
      return true
    case .drag: return isGrabbed
    case .release:
      defer { isGrabbed = false }
      return isGrabbed
    }
  }

  private mutating func add(_ key: Key) {
    keys.append(key)
    let meaning = focus.take(key)
    if focus.isOneShot || meaning == .command(.hide) || meaning == .command(.back) {
      hasHUDFocus = false
    }
  }

  private mutating func pass(_ number: UInt32) -> Int {
    passed += 1
    pressed.removeAll { $0 == number }
    return 0
  }

  private mutating func remember(_ number: UInt32, always: Bool = false) {
    guard isRich || always, !pressed.contains(number) else { return }
    if pressed.count == PrefixKeyFilter.pressedLimit { pressed.removeFirst() }
    pressed.append(number)
  }
}

/// What a key's bytes contain in addition to the key. Source: the kitty keyboard protocol.
enum KeyToken {
  /// The same number for press, repeat and release of a key with any modifiers.
  static func number(_ token: RawSpan) -> UInt32 {
    let count = token.byteCount
    guard count > 0 else { return 0 }
    let final = UInt32(FieldCursor.byte(at: count - 1, in: token))
    guard isControlSequence(token) else { return 1 << 31 | final }
    var number: UInt32 = 0
    var index = 2
    while index < count, case let byte = FieldCursor.byte(at: index, in: token),
      (0x30...0x39).contains(byte)
    {
      number = number &* 10 &+ UInt32(byte - 0x30)
      index += 1
    }
    // Keys with a final letter always have number 1.
    return final == 0x75 || final == 0x7E ? number & 0xFF_FFFF | final << 24 : final
  }

  /// Whether the event type is a repeat: `:2` in the second parameter.
  static func isRepeat(_ token: RawSpan) -> Bool {
    guard isControlSequence(token) else { return false }
    var parameter = 0
    for index in 2..<token.byteCount {
      switch FieldCursor.byte(at: index, in: token) {
      case UInt8(ascii: ";"): parameter += 1
      case UInt8(ascii: ":") where parameter == 1:
        return index + 2 < token.byteCount
          && FieldCursor.byte(at: index + 1, in: token) == UInt8(ascii: "2")
          && !(0x30...0x39).contains(FieldCursor.byte(at: index + 2, in: token))
      default: break
      }
    }
    return false
  }

  /// Whether it is a key preceded by an ESC.
  static func isEscapeBefore(_ key: Key, _ token: RawSpan) -> Bool {
    key.modifiers.contains(.alt) && token.byteCount >= 2 && !isControlSequence(token)
      && FieldCursor.byte(at: 0, in: token) == 0x1B
      && FieldCursor.byte(at: 1, in: token) != UInt8(ascii: "O")
  }

  private static func isControlSequence(_ token: RawSpan) -> Bool {
    token.byteCount > 2 && FieldCursor.byte(at: 0, in: token) == 0x1B
      && FieldCursor.byte(at: 1, in: token) == UInt8(ascii: "[")
  }
}
