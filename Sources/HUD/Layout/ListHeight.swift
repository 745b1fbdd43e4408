import PerfHUDBase

/// The rows of a list whose content comes and goes: graphs above it that move with each row could not be read. Pure.
struct ListHeight: Sendable {
  /// How long a list has to be shorter before it gives rows away, in nanoseconds.
  static let patience: Int64 = 10_000_000_000

  private var page: ListPage?
  /// Whether the rows were only expected.
  private var isGuess = false
  /// The rows for the list.
  private(set) var rows = 0
  /// The most rows needed since then.
  private var needed = 0
  private var since = Instant(nanoseconds: 0)

  /// Returns the rows for a list: at once more, but fewer only after a while, unless the rows were only expected so far.
  ///
  /// - Parameters:
  ///   - wanted: the rows that the list needs now.
  ///   - isGuess: whether the rows are only expected, because the list has none yet.
  ///   - now: the time of the run.
  mutating func update(
    _ wanted: Int, isGuess: Bool = false, page: ListPage, now: Instant
  ) -> Int {
    guard page == self.page, isGuess == self.isGuess, wanted < rows, now >= since else {
      self.page = page
      self.isGuess = isGuess
      (rows, needed, since) = (wanted, 0, now)
      return rows
    }
    needed = max(needed, wanted)
    if now.nanoseconds(since: since) >= ListHeight.patience {
      (rows, needed, since) = (needed, wanted, now)
    }
    return rows
  }
}
