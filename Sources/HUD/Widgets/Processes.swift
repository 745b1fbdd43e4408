import Metrics
import Sampler
import Terminal

// The pages of the list that show processes and threads.

/// In which order the rows of a table are shown, and how deep in the tree each stands.
struct ProcessListing {
  struct Place: Equatable {
    var index: Int
    var depth: Int
  }

  /// Deeper ones are not indented further.
  static let greatestDepth = 8

  let table: ProcessTable?
  let places: [Place]

  /// - Parameter isTree: children stand behind their parents; else all by their key.
  init(_ table: ProcessTable?, by order: ProcessOrder, isTree: Bool) {
    self.table = table
    guard let table else {
      places = []
      return
    }
    let rows = table.rows
    let isTree = isTree && table.request.kind == .processes
    let keys = isTree ? ProcessListing.sums(rows, order) : rows.map { $0.key(order) }
    let sorted = rows.indices.sorted { ProcessListing.isBefore($0, $1, rows, keys) }
    places =
      isTree ? ProcessListing.tree(sorted, rows) : sorted.map { Place(index: $0, depth: 0) }
  }

  /// The key of each with those of its descendants, so that the branch in which most happens comes first.
  private static func sums(_ rows: [ProcessRow], _ order: ProcessOrder) -> [Double] {
    var places: [Int32: Int] = [:]
    for index in rows.indices where places[rows[index].pid] == nil {
      places[rows[index].pid] = index
    }
    var sums = rows.map { $0.key(order) }
    for row in rows {
      var parent = places[row.parent]
      // Numbers given anew may have made a circle.
      var rest = rows.count
      while let place = parent, rest > 0 {
        sums[place] += row.key(order)
        parent = places[rows[place].parent]
        rest -= 1
      }
    }
    return sums
  }

  /// Those that live first, by their key; those that have ended behind them, the last one first.
  private static func isBefore(
    _ first: Int, _ second: Int, _ rows: [ProcessRow], _ keys: [Double]
  ) -> Bool {
    let (a, b) = (rows[first], rows[second])
    if a.hasEnded != b.hasEnded { return b.hasEnded }
    if a.hasEnded, a.endTime != b.endTime { return a.endTime > b.endTime }
    return keys[first] != keys[second] ? keys[first] > keys[second] : a.pid < b.pid
  }

  private static func tree(_ sorted: [Int], _ rows: [ProcessRow]) -> [Place] {
    var children: [Int32: [Int]] = [:]
    // Of a number that was given anew the process that lives.
    let pids = Set(rows.map(\.pid))
    var stack: [Place] = []
    for index in sorted.reversed() {
      let row = rows[index]
      if pids.contains(row.parent), row.parent != row.pid {
        children[row.parent, default: []].append(index)
      } else {
        stack.append(Place(index: index, depth: 0))
      }
    }
    var places: [Place] = []
    var isPlaced = [Bool](repeating: false, count: rows.count)
    while let place = stack.popLast() {
      guard !isPlaced[place.index] else { continue }
      isPlaced[place.index] = true
      places.append(place)
      for child in children.removeValue(forKey: rows[place.index].pid) ?? [] {
        stack.append(Place(index: child, depth: min(place.depth + 1, greatestDepth)))
      }
    }
    // Numbers given anew may have made a circle.
    places += sorted.filter { !isPlaced[$0] }.map { Place(index: $0, depth: 0) }
    return places
  }

  /// With a last row for those that found no place.
  var count: Int { places.count + (others > 0 ? 1 : 0) }

  var others: Int { table?.others ?? 0 }
}

extension PageRows {
  func listingPieces(_ row: Int) -> [TextPiece] {
    guard let table = listing.table, row < listing.places.count else {
      let word = Word.others.text(state.language)
      return [TextPiece("+ \(listing.others) \(word)", .dim)]
    }
    let place = listing.places[row]
    let row = table.rows[place.index]
    return table.request.kind == .threads
      ? threadPieces(row) : processPieces(row, depth: place.depth)
  }

  private func processPieces(_ row: ProcessRow, depth: Int) -> [TextPiece] {
    let isWide = columns >= PageRows.wideColumns
    let isNarrow = columns < 48
    let figures = isNarrow ? 18 : isWide ? 48 : 37
    let room = max(8, min(48, columns - figures))
    // What belongs to it must be seen before how deep it stands.
    let indent = String(repeating: "  ", count: min(depth, room / 4))
    let role: Role = row.hasEnded ? .dim : .label
    var pieces = [TextPiece(padded(indent + row.name.text, room), role)]
    if !isNarrow { pieces.append(TextPiece(" \(right("\(row.pid)", 7))", .dim)) }
    if let end = row.end.text(state.language) {
      let whole = row.state == .zombie ? "\(row.state.word.text(state.language)) \(end)" : end
      let left = columns - width(of: pieces) - 1
      pieces.append(TextPiece(" " + (Canvas.columns(of: whole) <= left ? whole : end), .dim))
      return pieces
    }
    if isWide { pieces.append(TextPiece(" \(padded(stateText(row), 10))", .dim)) }
    pieces.append(TextPiece(" " + percent(row.cpuPercent)))
    pieces.append(TextPiece(" \(NumberFormat.bytes(Double(row.footprintBytes)))"))
    guard !isNarrow else { return pieces }
    let growth = abs(row.growthBytes) >= Verdict.leastNoise ? signed(row.growthBytes) : ""
    pieces.append(TextPiece(" \(right(growth, NumberFormat.bytesWidth + 1))", .dim))
    if isWide, row.threads > 1 {
      let word = Word.threads.text(state.language)
      append(
        [TextPiece(" \(right("\(row.threads)", 4)) "), TextPiece("\(word)", .dim)], to: &pieces)
    }
    return pieces
  }

  private func threadPieces(_ row: ProcessRow) -> [TextPiece] {
    let isWide = columns >= PageRows.wideColumns
    let isNarrow = columns < 48
    let wait = "\(Word.wait.text(state.language))"
    let figures = 16 + (isWide ? 11 : 0) + (isNarrow ? 0 : 10 + Canvas.columns(of: wait))
    let room = max(6, min(32, columns - figures))
    var pieces = [
      TextPiece(padded(row.name.text, room), .label),
      TextPiece(" \(right("\(row.pid)", 7))", .dim),
    ]
    if isWide { pieces.append(TextPiece(" \(padded(stateText(row), 10))", .dim)) }
    pieces.append(TextPiece(" " + percent(row.cpuPercent)))
    append(
      [TextPiece("  \(wait)", .dim), TextPiece(" " + percent(row.waitPercent))], to: &pieces)
    return pieces
  }

  private func stateText(_ row: ProcessRow) -> String { "\(row.state.word.text(state.language))" }

  private func percent(_ value: Double?) -> String {
    guard let value else { return right(state.isASCII ? "-" : "…", NumberFormat.percentWidth) }
    return NumberFormat.percent(value / scene.cpuScale).description
  }
}

extension HUD {
  /// The list of processes or threads that is open; it is read only as long as it is.
  public var wantedTable: ProcessTableRequest? {
    guard stack.isOpen(.log) else { return nil }
    switch state.page {
    case .processes: return ProcessTableRequest(.processes, by: state.processOrder)
    case .threads: return ProcessTableRequest(.threads)
    default: return nil
    }
  }
}

extension HUDState {
  /// What the title of the list says beside its name.
  var pageNotes: [Word] {
    guard page == .processes else { return page == .threads ? [.cpu] : [] }
    return isProcessTree ? [processOrder.word, .treeView] : [processOrder.word]
  }
}
