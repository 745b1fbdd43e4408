import Sampler

/// The order of the rows of a list, which changes only for a clear and lasting reason: rows that change places all the
/// time cannot be read. Pure; it reuses its memory.
struct SteadyOrder: Sendable {
  /// What a row is sorted by: now, and a moment ago.
  struct Key: BitwiseCopyable, Sendable {
    var now: Double
    var before: Double
  }

  private struct Identity: BitwiseCopyable {
    var pid: Int32
    var startTicks: UInt64
  }

  /// Whether the rows show the keys by which they are sorted, so that a wrong order would be seen.
  var showsKeys = false

  /// The indices of the rows in their order: living ones, then those that have ended, the last one first.
  private(set) var rows: [Int] = []
  /// The order before, of the living rows.
  private var former: [Identity] = []
  /// The rows sorted by pid; for a reused pid the living process comes first.
  private var byPid: [Int] = []
  private var isTaken: [Bool] = []

  /// Forgets the order: the next one is that of the keys.
  mutating func removeAll() { former.removeAll(keepingCapacity: true) }

  /// Prepares to find rows by their pid.
  mutating func index(_ table: [ProcessRow]) {
    byPid.removeAll(keepingCapacity: true)
    for index in table.indices { byPid.append(index) }
    byPid.heapSort { a, b in
      if table[a].pid != table[b].pid { return table[a].pid < table[b].pid }
      return table[a].hasEnded != table[b].hasEnded ? table[b].hasEnded : a < b
    }
  }

  /// The row of a process; `nil` if it has none.
  func row(of pid: Int32, _ table: [ProcessRow]) -> Int? {
    let position = position(of: pid, table)
    return position < byPid.count && table[byPid[position]].pid == pid ? byPid[position] : nil
  }

  private func position(of pid: Int32, _ table: [ProcessRow]) -> Int {
    var low = 0
    var high = byPid.count
    while low < high {
      let middle = (low + high) / 2
      if table[byPid[middle]].pid < pid { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Puts the rows in order. Call `index` before.
  ///
  /// Complexity: O(n) while rows keep their places, at worst O(n²) for at most some 300 rows.
  ///
  /// - Parameters:
  ///   - keys: the key of each row; the greatest comes first.
  ///   - parents: the row of each row's parent: only children of the same parent are compared. `nil` compares all rows.
  ///   - isHeld: whether the rows keep their places whatever their keys are. New ones come last.
  mutating func update(
    _ table: [ProcessRow], keys: [Key], by order: ProcessOrder, parents: [Int]?, isHeld: Bool
  ) {
    isTaken.removeAll(keepingCapacity: true)
    for row in table { isTaken.append(row.hasEnded) }
    rows.removeAll(keepingCapacity: true)
    let isFirst = former.isEmpty
    for identity in former {
      if let index = index(of: identity, table), !isTaken[index] { take(index) }
    }
    for index in byPid where !isTaken[index] { take(index) }
    if isFirst {
      rows.heapSort { a, b in
        keys[a].now != keys[b].now
          ? keys[a].now > keys[b].now
          : table[a].pid != table[b].pid ? table[a].pid < table[b].pid : a < b
      }
    } else if !isHeld {
      move(keys, order, parents)
    }
    former.removeAll(keepingCapacity: true)
    for index in rows {
      former.append(Identity(pid: table[index].pid, startTicks: table[index].startTicks))
    }
    appendEnded(table)
  }

  private mutating func take(_ index: Int) {
    rows.append(index)
    isTaken[index] = true
  }

  private func index(of identity: Identity, _ table: [ProcessRow]) -> Int? {
    var position = position(of: identity.pid, table)
    while position < byPid.count, table[byPid[position]].pid == identity.pid {
      if table[byPid[position]].startTicks == identity.startTicks { return byPid[position] }
      position += 1
    }
    return nil
  }

  /// Moves each row before the first one whose key is, and was, clearly smaller.
  private mutating func move(_ keys: [Key], _ order: ProcessOrder, _ parents: [Int]?) {
    for position in rows.indices {
      let row = rows[position]
      let target = rows[..<position].firstIndex { other in
        (parents == nil || parents?[row] == parents?[other])
          && isClear(keys[row].now, above: keys[other].now, order)
          && isClear(keys[row].before, above: keys[other].before, order)
      }
      guard let target else { continue }
      var index = position
      while index > target {
        rows[index] = rows[index - 1]
        index -= 1
      }
      rows[target] = row
    }
  }

  /// Whether a key is so much greater than another one that the rows have to change places.
  private func isClear(_ key: Double, above other: Double, _ order: ProcessOrder) -> Bool {
    switch order {
    // By more than a tenth, and by more than 0.5 % of a core; if the rows show what they are sorted by, less.
    case .cpu: showsKeys ? key > 1.02 * other + 0.1 : key > 1.1 * other + 0.5
    // By more than a tenth, and by more than a few pages.
    case .memory, .growth: key > other + max(32_768, 0.1 * abs(other))
    }
  }

  /// Appends the rows that have ended, the last one first.
  private mutating func appendEnded(_ table: [ProcessRow]) {
    let first = rows.count
    for index in table.indices where table[index].hasEnded {
      rows.append(index)
      var position = rows.count - 1
      while position > first, table[rows[position - 1]].endTime < table[index].endTime {
        rows.swapAt(position, position - 1)
        position -= 1
      }
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
