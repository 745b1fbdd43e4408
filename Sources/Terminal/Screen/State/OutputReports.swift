import PerfHUDBase

/// What a program's output reports, apart from what it shows.
struct OutputReports: ~Copyable {
  /// The title (OSC 0, 2).
  let title = UncheckedBuffer<UInt8>(zeroed: Screen.titleLimit)
  var titleCount = 0
  var titleChanges = 0
  var shell = ShellMarks()
  var updateEnds = 0
  var cursorQuestions = 0
  var keyboards = Keyboards()
  /// Whether anything but lines of text has come since `takeDrawing`.
  var hasDrawn = false
  /// Whether the cursor was placed further up, or in the first row, since `takeRedraw`.
  var hasReturned = false
}

extension Screen {
  /// The number of titles so far (OSC 0, 2).
  package var titleChanges: Int { reported.titleChanges }
  /// The number of synchronized updates of the program that have ended.
  package var updateEnds: Int { reported.updateEnds }
  /// The number of questions for the cursor (DSR 6). The answers come in the same order.
  package var cursorQuestions: Int { reported.cursorQuestions }
}

/// What the marks of a shell (OSC 133) report about its commands.
///
/// Source: the semantic prompts of FinalTerm, as iTerm2, kitty and VTE have them: A: a prompt begins; B: it ends and
/// the typed command begins; C: the command runs; D: it has ended.
struct ShellMarks: Sendable {
  /// The letter of the last mark, 0 for none.
  var last: UInt8 = 0
  /// Increases with each mark.
  var count = 0
  /// Increases with each started command.
  var commands = 0
  /// Whether a command runs: since C, until A or D.
  var isRunning = false
  /// The line in which the typed command begins, by its index in memory, and the column; `nil` if unknown.
  var typedLine: Int?
  var typedColumn = 0
  /// The text of the last started command.
  var command = CommandText()
}

/// The text of a command as it was typed, truncated if it does not fit.
typealias CommandText = InlineText<256>
