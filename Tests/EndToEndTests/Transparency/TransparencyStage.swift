import TestSupport

/// A terminal on which a case is played.
protocol TransparencyStage: AnyObject {
  associatedtype Picture: Equatable

  static var name: String { get }
  /// `TERM` of the programs.
  static var terminal: String { get }
  /// Whether a picture depends on the order in which it was painted.
  static var dependsOnPainting: Bool { get }

  init(columns: Int, rows: Int, command: [String], directory: String) throws

  /// The process that was started: perfhud, unless the run is bare.
  var pid: Int { get throws(ToolError) }
  /// Whether it has ended.
  var hasEnded: Bool { get throws(ToolError) }
  /// Whether nothing is on its way to the screen, as far as can be seen from outside.
  var isIdle: Bool { get throws(ToolError) }

  func type(_ bytes: [UInt8]) throws(ToolError)
  func resize(columns: Int, rows: Int) throws(ToolError)
  /// Has the terminal paint its window anew, where that makes a difference.
  func repaint() throws(ToolError)
  func picture() throws(ToolError) -> Picture

  /// Whether a condition holds that can be seen on the screen.
  static func holds(_ condition: TransparencyStep.Condition, _ picture: Picture) -> Bool
  static func difference(
    _ picture: Picture, from expected: Picture, covered: CellRect?, withHistory: Bool
  ) -> String?
  /// Writes the picture to a file and returns its path, which begins as given.
  static func save(_ picture: Picture, as path: String) throws(ToolError)
}

/// Cells, attributes, modes and history of a tmux.
final class TmuxStage: TransparencyStage {
  static let name = "tmux"
  static let terminal = "tmux-256color"
  static let dependsOnPainting = false

  private let tmux: Tmux
  private let root: Int

  init(columns: Int, rows: Int, command: [String], directory: String) throws {
    tmux = try Tmux(
      columns: columns, rows: rows, command: command, terminal: TmuxStage.terminal,
      directory: directory, history: 20_000)
    root = try tmux.pid
  }

  var pid: Int { get throws(ToolError) { root } }
  var hasEnded: Bool { get throws(ToolError) { try tmux.paneDead } }
  var isIdle: Bool { ProcessTable.isIdle(root) }

  func type(_ bytes: [UInt8]) throws(ToolError) { try tmux.type(bytes) }
  func resize(columns: Int, rows: Int) throws(ToolError) {
    try tmux.resize(columns: columns, rows: rows)
  }
  func repaint() throws(ToolError) {}
  func picture() throws(ToolError) -> TmuxPicture { try tmux.picture() }

  static func holds(_ condition: TransparencyStep.Condition, _ picture: TmuxPicture) -> Bool {
    let rows = Grid.parse(picture.screen).map { row in row.map(\.text).joined() }
    switch condition {
    case .shows(let text): return rows.contains { $0.contains(text) }
    case .hides(let text): return !rows.contains { $0.contains(text) }
    case .none, .played, .quiet: return true
    }
  }

  static func difference(
    _ picture: TmuxPicture, from expected: TmuxPicture, covered: CellRect?, withHistory: Bool
  ) -> String? {
    picture.difference(from: expected, covered: covered, withHistory: withHistory)
  }

  static func save(_ picture: TmuxPicture, as path: String) throws(ToolError) {
    try TestFile.write(Array(picture.text.utf8), to: path + ".txt")
  }
}

/// Pixels of an xterm.
final class XtermStage: TransparencyStage {
  static let name = "xterm"
  static let terminal = "xterm-256color"
  static let dependsOnPainting = true

  private let xterm: Xterm

  init(columns: Int, rows: Int, command: [String], directory: String) throws {
    xterm = try Xterm(columns: columns, rows: rows, command: command, directory: directory)
  }

  var pid: Int { get throws(ToolError) { xterm.pid } }
  var hasEnded: Bool { get throws(ToolError) { xterm.hasEnded } }
  var isIdle: Bool { xterm.isIdle }

  func type(_ bytes: [UInt8]) throws(ToolError) { try xterm.type(bytes) }
  func resize(columns: Int, rows: Int) throws(ToolError) {
    try xterm.resize(columns: columns, rows: rows)
  }
  func repaint() throws(ToolError) { try xterm.expose() }
  func picture() throws(ToolError) -> XtermPicture { try xterm.picture() }

  static func holds(_ condition: TransparencyStep.Condition, _ picture: XtermPicture) -> Bool {
    true
  }

  static func difference(
    _ picture: XtermPicture, from expected: XtermPicture, covered: CellRect?, withHistory: Bool
  ) -> String? {
    picture.difference(from: expected, covered: covered)
  }

  static func save(_ picture: XtermPicture, as path: String) throws(ToolError) {
    try picture.pixels.save(as: path + ".png")
  }
}
