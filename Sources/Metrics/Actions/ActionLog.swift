import PerfHUDBase
import PerfHUDEvents

/// The log of actions: the last 512, with repeats merged into one entry.
///
/// An action is a repeat if one of the last 8 entries has the same name and detail and is less than 2 s old, or has
/// only the same name and is less than 0.1 s old. In the second case only the newest detail is kept.
package struct ActionLog: Sendable {
  package static let capacity = 512
  private static let lookBack = 8
  private static let sameGap: Int64 = 2_000_000_000
  private static let fastGap: Int64 = 100_000_000

  package struct Entry: BitwiseCopyable, Sendable {
    /// When it happened first, and when it happened last.
    package internal(set) var first = Instant(nanoseconds: 0)
    package internal(set) var last = Instant(nanoseconds: 0)
    package internal(set) var name = Event.Name()
    /// The newest detail.
    package internal(set) var detail = Event.Detail()
    /// The number of repeats, from 1 to `UInt32.max`.
    package internal(set) var count: UInt32 = 0
    /// Whether the details of the repeats differ.
    package internal(set) var detailsDiffer = false
  }

  private var entries = [Entry](repeating: Entry(), count: capacity)
  private var ring = RingIndex<512>()
  package var count: Int { ring.count }
  /// The number of entries that newer ones have replaced.
  package private(set) var dropped: UInt64 = 0

  /// The entry `age` entries ago; 0 is the newest.
  package subscript(age: Int) -> Entry { entries[ring.slot(age: age)] }

  mutating func add(_ event: Event, at time: Instant) {
    for age in 0..<min(count, ActionLog.lookBack) {
      let index = ring.slot(age: age)
      guard entries[index].name == event.name else { continue }
      let gap = time.nanoseconds(since: entries[index].last)
      let isSame = entries[index].detail == event.detail
      guard gap < (isSame ? ActionLog.sameGap : ActionLog.fastGap) else { continue }
      let (sum, overflow) = entries[index].count.addingReportingOverflow(event.count)
      entries[index].count = overflow ? .max : sum
      entries[index].last = max(entries[index].last, time)
      if !isSame {
        entries[index].detail = event.detail
        entries[index].detailsDiffer = true
      }
      return
    }
    if count == ActionLog.capacity { dropped += 1 }
    let index = ring.advance()
    entries[index].first = time
    entries[index].last = time
    entries[index].name = event.name
    entries[index].detail = event.detail
    entries[index].count = event.count
    entries[index].detailsDiffer = false
  }
}
