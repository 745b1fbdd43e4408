import CLinux
import Glibc
import PerfHUDBase

/// A program in an xterm of its own, whose pixels the test reads and whose keys it types.
///
/// xterm runs in its slave mode (`-S`): this process holds the pty too, so that keys are bytes.
public final class Xterm {
  public static let cellWidth = 6
  public static let cellHeight = 13

  private let display: XDisplay
  private let pair: PtyPair
  private var emulator: ChildProcess
  private var program: ChildProcess
  private let window: String
  private var columns: Int
  private var rows: Int

  /// Starts xterm with fixed fonts and colors, and the program in it.
  ///
  /// - Parameter command: the program, found through `PATH`, and its arguments.
  public init(columns: Int, rows: Int, command: [String], directory: String) throws(ToolError) {
    display = try XDisplay.shared()
    self.columns = columns
    self.rows = rows
    pair = try PtyPair(columns: columns, rows: rows)
    // xterm tells its window by a line on the pty, which is not to be echoed.
    var modes = pair.modes
    let normal = modes
    modes.c_lflag &= ~UInt32(ECHO)
    _ = unsafe tcsetattr(pair.slave.raw, TCSANOW, &modes)
    let errors = unsafe perfhud_memfd_create("xterm")
    let errorFile = Descriptor(owning: errors)
    // The cursor blinks at `?12` with `+bc` too, which comes before `cursorBlink: never`.
    emulator = try ChildProcess(
      [
        "xterm", "-Sab0", "-u8", "-fn", "6x13", "-fb", "6x13B", "-fw", "12x13ja", "-b", "0", "-bw",
        "0", "+sb", "-bg", "#102030", "-fg", "white", "-geometry", "\(columns)x\(rows)+0+0",
        "-xrm", "XTerm*allowWindowOps: true", "-xrm", "XTerm*alwaysHighlight: true",
        "-xrm", "XTerm*cursorBlink: never", "-xrm", "XTerm*visualBell: false",
      ], environment: ["DISPLAY": display.name, "LC_ALL": nil, "LANG": "C.UTF-8"], directory: nil,
      standard: .descriptors(input: pair.master.raw, output: errorFile.raw, error: errorFile.raw))
    window = try Xterm.read(pair.slave.raw, until: UInt8(ascii: "\n"))
    try Xterm.expose(window, display)
    // A program is started in a terminal that has started: one that answers.
    modes.c_lflag &= ~UInt32(ICANON)
    _ = unsafe tcsetattr(pair.slave.raw, TCSANOW, &modes)
    var question = Array("\u{1B}[5n".utf8)[...]
    guard writeSome(pair.slave.raw, &question) else { throw ToolError("cannot write to xterm") }
    _ = try Xterm.read(pair.slave.raw, until: UInt8(ascii: "n"))
    var restored = normal
    _ = unsafe tcsetattr(pair.slave.raw, TCSANOW, &restored)
    program = try ChildProcess(
      command, environment: [:], directory: directory, standard: .terminal(path: pair.name))
  }

  private static func read(
    _ descriptor: Int32, until end: UInt8
  ) throws(ToolError) -> String {
    var line: [UInt8] = []
    var poller = Poller()
    let slot = poller.add(descriptor)
    let deadline = Instant.now().advanced(bySeconds: 30)
    while line.last != end {
      poller.wait(until: deadline, now: Instant.now())
      guard poller.isReady(slot), Instant.now() < deadline else {
        throw ToolError("xterm has not started; this test needs xterm (make deps-test)")
      }
      var byte: UInt8 = 0
      if unsafe Glibc.read(descriptor, &byte, 1) == 1 { line.append(byte) }
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  /// The program's process.
  public var pid: Int { Int(program.pid) }

  /// Whether the program has ended.
  public var hasEnded: Bool { program.wait(until: Instant.now()) != nil }

  /// Whether nothing is on its way from the program to the screen, as far as can be seen.
  public var isIdle: Bool {
    var poller = Poller()
    _ = poller.add(pair.master.raw)
    let now = Instant.now()
    if poller.wait(until: now, now: now) { return false }
    return ProcessEntry(Int(emulator.pid))?.state == "S" && display.isIdle
      && ProcessTable.isIdle(pid)
  }

  /// Types the bytes.
  public func type(_ bytes: [UInt8]) throws(ToolError) {
    var rest = bytes[...]
    let deadline = Instant.now().advanced(bySeconds: 30)
    var poller = Poller()
    _ = poller.add(pair.master.raw, events: Int32(POLLOUT))
    while writeSome(pair.master.raw, &rest) {
      if rest.isEmpty { return }
      guard Instant.now() < deadline else { break }
      poller.wait(until: deadline, now: Instant.now())
    }
    throw ToolError("cannot type into xterm")
  }

  /// Sets the size of the window, in cells, by the control sequence for it.
  public func resize(columns: Int, rows: Int) throws(ToolError) {
    var rest = Array("\u{1B}[8;\(rows);\(columns)t".utf8)[...]
    guard writeSome(pair.slave.raw, &rest), rest.isEmpty else {
      throw ToolError("cannot write to xterm")
    }
    self.columns = columns
    self.rows = rows
    try waitUntil(deadline: 30, "the size of the window") {
      var size = winsize()
      _ = unsafe ioctl(pair.slave.raw, UInt(TIOCGWINSZ), &size)
      return size.ws_col == UInt16(columns) && size.ws_row == UInt16(rows)
    }
  }

  /// Has all of the window painted anew: glyphs may reach over the edge of their cell, and what is
  /// left of them depends on the order in which cells were painted.
  public func expose() throws(ToolError) { try Xterm.expose(window, display) }

  private static func expose(_ window: String, _ display: XDisplay) throws(ToolError) {
    let id = "0x" + window
    let done = try Tool.run(
      ["xdotool", "windowunmap", id, "windowmap", id], environment: ["DISPLAY": display.name])
    guard done.status == .exit(0) else { throw ToolError("xdotool: \(done.stderr)") }
  }

  /// The pixels of the window, as they are now.
  public func picture() throws(ToolError) -> XtermPicture {
    XtermPicture(
      pixels: try display.pixels(
        width: columns * Xterm.cellWidth, height: rows * Xterm.cellHeight))
  }
}

/// The pixels of an xterm.
public struct XtermPicture: Equatable, Sendable {
  public let pixels: Pixels

  /// Which cells differ from a picture that was to be the same; `nil` if none.
  ///
  /// - Parameter covered: cells that may differ.
  public func difference(from expected: XtermPicture, covered: CellRect?) -> String? {
    let mine = pixels
    let theirs = expected.pixels
    if mine == theirs { return nil }
    guard mine.width == theirs.width, mine.height == theirs.height else {
      return "\(theirs.width)x\(theirs.height) pixels have become \(mine.width)x\(mine.height)"
    }
    var differing: [(row: Int, column: Int)] = []
    for row in 0..<mine.height / Xterm.cellHeight {
      for column in 0..<mine.width / Xterm.cellWidth
      where covered?.contains(row: row, column: column) != true {
        if !hasSameCell(row, column, theirs) { differing.append((row, column)) }
      }
    }
    guard let first = differing.first else { return nil }
    let columns = differing.filter { $0.row == first.row }.map { "\($0.column)" }
    return """
      \(differing.count) cells differ, in rows \(Set(differing.map(\.row)).sorted()); \
      the first row is \(first.row), at columns \(columns.joined(separator: " "))
      """
  }

  /// Whether these cells are of one color.
  public func isBlank(_ cells: CellRect) -> Bool {
    let start = cells.rows.lowerBound * Xterm.cellHeight * pixels.stride
    let first = start + 4 * cells.columns.lowerBound * Xterm.cellWidth
    let color = pixels.bytes[first..<first + 4]
    for line in cells.rows.lowerBound * Xterm.cellHeight..<cells.rows.upperBound * Xterm.cellHeight
    {
      for column in cells.columns.lowerBound * Xterm.cellWidth..<cells.columns.upperBound
        * Xterm.cellWidth
      {
        let place = line * pixels.stride + 4 * column
        if !pixels.bytes[place..<place + 4].elementsEqual(color) { return false }
      }
    }
    return true
  }

  private func hasSameCell(_ row: Int, _ column: Int, _ other: Pixels) -> Bool {
    for line in row * Xterm.cellHeight..<(row + 1) * Xterm.cellHeight {
      let start = line * pixels.stride + 4 * column * Xterm.cellWidth
      let range = start..<start + 4 * Xterm.cellWidth
      if !pixels.bytes.isSame(range, as: other.bytes, at: start) { return false }
    }
    return true
  }
}
