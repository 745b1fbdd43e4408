import PerfHUDBase
import Sampler
import Testing

@testable import HUD

/// When the rows of a list of processes change places.
@Suite struct SteadyOrderTests {
  private static let start = Instant(nanoseconds: 1_000_000_000_000)

  /// A table half a second after the one before, with a parent and its children.
  ///
  /// - Parameter shares: the CPU share of each child, from pid 101 on.
  private func table(_ number: Int, _ shares: [Double], mebibytes: [UInt64] = []) -> ProcessTable {
    var rows: [ProcessRow] = []
    for (index, share) in ([0] + shares).enumerated() {
      var row = ProcessRow()
      row.pid = Int32(100 + index)
      row.parent = index == 0 ? 1 : 100
      row.startTicks = UInt64(row.pid)
      row.intervalNanoseconds = number == 0 ? 0 : 500_000_000
      row.cpuNanoseconds = UInt64(share * 5_000_000)
      if index > 0, index <= mebibytes.count { row.footprintBytes = mebibytes[index - 1] << 20 }
      rows.append(row)
    }
    return ProcessTable(
      request: ProcessTableRequest(.processes),
      time: SteadyOrderTests.start.advanced(bySeconds: Double(number) / 2), rows: rows)
  }

  private func children(_ listing: ProcessListing) -> [Int32] {
    listing.entries.compactMap { entry in
      listing.table.map { $0.rows[entry.index].pid }
    }.filter { $0 > 100 }
  }

  private func listing(_ shares: [[Double]]) -> ProcessListing {
    var listing = ProcessListing()
    for (number, shares) in shares.enumerated() {
      listing.update(table(number, shares), by: .cpu, isTree: true)
    }
    return listing
  }

  @Test func `the first shares put the busiest child first`() {
    #expect(children(listing([[1, 30, 2]])) == [101, 102, 103])
    #expect(children(listing([[1, 30, 2], [1, 30, 2]])) == [102, 103, 101])
  }

  @Test(arguments: [false, true])
  func `a busy orphan is below the target, a process of another parent is not`(
    hasEnded: Bool
  ) throws {
    let before = table(1, [5, 60, 1])
    var rows = before.rows
    if hasEnded {
      rows[0].end = .exited(0)
      rows[0].parent = 0
    }
    rows[2].parent = 1
    rows[2].isOrphan = true
    // As in a job of a shell, whose leader is the target.
    rows[3].parent = 50
    var listing = ProcessListing()
    listing.update(
      ProcessTable(request: before.request, time: before.time, rows: rows), by: .cpu, isTree: true,
      root: 100)
    let depths = listing.entries.map { (rows[$0.index].pid, $0.depth) }
    #expect(depths.map(\.0) == (hasEnded ? [103, 100, 102, 101] : [100, 102, 101, 103]))
    #expect(depths.allSatisfy { $0.1 == ([101, 102].contains($0.0) ? 1 : 0) }, "\(depths)")
  }

  @Test func `children that are busy in turn keep their places`() {
    var shares: [[Double]] = [[40, 0, 0], [40, 10, 0]]
    for number in 0..<20 { shares.append(number % 2 == 0 ? [0, 40, 5] : [40, 0, 20]) }
    for count in 2...shares.count {
      #expect(children(listing(Array(shares.prefix(count)))) == [101, 102, 103], "\(count)")
    }
    // One after the other.
    let inTurn = (0..<30).map { number in (0..<3).map { number % 3 == $0 ? 40.0 : 0 } }
    let first = children(listing(Array(inTurn.prefix(4))))
    for count in 4...inTurn.count {
      #expect(children(listing(Array(inTurn.prefix(count)))) == first, "\(count)")
    }
  }

  /// Its mean share has to be a tenth greater for a second: a second ago it was 40 %, then 45 %.
  @Test(arguments: [(4, false), (5, true)])
  func `a child whose mean share is clearly greater moves up`(lists: Int, hasMoved: Bool) {
    let before = [[Double]](repeating: [40, 30], count: 12)
    let after = [[Double]](repeating: [40, 50], count: lists)
    #expect(children(listing(before + after)) == (hasMoved ? [102, 101] : [101, 102]))
  }

  /// The root and two children with 30 and 10 %.
  @Test func `the row of those that have ended is early while they use much`() {
    var listing = ProcessListing()
    func row(_ number: Int, whole: Double, isTree: Bool) -> Int? {
      var ended = EndedProcesses()
      ended.count = 3
      let rows = table(number, [30, 10]).rows
      let table = ProcessTable(
        request: ProcessTableRequest(.processes), time: table(number, []).time, rows: rows,
        ended: ended)
      listing.update(table, by: .cpu, isTree: isTree, wholePercent: whole, root: 100)
      return listing.endedRow
    }
    // In a tree always below the root.
    #expect(row(0, whole: 40, isTree: true) == 1)
    #expect(listing.entry(inRow: 1) == nil && listing.entry(inRow: 2)?.index == 1)
    #expect(listing.row(of: Target(pid: 101, startTicks: 101)) == 2)
    #expect(listing.endedChild?.isLast == false)
    #expect(row(1, whole: 60, isTree: true) == 1)
    #expect(row(2, whole: 40, isTree: false) == 3)
    #expect(listing.endedChild == nil)
    // Also where a process without a parent in the list comes first.
    var rows = table(3, [30]).rows
    rows[1].parent = 7
    var ended = EndedProcesses()
    ended.count = 3
    listing.update(
      ProcessTable(
        request: ProcessTableRequest(.processes), time: table(3, []).time, rows: rows,
        ended: ended), by: .cpu, isTree: true, root: 100)
    let root = listing.row(of: Target(pid: 100, startTicks: 100))
    #expect(listing.entry(inRow: 0)?.index == 1 && root == 1)
    #expect(listing.endedRow == 2 && listing.endedChild?.isLast == true)
    // Between 30 and 10 %, and above both.
    #expect(row(4, whole: 60, isTree: false) == 1)
    #expect(row(5, whole: 42, isTree: false) == 2, "it stays among those with more than nothing")
    #expect(row(6, whole: 80, isTree: false) == 0)
    #expect(listing.entry(inRow: 1)?.index == 1 && listing.entry(inRow: 3)?.index == 0)
    #expect(row(7, whole: 40, isTree: false) == 3)
  }

  @Test func `a new process that is busy finds its place at once`() {
    var listing = listing([[Double]](repeating: [2, 1], count: 8))
    #expect(children(listing) == [101, 102])
    listing.update(table(8, [2, 1, 60]), by: .cpu, isTree: false)
    #expect(children(listing) == [103, 101, 102])
  }

  @Test func `threads are sorted by the mean that their rows show`() {
    var listing = ProcessListing()
    let tables: [([Double], [Int32])] = [
      ([40, 0], [101, 102]), ([40, 0], [101, 102]),
      // Means of 20 and 25 %, then of 27 and 17 %.
      ([0, 50], [102, 101]), ([40, 0], [101, 102]),
    ]
    for (number, (shares, order)) in tables.enumerated() {
      let table = table(number, shares)
      listing.update(
        ProcessTable(request: ProcessTableRequest(.threads), time: table.time, rows: table.rows),
        by: .cpu, isTree: false)
      #expect(children(listing) == order, "\(number)")
    }
  }

  @Test func `shares that are nearly the same keep their places`() {
    let before = [[Double]](repeating: [40, 20], count: 4)
    let after = [[Double]](repeating: [40, 44], count: 20)
    #expect(children(listing(before + after)) == [101, 102])
  }

  @Test func `in a list that is held no row moves, and a new one comes last`() {
    var listing = listing([[40, 0], [40, 0]])
    for number in 2..<20 {
      listing.update(table(number, [0, 90, 95]), by: .cpu, isTree: true, isHeld: true)
    }
    #expect(children(listing) == [101, 102, 103])
    listing.update(table(20, [0, 90, 95]), by: .cpu, isTree: true)
    #expect(children(listing) == [102, 103, 101])
  }

  @Test func `another order is there at once, also in a list that is held`() {
    var listing = listing([[40, 0], [40, 0]])
    let table = table(2, [40, 0], mebibytes: [1, 2])
    listing.update(table, by: .cpu, isTree: true, isHeld: true)
    #expect(children(listing) == [101, 102])
    listing.update(table, by: .memory, isTree: true, isHeld: true)
    #expect(children(listing) == [102, 101])
  }

  @Test(arguments: [(10, false), (12, true)])
  func `by memory a tenth counts`(mebibytes: UInt64, hasMoved: Bool) {
    var listing = ProcessListing()
    for number in 0..<3 {
      listing.update(table(number, [0, 0], mebibytes: [10, 9]), by: .memory, isTree: false)
    }
    listing.update(
      table(3, [0, 0], mebibytes: [10, mebibytes]), by: .memory, isTree: false)
    #expect(children(listing) == (hasMoved ? [102, 101] : [101, 102]))
  }

  @Test func `a process with the pid of one that has ended has no place of its own`() {
    var listing = listing([[40, 50], [40, 90]])
    #expect(children(listing) == [102, 101])
    let next = table(2, [40, 30])
    let rows = next.rows.map { row in
      var row = row
      if row.pid == 102 { row.startTicks = 7 }
      return row
    }
    listing.update(
      ProcessTable(request: next.request, time: next.time, rows: rows), by: .cpu, isTree: true)
    #expect(children(listing) == [101, 102])
  }
}
