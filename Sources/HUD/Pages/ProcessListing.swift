import PerfHUDBase
import Sampler

/// How the list of processes is sorted and shown.
package struct ProcessListOptions: Sendable {
  package internal(set) var order = ProcessOrder.cpu
  /// Whether children follow their parents.
  package internal(set) var isTree = true
  /// Whether processes are shown with their command lines instead of their names.
  package internal(set) var showsCommandLine = true
}

/// The order of the rows of a table, and the depth of each in the tree.
///
/// It is computed only when the table or the order has changed, and reuses its memory.
struct ProcessListing: Sendable {
  struct Entry: BitwiseCopyable, Equatable, Sendable {
    var index: Int
    var depth: Int
    /// Whether it is the last child of its parent.
    var isLast = true
    /// Bit n is set if a line to a later child passes it at depth n.
    var branches: UInt16 = 0

    func hasBranch(_ depth: Int) -> Bool { branches >> UInt16(depth) & 1 == 1 }
  }

  /// Deeper rows are not indented further.
  static let greatestDepth = 8
  private static let none = -1

  private(set) var table: ProcessTable?
  private(set) var entries: [Entry] = []
  private(set) var histories = ShareHistories()
  private var order = ProcessOrder.cpu
  private var isTree = false

  /// The rows sorted by pid; for a reused pid the living process comes first.
  private var byPid: [Int] = []
  /// The row of each process's parent, if that has a row.
  private var parents: [Int] = []
  private var keys: [Double] = []
  /// The rows in their order.
  private var sorted: [Int] = []
  /// For each row its last child, and for each child the previous one.
  private var lastChild: [Int] = []
  private var previous: [Int] = []
  private var isPlaced: [Bool] = []
  private var stack: [Entry] = []

  /// The number of rows, including one for those that have ended and a last one for processes that did not fit.
  var count: Int { entries.count + (ended > 0 ? 1 : 0) + (others > 0 ? 1 : 0) }

  /// The number of children that have ended; they share one row.
  var ended: Int { table?.request.kind == .processes ? Int(table?.ended.count ?? 0) : 0 }

  var others: Int { table?.others ?? 0 }

  /// Updates the order for a table.
  ///
  /// - Parameter isTree: Whether children follow their parents; otherwise all rows are sorted by their key.
  mutating func update(_ table: ProcessTable?, by order: ProcessOrder, isTree: Bool) {
    guard let table else {
      self.table = nil
      entries.removeAll(keepingCapacity: true)
      histories.removeAll()
      return
    }
    let isTree = isTree && table.request.kind == .processes
    guard table !== self.table || order != self.order || isTree != self.isTree else { return }
    if table !== self.table {
      if table.request.kind != self.table?.request.kind { histories.removeAll() }
      histories.add(table.rows)
    }
    self.table = table
    self.order = order
    self.isTree = isTree
    entries.removeAll(keepingCapacity: true)
    findKeys(table.rows)
    sort(table.rows)
    if isTree {
      placeTree(table.rows)
    } else {
      for index in sorted where !table.rows[index].isInEndedTotals {
        entries.append(Entry(index: index, depth: 0))
      }
    }
  }

  /// The row of a process; `nil` if it has none.
  func row(of target: Target) -> Int? {
    guard let table else { return nil }
    for index in entries.indices {
      let row = table.rows[entries[index].index]
      if row.pid == target.pid, row.startTicks == target.startTicks { return index }
    }
    return nil
  }

  // MARK: Keys

  /// Computes the sort keys. In a tree the key of a process includes those of its descendants, so that the busiest
  /// branch comes first.
  private mutating func findKeys(_ rows: [ProcessRow]) {
    keys.removeAll(keepingCapacity: true)
    for row in rows { keys.append(row.key(order)) }
    guard isTree else { return }
    findParents(rows)
    for index in rows.indices {
      let own = rows[index].key(order)
      var parent = parents[index]
      // Reused pids may form a cycle.
      var rest = rows.count
      while parent != ProcessListing.none, rest > 0 {
        keys[parent] += own
        parent = parents[parent]
        rest -= 1
      }
    }
    // Moving lines cannot be read: a branch moves up only if it is about twice as busy as another.
    if order == .cpu {
      for index in keys.indices {
        keys[index] = keys[index] < 1 ? 0 : Double(keys[index].exponent) + 1
      }
    }
  }

  private mutating func findParents(_ rows: [ProcessRow]) {
    byPid.removeAll(keepingCapacity: true)
    for index in rows.indices { byPid.append(index) }
    byPid.heapSort { a, b in
      if rows[a].pid != rows[b].pid { return rows[a].pid < rows[b].pid }
      return rows[a].hasEnded != rows[b].hasEnded ? rows[b].hasEnded : a < b
    }
    parents.removeAll(keepingCapacity: true)
    for row in rows {
      let parent = row.parent == row.pid ? ProcessListing.none : entryIndex(of: row.parent, rows)
      // An ended process has no row of its own.
      parents.append(
        parent != ProcessListing.none && rows[parent].isInEndedTotals ? ProcessListing.none : parent
      )
    }
  }

  private func entryIndex(of pid: Int32, _ rows: [ProcessRow]) -> Int {
    var low = 0
    var high = byPid.count
    while low < high {
      let middle = (low + high) / 2
      if rows[byPid[middle]].pid < pid { low = middle + 1 } else { high = middle }
    }
    return low < byPid.count && rows[byPid[low]].pid == pid ? byPid[low] : ProcessListing.none
  }

  // MARK: Order

  /// Sorts the rows: living ones first, by their key; then ended ones, the last one first.
  private mutating func sort(_ rows: [ProcessRow]) {
    sorted.removeAll(keepingCapacity: true)
    for index in rows.indices { sorted.append(index) }
    let keys = keys
    sorted.heapSort { first, second in
      let a = rows[first]
      let b = rows[second]
      if a.hasEnded != b.hasEnded { return b.hasEnded }
      if a.hasEnded, a.endTime != b.endTime { return a.endTime > b.endTime }
      if keys[first] != keys[second] { return keys[first] > keys[second] }
      return a.pid != b.pid ? a.pid < b.pid : first < second
    }
  }

  private mutating func placeTree(_ rows: [ProcessRow]) {
    lastChild.removeAll(keepingCapacity: true)
    previous.removeAll(keepingCapacity: true)
    isPlaced.removeAll(keepingCapacity: true)
    stack.removeAll(keepingCapacity: true)
    for _ in rows {
      lastChild.append(ProcessListing.none)
      previous.append(ProcessListing.none)
      isPlaced.append(false)
    }
    for index in sorted where parents[index] != ProcessListing.none && !rows[index].isInEndedTotals
    {
      previous[index] = lastChild[parents[index]]
      lastChild[parents[index]] = index
    }
    for index in sorted.reversed()
    where parents[index] == ProcessListing.none && !rows[index].isInEndedTotals {
      stack.append(Entry(index: index, depth: 0))
    }
    while let entry = stack.popLast() {
      guard !isPlaced[entry.index] else { continue }
      isPlaced[entry.index] = true
      entries.append(entry)
      var child = lastChild[entry.index]
      while child != ProcessListing.none {
        let isDeepest = entry.depth == ProcessListing.greatestDepth
        var below = Entry(index: child, depth: isDeepest ? entry.depth : entry.depth + 1)
        below.isLast = child == lastChild[entry.index]
        below.branches = entry.branches
        if !below.isLast { below.branches |= 1 << UInt16(below.depth) }
        stack.append(below)
        child = previous[child]
      }
    }
    // Reused pids may form a cycle.
    for index in sorted where !isPlaced[index] && !rows[index].isInEndedTotals {
      entries.append(Entry(index: index, depth: 0))
    }
  }
}

extension [Int] {
  /// Sorts in place without an allocation. It is not stable, so no two elements may be equal.
  ///
  /// Complexity: O(n log n).
  fileprivate mutating func heapSort(by isBefore: (Int, Int) -> Bool) {
    guard count > 1 else { return }
    for root in stride(from: count / 2 - 1, through: 0, by: -1) {
      sink(root, end: count, isBefore)
    }
    for end in stride(from: count - 1, to: 0, by: -1) {
      swapAt(0, end)
      sink(0, end: end, isBefore)
    }
  }

  private mutating func sink(_ root: Int, end: Int, _ isBefore: (Int, Int) -> Bool) {
    var root = root
    while true {
      var child = 2 * root + 1
      guard child < end else { return }
      if child + 1 < end, isBefore(self[child], self[child + 1]) { child += 1 }
      guard isBefore(self[root], self[child]) else { return }
      swapAt(root, child)
      root = child
    }
  }
}
