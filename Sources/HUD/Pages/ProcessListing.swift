import Metrics
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

  /// A list with at most this number of tables so far is new.
  private static let newTables = 4
  /// Deeper rows are not indented further.
  static let greatestDepth = 8
  private static let none = -1

  private(set) var table: ProcessTable?
  private(set) var entries: [Entry] = []
  private(set) var histories = ShareHistories()
  /// Those of the list of the other kind, and the kind of the current ones: while one list is shown, the other keeps its
  /// shares.
  private var otherHistories = ShareHistories()
  private var historiesKind = ProcessTableRequest.Kind.processes
  /// Whether a process in the list has grown or shrunk. It stays so, because columns that come and go cannot be read.
  private(set) var hasGrown = false
  /// Whether the list is of the threads of several processes. It stays so, as `hasGrown` does.
  private(set) var hasSeveralProcesses = false
  /// The bytes of the longest name or number of a living row, hence the most columns of a name.
  private(set) var longestName = 0
  /// The memory of the greatest living row.
  private(set) var greatestBytes: UInt64 = 0
  private var order = ProcessOrder.cpu
  private(set) var isTree = false

  /// The row of each process's parent, if that has a row.
  private var parents: [Int] = []
  private var keys: [SteadyOrder.Key] = []
  private var steady = SteadyOrder()
  /// The number of tables since the last one of another kind.
  private var tables = 0
  /// For each row its last child, and for each child the previous one.
  private var lastChild: [Int] = []
  private var previous: [Int] = []
  private var isPlaced: [Bool] = []
  private var stack: [Entry] = []

  /// Whether those that have ended use so much that their row is among the first of a sorted list: where a list does not
  /// show all rows, the one that explains a build would be missing.
  private var endedRowIsEarly = false
  /// The sum of the shares of all rows, in percent of one core.
  private(set) var rowsPercent = 0.0
  private var isEndedBelowRoot = false
  /// The row of those that have ended; `nil` if none have.
  private(set) var endedRow: Int?

  /// Shares from which on, and below which no longer, the row of those that have ended is among the first, in percent of
  /// one core.
  private static let earlyEndedPercent = (least: 5.0, left: 1.0)

  /// The number of rows, including one for those that have ended and a last one for processes that did not fit.
  var count: Int { entries.count + (ended > 0 ? 1 : 0) + (others > 0 ? 1 : 0) }

  /// The number of children that have ended; they share one row.
  var ended: Int { table?.request.kind == .processes ? Int(table?.ended.count ?? 0) : 0 }

  var others: Int { table?.others ?? 0 }

  /// The number of decimal digits of a pid.
  private static func digits(_ pid: Int32) -> Int {
    var (digits, rest) = (1, pid)
    while rest >= 10 { (digits, rest) = (digits + 1, rest / 10) }
    return digits
  }

  /// Updates the order for a table.
  ///
  /// - Parameters:
  ///   - isTree: Whether children follow their parents; otherwise all rows are sorted by their key.
  ///   - isHeld: Whether rows keep their places, because the user is reading or selecting them.
  ///   - wholePercent: The share of the whole tree over the time that the shares of its rows cover; `nil` if unknown.
  ///   - root: The pid of the target. Orphans are below it, as the processes that it has started, and stay there when it
  ///     ends itself.
  mutating func update(
    _ table: ProcessTable?, by order: ProcessOrder, isTree: Bool, isHeld: Bool = false,
    wholePercent: Double? = nil, root: Int32? = nil
  ) {
    guard let table else {
      self.table = nil
      entries.removeAll(keepingCapacity: true)
      tables = 0
      hasGrown = false
      hasSeveralProcesses = false
      return
    }
    let isTree = isTree && table.request.kind == .processes
    guard table !== self.table || order != self.order || isTree != self.isTree else { return }
    if table !== self.table {
      let kind = table.request.kind
      if kind != self.table?.request.kind {
        tables = 0
        hasGrown = false
        hasSeveralProcesses = false
      }
      if kind != .mappings {
        if kind != historiesKind { swap(&histories, &otherHistories) }
        historiesKind = kind
        histories.add(table.rows, at: table.time)
      }
      hasGrown =
        hasGrown
        || table.rows.contains { !$0.hasEnded && abs($0.growthBytes) >= Verdict.leastNoise }
      if kind == .threads, let first = table.rows.first {
        hasSeveralProcesses =
          hasSeveralProcesses || table.rows.contains { $0.parent != first.parent }
      }
      longestName = table.rows.reduce(0) {
        $1.hasEnded ? $0 : max($0, Int($1.name.count), ProcessListing.digits($1.pid))
      }
      greatestBytes = table.rows.reduce(0) { $1.hasEnded ? $0 : max($0, $1.footprintBytes) }
      tables += 1
    }
    // Only the second table has shares.
    if tables <= 2 || order != self.order || isTree != self.isTree { steady.removeAll() }
    self.table = table
    self.order = order
    self.isTree = isTree
    entries.removeAll(keepingCapacity: true)
    steady.showsKeys = table.request.kind == .threads
    steady.index(table.rows)
    findKeys(table.rows, root: root)
    steady.update(
      table.rows, keys: keys, by: order, parents: isTree ? parents : nil, isHeld: isHeld)
    if isTree {
      placeTree(table.rows)
    } else {
      for index in steady.rows where !table.rows[index].isInEndedTotals {
        entries.append(Entry(index: index, depth: 0))
      }
    }
    rowsPercent = table.rows.reduce(0) { $0 + ($1.cpuPercent ?? 0) }
    let rootRow =
      isTree ? entries.firstIndex { $0.depth == 0 && table.rows[$0.index].pid == root } : nil
    placeEnded(belowRow: rootRow, wholePercent: wholePercent, isHeld: isHeld)
  }

  /// An entry for those that have ended where they are drawn as a child of the target; `nil` where they are not.
  var endedChild: Entry? {
    guard isEndedBelowRoot, let endedRow else { return nil }
    let isLast = !entries.indices.contains(endedRow) || entries[endedRow].depth == 0
    return Entry(index: 0, depth: 1, isLast: isLast)
  }

  /// The entry in a row; `nil` for a row that stands for several processes.
  func entry(inRow row: Int) -> Entry? {
    guard let endedRow, row >= endedRow else {
      return entries.indices.contains(row) ? entries[row] : nil
    }
    return row > endedRow && entries.indices.contains(row - 1) ? entries[row - 1] : nil
  }

  /// The row of a process; `nil` if it has none.
  func row(of target: Target) -> Int? {
    guard let table else { return nil }
    for index in entries.indices {
      let row = table.rows[entries[index].index]
      guard row.pid == target.pid, row.startTicks == target.startTicks else { continue }
      return index >= endedRow ?? .max ? index + 1 : index
    }
    return nil
  }

  // MARK: Those that have ended

  /// Finds the row of those that have ended: below the target in its tree, where it does not move; in a sorted list the
  /// last one, or, while they use much, at the place of their share.
  private mutating func placeEnded(belowRow root: Int?, wholePercent: Double?, isHeld: Bool) {
    isEndedBelowRoot = root != nil && ended > 0
    guard ended > 0, root == nil else {
      endedRow = ended > 0 ? root.map { $0 + 1 } : nil
      endedRowIsEarly = false
      return
    }
    let share = (wholePercent ?? 0) - rowsPercent
    if !isHeld {
      let least = ProcessListing.earlyEndedPercent
      // The first table has no shares.
      endedRowIsEarly =
        order == .cpu && !isTree && tables > 1
        && share > (endedRowIsEarly ? least.left : least.least)
    }
    guard endedRowIsEarly else {
      endedRow = entries.count
      return
    }
    endedRow = entries.firstIndex { keys[$0.index].now < share } ?? entries.count
  }

  // MARK: Keys

  /// Computes the sort keys. In a tree the key of a process includes those of its descendants, so that the busiest
  /// branch comes first.
  private mutating func findKeys(_ rows: [ProcessRow], root: Int32?) {
    keys.removeAll(keepingCapacity: true)
    for index in rows.indices { keys.append(key(index, rows)) }
    guard isTree else { return }
    findParents(rows, root: root.flatMap { steady.row(of: $0, rows) })
    for index in rows.indices {
      let own = key(index, rows)
      var parent = parents[index]
      // Reused pids may form a cycle.
      var rest = rows.count
      while parent != ProcessListing.none, rest > 0 {
        keys[parent].now += own.now
        keys[parent].before += own.before
        parent = parents[parent]
        rest -= 1
      }
    }
  }

  /// The key of a row alone: its memory, or its mean share of a core. The column of processes shows their last shares,
  /// because these add up to the share of the tree; but in their order, processes that are busy in turn would change
  /// places all the time.
  private func key(_ index: Int, _ rows: [ProcessRow]) -> SteadyOrder.Key {
    guard order == .cpu else {
      let value = rows[index].key(order)
      return SteadyOrder.Key(now: value, before: value)
    }
    if table?.request.kind == .threads {
      let mean = histories.mean(row: index) ?? 0
      return SteadyOrder.Key(now: mean, before: mean)
    }
    let now = histories.mean(row: index) ?? 0
    // A new process finds its place at once, except in a list that is new itself.
    let isNewList = tables <= ProcessListing.newTables
    return SteadyOrder.Key(
      now: now, before: histories.mean(row: index, age: 2) ?? (isNewList ? 0 : now))
  }

  private mutating func findParents(_ rows: [ProcessRow], root: Int?) {
    parents.removeAll(keepingCapacity: true)
    let root = root.flatMap { rows[$0].isInEndedTotals ? nil : $0 } ?? ProcessListing.none
    for index in rows.indices {
      let row = rows[index]
      guard index != root else {
        parents.append(ProcessListing.none)
        continue
      }
      let parent = row.parent == row.pid ? nil : steady.row(of: row.parent, rows)
      // An ended process has no row of its own.
      let shown = parent.flatMap { rows[$0].isInEndedTotals ? nil : $0 }
      parents.append(shown ?? (row.isOrphan ? root : ProcessListing.none))
    }
  }

  // MARK: Order

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
    for index in steady.rows
    where parents[index] != ProcessListing.none && !rows[index].isInEndedTotals {
      previous[index] = lastChild[parents[index]]
      lastChild[parents[index]] = index
    }
    for index in steady.rows.reversed()
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
    for index in steady.rows where !isPlaced[index] && !rows[index].isInEndedTotals {
      entries.append(Entry(index: index, depth: 0))
    }
  }
}
