import Metrics
import PerfHUDBase
import Sampler

/// Where a reader stores the next record.
///
/// Each sample is read into the same place: passing it on as a `Record`, which has room for any kind, took longer than
/// applying it.
package struct NextRecord: Sendable {
  /// The record, if `isSample` is set.
  package internal(set) var sample = Sample()
  package internal(set) var isSample = false
  /// A record that is not a sample.
  package internal(set) var other: Record?
  private let anchor = Anchor()

  package init() {}

  /// Whether there is a record.
  package var isThere: Bool { isSample || other != nil }

  /// A copy of it; `nil` if there is none.
  package var record: Record? { isSample ? .sample(sample) : other }

  package var time: Instant? { isSample ? sample.time : other?.time }

  mutating func clear() {
    isSample = false
    if other != nil { other = nil }
  }
}
