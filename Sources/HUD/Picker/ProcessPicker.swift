import Metrics
import Sampler
import Terminal

/// A request of the picker.
package enum PickerRequest: Equatable, Sendable {
  /// Attach to this process.
  case attach(Target)
  case quit
  case suspend
  case redraw
}

/// A list of processes to choose one from: type to filter, Enter attaches. It has no clock and no terminal.
///
/// While the first row is selected, the rows are sorted by CPU with each scan. Once another row is selected, they keep
/// their places, so that no row moves while the user looks at it.
package struct ProcessPicker: Sendable {
  /// The typed filter; each word must match.
  package private(set) var filter = ""
  /// A line shown instead of the filter until the next key: why a process could not be shown.
  package var note = ""
  package private(set) var canvas: Canvas
  package let language: Language
  let isASCII: Bool

  private var rows: [PickerRow] = []
  /// The rows that match the filter.
  private(set) var shown: [PickerRow] = []
  private(set) var words: [[Unicode.Scalar]] = []
  /// The selected row, among those that match.
  private(set) var selection = 0
  /// The first visible row.
  private(set) var first = 0

  /// The maximum number of characters in a filter.
  private static let filterLimit = 80
  private static let wheelStep = 3

  package init(size: Size, language: Language, isASCII: Bool = false) {
    canvas = Canvas(size, isASCII: isASCII)
    self.language = isASCII ? .english : language
    self.isASCII = isASCII
  }

  package mutating func resize(to size: Size) {
    canvas.resize(to: size)
    settle()
  }

  /// The selected process; `nil` if none matches.
  package var selected: Target? {
    shown.indices.contains(selection) ? shown[selection].target : nil
  }

  /// The number of processes, whether or not they match.
  var count: Int { rows.count }

  // MARK: Rows

  /// Takes the rows of a new scan.
  package mutating func update(_ scanned: [PickerRow]) {
    let kept = selected
    let sorted = scanned.sorted(by: ProcessPicker.isBefore)
    if selection == 0 {
      rows = sorted
    } else {
      var new: [Target: PickerRow] = [:]
      for row in sorted { new[row.target] = row }
      rows = rows.compactMap { new.removeValue(forKey: $0.target) }
      rows += sorted.filter { new[$0.target] != nil }
    }
    select(again: selection == 0 ? nil : kept)
  }

  /// Most CPU first, then most memory.
  private static func isBefore(_ a: PickerRow, _ b: PickerRow) -> Bool {
    if a.cpuRank != b.cpuRank { return a.cpuRank > b.cpuRank }
    let memory = (a.process.memoryBytes ?? 0, b.process.memoryBytes ?? 0)
    return memory.0 != memory.1 ? memory.0 > memory.1 : a.target.pid < b.target.pid
  }

  /// Finds the rows that match, and selects a process again, otherwise the row at its position.
  private mutating func select(again target: Target?) {
    shown = words.isEmpty ? rows : rows.filter { $0.matches(words) }
    if let target, let row = shown.firstIndex(where: { $0.target == target }) { selection = row }
    settle()
  }

  private mutating func settle() {
    selection = max(0, min(selection, shown.count - 1))
    let height = max(1, PickerLayout(canvas.grid.size).list.rows)
    first = min(max(first, selection - height + 1), selection)
    first = max(0, min(first, shown.count - height))
  }

  // MARK: Keys

  /// Handles a key; keys that type text change the filter.
  package mutating func handle(_ key: Key) -> PickerRequest? {
    note = ""
    let page = max(1, PickerLayout(canvas.grid.size).list.rows)
    switch key {
    case .enter: return selected.map { .attach($0) }
    case .escape:
      guard !filter.isEmpty else { return .quit }
      setFilter("")
    case .control("c"), .control("d"): return .quit
    case .control("z"): return .suspend
    case .control("l"): return .redraw
    case .up, .backTab, .control("p"), .control("k"): move(by: -1)
    case .down, .tab, .control("n"): move(by: 1)
    case .pageUp, .control("b"): move(by: -page)
    case .pageDown, .control("f"): move(by: page)
    case .home: move(by: -shown.count)
    case .end: move(by: shown.count)
    case .backspace, .control("h"): setFilter(String(filter.unicodeScalars.dropLast()))
    case .control("u"): setFilter("")
    case .control("w"):
      let words = filter.split(separator: " ").dropLast()
      setFilter(words.isEmpty ? "" : words.joined(separator: " ") + " ")
    default:
      guard case .character(let scalar) = key.code, key.modifiers.isEmpty,
        filter.unicodeScalars.count < ProcessPicker.filterLimit
      else { return nil }
      setFilter(filter + String(scalar))
    }
    return nil
  }

  /// The wheel scrolls; a click selects a row, and a click on the selected row attaches.
  package mutating func handle(_ event: MouseEvent) -> PickerRequest? {
    switch event.action {
    case .wheelUp: move(by: -ProcessPicker.wheelStep)
    case .wheelDown: move(by: ProcessPicker.wheelStep)
    case .press(button: 1):
      note = ""
      let list = PickerLayout(canvas.grid.size).list
      let row = first + event.point.row - list.row
      guard list.contains(event.point), row < shown.count else { return nil }
      if row == selection { return selected.map { .attach($0) } }
      selection = row
      settle()
    default: break
    }
    return nil
  }

  private mutating func move(by rows: Int) {
    selection += rows
    settle()
  }

  /// The best row is selected after each key, as in any finder.
  private mutating func setFilter(_ text: String) {
    filter = text
    words = text.split(separator: " ").map { $0.unicodeScalars.map(\.folded) }
    selection = 0
    first = 0
    rows.sort(by: ProcessPicker.isBefore)
    select(again: nil)
  }

  // MARK: Picture

  package mutating func draw() {
    var canvas = canvas
    canvas.erase()
    drawPicker(&canvas, self)
    self.canvas = canvas
  }
}
