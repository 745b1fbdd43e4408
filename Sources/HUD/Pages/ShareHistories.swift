import PerfHUDBase
import Sampler

/// The last CPU shares of the rows of a list, for the sparkline in each row, and their last waits for a core.
///
/// It grows with each new table of the list, and reuses its memory.
struct ShareHistories: Sendable {
  /// The number of shares that a row keeps.
  static let capacity = 144
  /// The number of shares in the sparkline of a list with many other columns.
  static let shortCapacity = 16
  /// The number of shares in a mean, one every half second.
  private static let meanCount = 4
  /// A list with smaller shares than this, in percent of one core, does not fill its sparklines.
  private static let leastScale = 5.0

  private struct Shares: BitwiseCopyable {
    var pid: Int32
    var startTicks: UInt64
    /// In percent of one core, the newest first; negative where the row had none.
    var values: InlineArray<144, Float>
    /// The shares of the time for which it waited for a core, in percent; the same.
    var waits: InlineArray<4, Float>

    func isOf(_ row: ProcessRow) -> Bool { row.pid == pid && row.startTicks == startTicks }

    /// - Parameter missed: the number of shares that are missing before this one.
    mutating func add(_ share: Float, wait: Float?, missed: Int) {
      let step = 1 + missed
      var age = ShareHistories.capacity - 1
      while age >= 0 {
        values[age] = age >= step ? values[age - step] : -1
        age -= 1
      }
      age = ShareHistories.meanCount - 1
      while age >= 0 {
        waits[age] = age >= step ? waits[age - step] : -1
        age -= 1
      }
      values[0] = share
      waits[0] = wait ?? -1
    }
  }

  /// In the order of the table's rows.
  private var shares: [Shares] = []
  private var former: [Shares] = []
  /// The greatest share of all rows among the newest ones, by their number less one; in percent of one core.
  private var greatest = InlineArray<144, Float>(repeating: 0)
  /// When the last table was made, and the time between two tables, in nanoseconds.
  private var time: Instant?
  private var period: Int64 = 0

  /// The share that fills a cell of sparklines with a number of cells, in percent of one core.
  func scale(cells: Int) -> Double {
    let last = max(0, min(cells, ShareHistories.capacity) - 1)
    return max(ShareHistories.leastScale, Double(greatest[last]))
  }

  /// How many tables there would have been since the last one, had the list not been hidden or paused.
  private mutating func missed(_ rows: [ProcessRow], at now: Instant) -> Int {
    defer { time = now }
    // The first table of a list that was hidden has no shares, so no interval.
    if let row = rows.first(where: { $0.cpuPercent != nil }) {
      period = Int64(clamping: row.intervalNanoseconds)
    }
    guard let time, period > 0 else { return 0 }
    let elapsed = max(0, now.nanoseconds(since: time))
    return Int(clamping: max(0, (elapsed + period / 2) / period - 1))
  }

  /// Adds the shares of a new table.
  ///
  /// Complexity: O(n) while the rows keep their order, at worst O(n²) for at most some 300 rows.
  ///
  /// A table of the time of the last one changes nothing: a list that is shown again still has its last table, until there
  /// is a new one. An earlier table begins anew: a replay has gone back.
  mutating func add(_ rows: [ProcessRow], at now: Instant) {
    if let time, now <= time {
      if now == time { return }
      shares.removeAll(keepingCapacity: true)
      self.time = nil
    }
    let missed = min(missed(rows, at: now), ShareHistories.capacity)
    swap(&shares, &former)
    shares.removeAll(keepingCapacity: true)
    greatest = InlineArray(repeating: 0)
    // Rows mostly keep their order, so the next one is looked for behind the last one found.
    var next = 0
    for row in rows {
      var entry = Shares(
        pid: row.pid, startTicks: row.startTicks, values: .init(repeating: -1),
        waits: .init(repeating: -1))
      let share = row.cpuPercent.map { Float($0) }
      if let place = place(of: row, from: next) {
        next = place + 1
        entry = former[place]
      }
      entry.add(share ?? -1, wait: row.waitPercent.map { Float($0) }, missed: missed)
      var age = 0
      while age < ShareHistories.capacity {
        greatest[age] = max(greatest[age], entry.values[age])
        age += 1
      }
      shares.append(entry)
    }
    var age = 1
    while age < ShareHistories.capacity {
      greatest[age] = max(greatest[age], greatest[age - 1])
      age += 1
    }
  }

  private func place(of row: ProcessRow, from start: Int) -> Int? {
    for offset in former.indices {
      let place = (start + offset) % former.count
      if former[place].isOf(row) { return place }
    }
    return nil
  }

  /// The mean share of a row in the last two seconds, or since it is there, in percent of one core; `nil` before its
  /// first one.
  ///
  /// - Parameter age: how many tables ago these two seconds ended.
  func mean(row: Int, age: Int = 0) -> Double? {
    guard shares.indices.contains(row) else { return nil }
    return ShareHistories.mean { shares[row].values[age + $0] }
  }

  /// The mean wait of a row for a core over the same time, in percent of the time; `nil` before its first one.
  func meanWait(row: Int) -> Double? {
    guard shares.indices.contains(row) else { return nil }
    return ShareHistories.mean { shares[row].waits[$0] }
  }

  private static func mean(_ value: (Int) -> Float) -> Double? {
    var sum = 0.0
    var count = 0
    for age in 0..<meanCount where value(age) >= 0 {
      sum += Double(value(age))
      count += 1
    }
    return count > 0 ? sum / Double(count) : nil
  }

  /// A share of a row some tables ago, in percent of one core; `nil` if the row had none.
  func share(row: Int, age: Int) -> Double? {
    guard shares.indices.contains(row), age < ShareHistories.capacity else { return nil }
    let value = shares[row].values[age]
    return value < 0 ? nil : Double(value)
  }
}
