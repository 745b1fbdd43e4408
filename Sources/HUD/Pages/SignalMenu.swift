import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The result of a signal or of a change of priority.
package enum ProcessControlResult: Equatable, Sendable {
  case sent
  /// The nice values before and after.
  case reniced(from: Int, to: Int)
  case ended
  case denied
  /// The system cannot confirm that the pid still belongs to this process.
  case unsupported
}

/// The command of a key in the menu of signals.
package enum SignalCommand: Equatable, Sendable {
  case up, down, home, end
  case send
  case close

  package init?(_ key: Key) {
    switch key {
    case .up, .character("k"), .backTab: self = .up
    case .down, .character("j"), .tab: self = .down
    case .home, .pageUp: self = .home
    case .end, .pageDown: self = .end
    case .enter: self = .send
    case .escape, .character("q"), .control("c"), .control("g"): self = .close
    default: return nil
    }
  }
}

/// The menu of signals for a process.
struct SignalMenu: Equatable, Sendable {
  /// These numbers are the same on every architecture that Swift supports. Source: signal(7).
  static let choices: [(number: Int32, name: StaticString, word: Word)] = [
    (15, "SIGTERM", .signalTerm), (2, "SIGINT", .signalInt), (1, "SIGHUP", .signalHup),
    (9, "SIGKILL", .signalKill), (3, "SIGQUIT", .signalQuit), (6, "SIGABRT", .signalAbort),
    (19, "SIGSTOP", .signalStop), (18, "SIGCONT", .signalCont),
    (10, "SIGUSR1", .signalUser), (12, "SIGUSR2", .signalUser),
  ]

  let target: Target
  /// The name and the number of the process, harmless for a terminal.
  let title: String
  private(set) var selection = 0

  init(_ target: Target, title: String) {
    self.target = target
    self.title = title
  }

  var choice: (number: Int32, name: StaticString, word: Word) { SignalMenu.choices[selection] }

  mutating func move(_ command: SignalCommand) {
    let last = SignalMenu.choices.count - 1
    switch command {
    case .up: selection = max(0, selection - 1)
    case .down: selection = min(last, selection + 1)
    case .home: selection = 0
    case .end: selection = last
    case .send, .close: break
    }
  }

  /// Selects the row that was clicked.
  ///
  /// - Returns: whether it was already selected.
  mutating func click(_ row: Int) -> Bool {
    guard SignalMenu.choices.indices.contains(row) else { return false }
    defer { selection = row }
    return row == selection
  }

  /// The size including the box.
  func size(_ language: Language) -> Size {
    let words = SignalMenu.choices.map { Canvas.width($0.word.text(language)) }.max() ?? 0
    let heading = Canvas.width(Word.signalTitle.text(language)) + Canvas.columns(of: title)
    return Size(rows: SignalMenu.choices.count + 2, columns: max(19 + words, heading + 6))
  }
}

/// Draws the menu in a box, or without one if there is no room.
func drawSignalMenu(_ canvas: inout Canvas, _ menu: SignalMenu, _ context: DrawContext) {
  let size = canvas.grid.size
  let isFramed = Layout.isFramed(size)
  var inner = Rect(size)
  let heading = "\(Word.signalTitle.text(context.language))\(menu.title)"
  if isFramed {
    drawBorder(&canvas, Rect(size), role: .mark, isHeavy: true, context)
    canvas.text(
      " \(heading) ", row: 0, column: 2, width: size.columns - 4, role: .title,
      ellipsis: context.ellipsis)
    let foot = Rect(row: size.rows - 1, column: 3, rows: 1, columns: max(0, size.columns - 6))
    drawInset(&canvas, foot, Word.signalKeys.text(context.language), .dim)
    inner = Rect(row: 1, column: 1, rows: size.rows - 2, columns: size.columns - 2)
  } else if size.rows >= 2 {
    canvas.text(
      heading, row: 0, column: 0, width: size.columns, role: .title,
      ellipsis: context.ellipsis)
    inner = Rect(row: 1, column: 0, rows: size.rows - 1, columns: size.columns)
  }
  let first = max(0, min(menu.selection, menu.selection - inner.rows + 1))
  for line in 0..<min(inner.rows, SignalMenu.choices.count - first) {
    let choice = SignalMenu.choices[first + line]
    let row = inner.row + line
    let isSelected = first + line == menu.selection
    if isSelected { canvas.put(">", row: row, column: inner.column, role: .mark) }
    canvas.clip = inner
    var number = ShortText()
    number.append(decimal: Int(choice.number))
    canvas.text(number, row: row, column: inner.column + 4 - number.count, role: .dim)
    canvas.text(choice.name, row: row, column: inner.column + 5, role: .label)
    canvas.text(
      choice.word.text(context.language), row: row, column: inner.column + 14,
      width: inner.endColumn - inner.column - 14,
      role: isSelected ? .text : .dim, ellipsis: context.ellipsis)
    canvas.clip = Rect(size)
  }
  if context.isOverlay, !isFramed { setApart(&canvas, context) }
}
