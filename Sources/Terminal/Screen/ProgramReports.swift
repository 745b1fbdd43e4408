/// What a program's output says apart from what it shows.
struct ProgramReports: ~Copyable {
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
}

extension Screen {
  /// The number of titles so far (OSC 0, 2).
  public var titleChanges: Int { reported.titleChanges }
  /// The number of synchronized updates of the program that have ended.
  public var updateEnds: Int { reported.updateEnds }
  /// The number of questions for the cursor (DSR 6). Their answers come in the order of asking.
  public var cursorQuestions: Int { reported.cursorQuestions }
}
