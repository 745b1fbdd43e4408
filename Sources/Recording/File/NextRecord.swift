import Metrics
import PerfHUDBase
import Sampler

/// Where a reader puts the next record.
///
/// A sample has a place of its own, which each sample is read into: to hand each one on as a `Record`, which has room
/// for anything, took more time than to apply it.
package struct NextRecord: Sendable {
  /// Where `isSample` is set, the record.
  package internal(set) var sample = Sample()
  package internal(set) var isSample = false
  /// A record that is no sample.
  package internal(set) var other: Record?
  private let anchor = Anchor()

  package init() {}

  /// Whether there is one.
  package var isThere: Bool { isSample || other != nil }

  /// A copy of it; `nil` if there is none.
  package var record: Record? { isSample ? .sample(sample) : other }

  package var time: Instant? { isSample ? sample.time : other?.time }

  mutating func clear() {
    isSample = false
    if other != nil { other = nil }
  }
}
