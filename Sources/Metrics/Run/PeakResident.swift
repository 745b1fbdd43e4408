/// The greatest resident memory of a run: either the greatest sample of the target with its descendants, or what the
/// kernel reports for the largest process of a command, which sampling cannot miss. The greater of the two.
package struct PeakResident: Hashable, Sendable {
  /// In bytes.
  package let bytes: Double
  /// The greatest value of a single process, in bytes; `nil` if the kernel has not reported it.
  package let largestProcess: Double?
  /// Whether the true values may be less.
  package let isUpperBound: Bool

  /// The factor by which a sample may exceed the kernel's value for the same process.
  private static let lateShare = 1.02

  /// - Parameters:
  ///   - peaks: the peaks of the whole run. If there is a sample, a value of the kernel that is only a bound is not
  ///     used.
  ///   - end: the end of the command that perfhud started; `nil` if it started none.
  package init?(_ peaks: Peaks, end: CommandEnd?) {
    if let exact = end?.exactMaxResident {
      // The kernel sums its counters late, so a sample may be slightly greater. A much greater one belongs to another
      // process: the HUD over a command may show one.
      let alone = peaks.residentAlone ?? 0
      let largest = alone <= exact * PeakResident.lateShare ? max(exact, alone) : exact
      largestProcess = largest
      bytes = max(largest, peaks.resident ?? 0)
      isUpperBound = false
    } else if let sampled = peaks.resident {
      bytes = max(sampled, peaks.residentMark ?? 0)
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

extension PeakResident {
  /// By how much the process exceeded all samples at its peak, in bytes, however small a share that is; 0 if it is no
  /// more than noise, or not known. Resident memory is compared with resident memory, so file pages are in both.
  ///
  /// - Parameter peaks: the greatest values of the samples.
  package func unseen(by peaks: Peaks) -> Double {
    guard let largestProcess, !isUpperBound, let read = peaks.residentRead else { return 0 }
    let excess = largestProcess - read
    return excess > MissedPeak.noise ? excess : 0
  }

  /// By how much the process exceeded all samples at its peak, in bytes; 0 if a sample saw the peak, or nearly. A program
  /// that lives for a moment, or takes memory for one, reaches its peak between two samples.
  ///
  /// - Parameter peaks: the greatest values of the samples.
  package func missed(by peaks: Peaks) -> Double {
    guard let largestProcess, !isUpperBound, let read = peaks.residentRead,
      MissedPeak.isShown(largestProcess, over: read)
    else { return 0 }
    return largestProcess - read
  }
}

extension CommandEnd {
  /// The greatest resident memory of a single process, in bytes, unless that is only an upper bound.
  var exactMaxResident: Double? {
    maxResidentIsBound ? nil : maxResidentBytes.map { Double($0) }
  }
}
