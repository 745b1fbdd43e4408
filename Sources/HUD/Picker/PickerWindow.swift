import Metrics
import PerfHUDBase
import Terminal

// The picture of the picker: the filter, the column headings, the rows, the keys.

/// The positions of the parts of the picker. Rows go first to the list, then to the filter, the column headings and the
/// keys.
struct PickerLayout {
  let prompt: Rect?
  let heads: Rect?
  let list: Rect
  let keys: Rect?

  init(_ size: Size) {
    var list = Rect(size)
    func takeFirst() -> Rect {
      let row = Rect(row: list.row, column: 0, rows: 1, columns: list.columns)
      list = Rect(row: list.row + 1, column: 0, rows: list.rows - 1, columns: list.columns)
      return row
    }
    prompt = size.rows >= 2 ? takeFirst() : nil
    heads = size.rows >= 5 ? takeFirst() : nil
    if size.rows >= 8 {
      keys = Rect(row: list.endRow - 1, column: 0, rows: 1, columns: list.columns)
      list.rows -= 1
    } else {
      keys = nil
    }
    self.list = list
  }
}

/// The columns that fit in the picker; the command gets the rest.
private struct PickerColumns {
  static let pidWidth = 7
  static let userWidth = 8
  static let timeWidth = 9

  let hasPid: Bool
  let hasMemory: Bool
  let hasUser: Bool
  let hasTime: Bool

  init(_ columns: Int) {
    hasPid = columns >= 32
    hasMemory = columns >= 44
    hasUser = columns >= 64
    hasTime = columns >= 76
  }
}

/// If a command has less room than this, it begins with the program's name instead of its directory.
private let leastForPath = 40

func drawPicker(_ canvas: inout Canvas, _ picker: ProcessPicker) {
  let size = canvas.grid.size
  guard size.rows >= 1, size.columns >= 1 else { return }
  let layout = PickerLayout(size)
  if let prompt = layout.prompt { drawPrompt(&canvas, prompt, picker) }
  if let heads = layout.heads { drawHeads(&canvas, heads, picker) }
  if let keys = layout.keys {
    canvas.text(
      Word.pickerKeys.text(picker.language), row: keys.row, column: 1, width: keys.columns - 1,
      role: .dim, ellipsis: picker.ellipsis)
  }
  let list = layout.list
  if picker.shown.isEmpty {
    canvas.text(
      Word.pickerNone.text(picker.language), row: list.row, column: 1, width: list.columns - 1,
      role: .dim, ellipsis: picker.ellipsis)
  }
  for line in 0..<min(list.rows, picker.shown.count - picker.first) {
    let row = picker.first + line
    let frame = Rect(row: list.row + line, column: 0, rows: 1, columns: list.columns)
    drawRow(&canvas, frame, picker.shown[row], picker)
    guard row == picker.selection else { continue }
    canvas.put(">", row: frame.row, column: 0, role: .mark)
    canvas.clip = frame
    canvas.reverse()
    canvas.clip = Rect(size)
  }
}

extension ProcessPicker {
  fileprivate var ellipsis: Unicode.Scalar { isASCII ? "~" : "…" }
}

/// Draws the typed filter, and how many of the processes match it.
private func drawPrompt(_ canvas: inout Canvas, _ frame: Rect, _ picker: ProcessPicker) {
  var count = ShortText()
  count.append(decimal: picker.shown.count)
  if !picker.words.isEmpty {
    count.append("/")
    count.append(decimal: picker.count)
  }
  let end = frame.columns - count.count - 1
  if end > 8 { canvas.text(count, row: frame.row, column: end, role: .dim) }
  let limit = end > 8 ? end - 1 : frame.columns
  guard picker.note.isEmpty else {
    canvas.text(
      picker.note, row: frame.row, column: 1, width: limit - 1, role: .notice,
      ellipsis: picker.ellipsis)
    return
  }
  let long = Word.pickerPrompt.text(picker.language)
  let isLong = Canvas.width(long) + 20 <= limit
  var column = canvas.text(
    isLong ? long : "> ", row: frame.row, column: isLong ? 1 : 0, role: .title)
  // Shows the end of the typed text.
  var text = SafeText.clean(picker.filter)
  while Canvas.columns(of: text) > limit - column - 1, !text.isEmpty {
    text.unicodeScalars.removeFirst()
  }
  column = canvas.text(text, row: frame.row, column: column)
  canvas.put("_", row: frame.row, column: column, role: .mark)
  let hint = Word.pickerHint.text(picker.language)
  if picker.filter.isEmpty, column + 2 + Canvas.width(hint) <= limit {
    canvas.text(hint, row: frame.row, column: column + 2, role: .dim)
  }
}

private func drawHeads(_ canvas: inout Canvas, _ frame: Rect, _ picker: ProcessPicker) {
  let columns = PickerColumns(frame.columns)
  var column = 1
  func head(_ word: Word, _ width: Int, isRight: Bool = true) {
    let text = word.text(picker.language)
    let start = isRight ? column + width - Canvas.width(text) : column
    canvas.text(text, row: frame.row, column: start, role: .title)
    column += width + 1
  }
  if columns.hasPid { head(.columnPid, PickerColumns.pidWidth) }
  if columns.hasUser { head(.columnUser, PickerColumns.userWidth, isRight: false) }
  head(.cpu, NumberFormat.percentWidth)
  if columns.hasMemory { head(.memory, NumberFormat.bytesWidth) }
  if columns.hasTime { head(.columnTime, PickerColumns.timeWidth) }
  let command = Word.columnCommand.text(picker.language)
  canvas.text(
    command, row: frame.row, column: column, width: frame.columns - column, role: .title,
    ellipsis: picker.ellipsis)
}

private func drawRow(
  _ canvas: inout Canvas, _ frame: Rect, _ row: PickerRow, _ picker: ProcessPicker
) {
  let columns = PickerColumns(frame.columns)
  var line = canvas.line
  line.clear()
  let process = row.process
  line.append(" ")
  if columns.hasPid {
    line.right(number: Int(process.target.pid), PickerColumns.pidWidth, .dim)
    line.append(" ")
  }
  if columns.hasUser {
    let start = line.mark
    line.append(row.user)
    line.fit(since: start, PickerColumns.userWidth, .text, ellipsis: picker.ellipsis)
    line.append(" ")
  }
  if let percent = process.cpuPercent {
    line.append(NumberFormat.percent(percent), percent < 0.05 ? .dim : .text)
  } else {
    line.blanks(NumberFormat.percentWidth - 1)
    line.append(picker.isASCII ? "-" : picker.ellipsis, .dim)
  }
  line.append(" ")
  if columns.hasMemory {
    if let bytes = process.memoryBytes {
      line.append(NumberFormat.bytes(Double(bytes)))
    } else {
      line.blanks(NumberFormat.bytesWidth - 1)
      line.append("-", .dim)
    }
    line.append(" ")
  }
  if columns.hasTime {
    line.right(cpuTime(process.cpuNanoseconds), PickerColumns.timeWidth)
    line.append(" ")
  }
  let command = line.count
  append(process.commandLine, to: &line, room: frame.columns - line.columns)
  canvas.line = line
  drawLine(&canvas, frame, command: command, picker)
}

/// Appends a command line: the directory of the program, its name, its arguments.
private func append(_ command: String, to line: inout ListRow, room: Int) {
  let scalars = command.unicodeScalars
  let end = scalars.firstIndex(of: " ") ?? scalars.endIndex
  var name = scalars.startIndex
  if scalars.first == "/" || scalars.first == "." || scalars.first == "~" {
    name = scalars[..<end].lastIndex(of: "/").map { scalars.index(after: $0) } ?? name
  }
  line.beginCommand()
  if room >= leastForPath {
    for scalar in scalars[..<name] { line.append(ofCommand: scalar, .dim) }
  }
  for scalar in scalars[name..<end] { line.append(ofCommand: scalar, .label) }
  for scalar in scalars[end...] { line.append(ofCommand: scalar, .text) }
}

/// Draws `canvas.line`, with the matches of the filter marked.
///
/// - Parameter command: The first character of the command.
private func drawLine(
  _ canvas: inout Canvas, _ frame: Rect, command: Int, _ picker: ProcessPicker
) {
  canvas.line.shortenCommand(within: frame.columns, isASCII: picker.isASCII)
  var column = frame.column
  var matchEnd = 0
  let line = canvas.line
  for index in 0..<line.count {
    let character = line[index]
    let width = CharacterWidth.of(character.scalar)
    if column + width > frame.endColumn {
      canvas.put(
        picker.ellipsis, row: frame.row, column: min(column, frame.endColumn - 1), role: .dim)
      return
    }
    if index >= command {
      for word in picker.words where line.begins(with: word, at: index) {
        matchEnd = max(matchEnd, index + word.count)
      }
    }
    column = canvas.character(
      character.scalar, row: frame.row, column: column,
      role: index < matchEnd ? .notice : character.role)
  }
}

/// CPU time as shown by top and htop: `0:07.31`, `1h02:03`, `12d04h`.
func cpuTime(_ nanoseconds: UInt64) -> ShortText {
  var text = ShortText()
  let zero = UInt8(ascii: "0")
  let hundredths = nanoseconds / 10_000_000
  let seconds = hundredths / 100
  switch seconds {
  case ..<3600:
    text.append(decimal: seconds / 60)
    text.append(":")
    text.append(decimal: seconds % 60, width: 2, pad: zero)
    text.append(".")
    text.append(decimal: hundredths % 100, width: 2, pad: zero)
  case ..<360_000:
    text.append(decimal: seconds / 3600)
    text.append("h")
    text.append(decimal: seconds / 60 % 60, width: 2, pad: zero)
    text.append(":")
    text.append(decimal: seconds % 60, width: 2, pad: zero)
  default:
    text.append(decimal: seconds / 86_400)
    text.append("d")
    text.append(decimal: seconds / 3600 % 24, width: 2, pad: zero)
    text.append("h")
  }
  return text
}
