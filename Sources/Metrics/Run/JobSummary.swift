import PerfHUDBase

/// What a job of a shell has used, in one line.
package struct JobSummary: Sendable, Equatable {
  /// The name of its first process, as the kernel has it.
  package var name: String
  package var wallSeconds: Double
  /// `nil` if it cannot be read.
  package var cpuSeconds: Double?
  /// The greatest value of the leading memory metric; `nil` if no sample had one.
  package var peakBytes: Double?
  /// Whether that is a lower bound.
  package var peakIsLowerBound: Bool

  package init(
    name: String, wallSeconds: Double, cpuSeconds: Double?, peakBytes: Double?,
    peakIsLowerBound: Bool = false
  ) {
    self.name = name
    self.wallSeconds = wallSeconds
    self.cpuSeconds = cpuSeconds
    self.peakBytes = peakBytes
    self.peakIsLowerBound = peakIsLowerBound
  }

  /// `make: 12.4 s, CPU 21.3 s, peak 212.0 MiB`
  package func text(_ language: Language) -> String {
    var parts = [JobSummary.time(wallSeconds)]
    if let cpuSeconds { parts.append("CPU \(JobSummary.time(cpuSeconds))") }
    if let peakBytes {
      let bytes = NumberFormat.bytes(peakBytes).description.drop { $0 == " " }
      let words = "\(Word.summaryPeakBytes.text(language))".split(
        separator: "#", omittingEmptySubsequences: false)
      parts.append(words.joined(separator: (peakIsLowerBound ? "≥ " : "") + bytes))
    }
    return "\(SafeText.clean(name, limit: 20)): \(parts.joined(separator: ", "))"
  }

  /// `12.4 s`; from one minute on `3m12s`.
  private static func time(_ seconds: Double) -> String {
    guard seconds < 59.95 else {
      return NumberFormat.duration(seconds: seconds.rounded()).description
    }
    var text = ShortText()
    text.append(max(0, seconds), decimals: 1)
    return "\(text) s"
  }
}
