import PerfHUDBase

/// The marks of a shell (OSC 133), and what they report.
extension Screen {
  /// Takes a mark whose letter and fields begin at `start` in the string.
  mutating func takeShellMark(at start: Int) {
    reported.shell.last = parser.stringByte(start)
    reported.shell.count &+= 1
    switch reported.shell.last {
    case UInt8(ascii: "A"): reported.shell.isRunning = false
    case UInt8(ascii: "B"):
      reported.shell.typedLine = lineIndex(row)
      reported.shell.typedColumn = column
    case UInt8(ascii: "C"):
      reported.shell.commands &+= 1
      reported.shell.isRunning = true
      if !takeReportedCommand(from: start + 1) { takeTypedCommand() }
      reported.shell.typedLine = nil
    case UInt8(ascii: "D"): reported.shell.isRunning = false
    default: break
    }
  }

  /// Takes the command's text from the mark itself: `cmdline_url=`, percent-encoded (kitty, fish).
  private mutating func takeReportedCommand(from start: Int) -> Bool {
    var index = start
    while index < parser.stringCount {
      let isField = parser.stringByte(index) == UInt8(ascii: ";")
      index += 1
      guard isField, parser.string(at: index, is: "cmdline_url=") else { continue }
      index += "cmdline_url=".utf8.count
      var bytes: [UInt8] = []
      while index < parser.stringCount, parser.stringByte(index) != UInt8(ascii: ";") {
        bytes.append(percentDecoded(&index))
      }
      reported.shell.command = CommandText(String(decoding: bytes, as: UTF8.self))
      return !reported.shell.command.isEmpty
    }
    return false
  }

  private func percentDecoded(_ index: inout Int) -> UInt8 {
    let byte = parser.stringByte(index)
    index += 1
    guard byte == UInt8(ascii: "%"), let high = parser.stringByte(index).hexDigitValue,
      let low = parser.stringByte(index + 1).hexDigitValue
    else { return byte }
    index += 2
    return high << 4 | low
  }

  /// Takes the command's text as the screen shows it after mark B.
  ///
  /// The line is identified by its index in memory, which does not change while the screen scrolls.
  private mutating func takeTypedCommand() {
    reported.shell.command.removeAll()
    guard let line = reported.shell.typedLine,
      var row = (0..<rows).first(where: { lineIndex($0) == line })
    else { return }
    var column = reported.shell.typedColumn
    while true {
      while column < columns {
        let cell = cell(row: row, column: column)
        column += 1
        if cell.isContinuation { continue }
        guard !cell.isUnknown else { return }
        for scalar in scalars(of: cell) {
          reported.shell.command.append(SafeText.replacement(for: scalar))
        }
      }
      guard isWrapped(row: row), row + 1 < rows else { break }
      row += 1
      column = 0
    }
    reported.shell.command.trimEnd()
  }
}

/// What the shell has reported with its marks.
extension Screen {
  /// Increases with each mark.
  package var shellMarkCount: Int { reported.shell.count }
  /// Increases with each command that the shell has started (mark C).
  package var commandsStarted: Int { reported.shell.commands }
  /// Whether a command of the shell is running, according to its marks.
  package var isCommandRunning: Bool { reported.shell.isRunning }
  /// The text of the last started command, made harmless; empty if unknown.
  package var commandText: InlineText<256> { reported.shell.command }
}
