import Terminal

/// Scrolling, selection, search and filter of a list. Pure.
///
/// It has no rows itself but asks for them by index, so any table can be a list. It follows the end unless the user has
/// moved elsewhere.
package struct ListView: Sendable {
  /// The position of the selected row among those that match the filter; `nil` while the list follows the end.
  package private(set) var selectedPosition: Int?
  /// The search text; matches are highlighted.
  package private(set) var pattern = "" {
    didSet { folded = ListView.folded(pattern) }
  }
  /// Only rows with this text are shown; empty shows all.
  package private(set) var filter = "" {
    didSet { foldedFilter = ListView.folded(filter) }
  }
  /// Whether the row that was selected is gone: then no row is selected until the user selects one.
  private var isSelectionLost = false
  /// The line that is being typed; `nil` if there is none.
  package private(set) var prompt: Prompt?

  /// A line that is being typed. A filter or a search takes effect with each letter.
  package struct Prompt: Equatable, Sendable {
    package var isFilter: Bool
    package var text: String
    /// The filter or the search text before it, and the selection: they come back if the line is discarded.
    var former: String
    var formerSelection: Int?
    var wasSelectionLost: Bool
  }

  /// The first visible row; it does not move while the selection is visible.
  private var first = 0
  /// The indices of the rows that match the filter; empty without a filter.
  private var passing: [Int] = []
  private var foldedFilter: [Unicode.Scalar] = []
  /// The search text, in lower case.
  private(set) var folded: [Unicode.Scalar] = []
  /// A buffer for the rows that are searched.
  private var line = ListRow()
  private var count = 0
  private var height = 1
  /// The lines of each row on the screen, and those of the area of the rows.
  private(set) var linesOfRow = 1
  private(set) var areaLines = 1

  /// Whether the list follows the end once the last row is selected.
  private let mayFollowEnd: Bool

  /// - Parameter startsAtTop: whether the first row is selected and the list never follows the end.
  package init(startsAtTop: Bool = false) {
    selectedPosition = startsAtTop ? 0 : nil
    mayFollowEnd = !startsAtTop
  }

  /// The number of rows that match the filter.
  package var shownCount: Int { filter.isEmpty ? count : passing.count }
  /// Whether new rows scroll into view.
  package var followsEnd: Bool { selectedPosition == nil }
  /// Whether keys are typed as text.
  package var isTyping: Bool { prompt != nil }

  // MARK: Rows

  /// Updates the rows and the visible height.
  package mutating func update(height: Int, rows: some ListRows) {
    self.height = max(1, height)
    count = rows.count
    if !filter.isEmpty {
      passing.removeAll(keepingCapacity: true)
      for row in 0..<count where contains(foldedFilter, row, rows) { passing.append(row) }
    }
    settle()
  }

  /// Updates the rows and the lines that are visible.
  ///
  /// - Parameter linesOfRow: the lines of each row.
  mutating func update(lines: Int, linesOfRow: Int, rows: some ListRows) {
    areaLines = lines
    self.linesOfRow = max(1, linesOfRow)
    update(height: lines / self.linesOfRow, rows: rows)
  }

  private mutating func contains(
    _ pattern: [Unicode.Scalar], _ row: Int, _ rows: some ListRows
  ) -> Bool {
    line.clear()
    rows.write(row, to: &line)
    return line.contains(pattern)
  }

  /// The indices of the visible rows, from top to bottom.
  package var visible: [Int] {
    (first..<min(shownCount, first + height)).map(index)
  }

  /// The range of visible rows, among those that match the filter.
  var seen: Range<Int> { first..<max(first, min(shownCount, first + height)) }

  /// The index of the row at a position below the top; `nil` if there is none.
  func row(at position: Int) -> Int? {
    guard position >= 0, position < height, first + position < shownCount else { return nil }
    return index(at: first + position)
  }

  /// The index of the selected row.
  package var selectedRow: Int? {
    guard let selectedPosition, !isSelectionLost, selectedPosition < shownCount else { return nil }
    return index(at: selectedPosition)
  }

  /// The number of rows that fit.
  var visibleRowCount: Int { height }

  /// The index of the row at a position among those that match the filter.
  private func index(at position: Int) -> Int {
    filter.isEmpty ? position : passing[position]
  }

  private mutating func settle() {
    let last = max(0, shownCount - 1)
    if let selectedPosition { self.selectedPosition = min(selectedPosition, last) }
    let wanted = selectedPosition ?? last
    first = min(max(first, wanted - height + 1), wanted)
    first = max(0, min(first, shownCount - height))
  }

  // MARK: Keys

  /// Handles a key. Returns whether the key had a meaning.
  package mutating func handle(_ key: Key, rows: some ListRows) -> Bool {
    if prompt != nil {
      type(key, rows: rows)
      return true
    }
    guard let command = ListCommand(key) else { return false }
    apply(command, rows: rows)
    return true
  }

  package mutating func apply(_ command: ListCommand, rows: some ListRows) {
    switch command {
    case .up: select(at: current - 1)
    // The next row has moved up to the place of the lost one.
    case .down: select(at: isSelectionLost ? current : current + 1)
    case .pageUp: select(at: current - height)
    case .pageDown: select(at: current + height)
    case .home: select(at: 0)
    case .end: select(at: shownCount)
    case .search: beginPrompt(isFilter: false, former: pattern)
    case .filter: beginPrompt(isFilter: true, former: filter)
    case .nextMatch: find(1, rows: rows)
    case .previousMatch: find(-1, rows: rows)
    }
    settle()
  }

  /// Scrolls by a number of rows, as a wheel does; negative scrolls up.
  package mutating func scroll(by rows: Int) {
    select(at: current + rows)
    settle()
    moveSearchOriginToSelection()
  }

  /// Selects a row by its index, or none if it is `nil` or does not match the filter. Then the next key that moves the
  /// selection starts where it was.
  package mutating func select(_ row: Int?) {
    guard let row, let position = filter.isEmpty ? row : passing.firstIndex(of: row) else {
      isSelectionLost = selectedPosition != nil
      return
    }
    isSelectionLost = false
    selectedPosition = position
    settle()
  }

  /// Selects the row at a line below the top, if there is one.
  package mutating func click(_ line: Int) {
    guard line >= 0 else { return }
    let row = line / linesOfRow
    guard row < height, first + row < shownCount else { return }
    isSelectionLost = false
    selectedPosition = first + row
    moveSearchOriginToSelection()
  }

  private var current: Int { selectedPosition ?? max(0, shownCount - 1) }

  /// Selects a row. Moving down from the last row makes the list follow the end again.
  private mutating func select(at row: Int) {
    isSelectionLost = false
    if row >= shownCount {
      selectedPosition = mayFollowEnd ? nil : max(0, shownCount - 1)
    } else {
      selectedPosition = max(0, row)
    }
  }

  // MARK: Search

  /// Discards what is being typed.
  package mutating func cancelPrompt() {
    guard let prompt else { return }
    if prompt.isFilter {
      filter = prompt.former
    } else {
      pattern = prompt.former
    }
    // Among the rows of the former filter, which `update` finds.
    restoreSelection(of: prompt)
    self.prompt = nil
  }

  private mutating func type(_ key: Key, rows: some ListRows) {
    guard var prompt else { return }
    switch key {
    case .enter:
      self.prompt = nil
      accept(prompt, rows: rows)
      return
    case .escape, .control("c"), .control("g"):
      cancelPrompt()
      update(height: height, rows: rows)
      return
    case .backspace, .control("h"): _ = prompt.text.unicodeScalars.popLast()
    case .control("u"): prompt.text = ""
    default:
      guard case .character(let scalar) = key.code, key.modifiers.isEmpty,
        prompt.text.unicodeScalars.count < 80
      else { return }
      prompt.text.unicodeScalars.append(scalar)
    }
    self.prompt = prompt
    if prompt.isFilter {
      show(filter: prompt.text, rows: rows)
    } else {
      search(prompt, rows: rows)
    }
  }

  private mutating func beginPrompt(isFilter: Bool, former: String) {
    prompt = Prompt(
      isFilter: isFilter, text: "", former: former, formerSelection: selectedPosition,
      wasSelectionLost: isSelectionLost)
  }

  /// Changes the row from which a search is made, because the rows have changed.
  ///
  /// - Parameter row: `nil` if the row is gone.
  mutating func moveSearchOrigin(to row: Int?) {
    guard prompt?.isFilter == false else { return }
    let position = row.flatMap { filter.isEmpty ? $0 : passing.firstIndex(of: $0) }
    prompt?.wasSelectionLost = position == nil
    if let position { prompt?.formerSelection = position }
  }

  /// Lets a search go on from the current row, because the user has selected it meanwhile.
  private mutating func moveSearchOriginToSelection() {
    guard prompt?.isFilter == false else { return }
    prompt?.formerSelection = selectedPosition
    prompt?.wasSelectionLost = false
  }

  private mutating func restoreSelection(of prompt: Prompt) {
    selectedPosition = prompt.formerSelection
    isSelectionLost = prompt.wasSelectionLost
  }

  /// Selects the first row with the text of a prompt, beginning with the row that was selected before it. An empty text is
  /// the last search.
  private mutating func search(_ prompt: Prompt, rows: some ListRows) {
    restoreSelection(of: prompt)
    pattern = prompt.text.isEmpty ? prompt.former : prompt.text
    if !prompt.text.isEmpty { find(1, rows: rows, includesCurrent: true) }
    settle()
  }

  private mutating func accept(_ prompt: Prompt, rows: some ListRows) {
    if prompt.isFilter {
      show(filter: prompt.text, rows: rows)
    } else if prompt.text.isEmpty {
      // An empty text repeats the last search. Any other has selected its match already.
      find(1, rows: rows, includesCurrent: true)
    }
    settle()
  }

  /// Shows only the rows that match a filter. Keeps the selection, or selects the nearest row.
  private mutating func show(filter text: String, rows: some ListRows) {
    let row = selectedRow
    filter = text
    update(height: height, rows: rows)
    if selectedPosition != nil, let row {
      let next = text.isEmpty ? row : passing.firstIndex { $0 >= row }
      selectedPosition = next ?? max(0, shownCount - 1)
    }
    settle()
  }

  /// Moves to the next row that contains the pattern, wrapping around at the end.
  private mutating func find(_ step: Int, rows: some ListRows, includesCurrent: Bool = false) {
    let total = shownCount
    guard !pattern.isEmpty, total > 0 else { return }
    let isAtNext = isSelectionLost && step > 0
    let start = includesCurrent || isAtNext ? current : current + step
    for offset in 0..<total {
      let position = ((start + step * offset) % total + total) % total
      let row = filter.isEmpty ? position : passing[position]
      if contains(folded, row, rows) {
        isSelectionLost = false
        selectedPosition = position
        return
      }
    }
  }

  private static func folded(_ text: String) -> [Unicode.Scalar] {
    text.unicodeScalars.map(\.folded)
  }
}
