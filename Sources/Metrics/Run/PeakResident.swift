/// The greatest resident memory of a run: the greater of what was sampled, of the target with its descendants, and
/// what the kernel says of the largest process of a command, which no sampling can miss.
package struct PeakResident: Hashable, Sendable {
  /// In bytes.
  package let bytes: Double
  /// The part of a single process, in bytes; `nil` where the kernel has not said it.
  package let largestProcess: Double?
  /// Whether the true values may be less.
  package let isUpperBound: Bool

  /// By how much a sample may exceed what the kernel says of the same process.
  private static let lateShare = 1.02

  /// - Parameters:
  ///   - peaks: of the whole run; a sample makes a mere bound of the kernel superfluous.
  ///   - end: of a command that perfhud started, else `nil`.
  package init?(_ peaks: Peaks, end: CommandEnd?) {
    if let exact = end?.exactMaxResident {
      // The kernel adds up its counters late, so a sample may be a little more. Far more is of another process: the
      // HUD over a command may show one.
      let alone = peaks.residentAlone ?? 0
      let largest = alone <= exact * PeakResident.lateShare ? max(exact, alone) : exact
      largestProcess = largest
      bytes = max(largest, peaks.resident ?? 0)
      isUpperBound = false
    } else if let sampled = peaks.resident {
      bytes = sampled
      largestProcess = nil
      isUpperBound = false
    } else if let most = end?.maxResidentBytes {
      bytes = Double(most)
      largestProcess = bytes
      isUpperBound = true
    } else {
      return nil
    }
  }
}

extension CommandEnd {
  /// The greatest resident memory of a single process, in bytes, unless that is only an upper bound.
  var exactMaxResident: Double? {
    maxResidentIsBound ? nil : maxResidentBytes.map { Double($0) }
  }
}
