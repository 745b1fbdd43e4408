/// A time as a user writes it: `100ms`, `2s`, `1.5`, `5m`, `1h`; a bare number counts seconds.
package enum DurationText {
  /// The shortest text for a time in whole milliseconds: `100ms`, `2s`, `5m`, `1h`.
  package static func text(_ nanoseconds: UInt64) -> String {
    let milliseconds = nanoseconds / 1_000_000
    if milliseconds == 0 || milliseconds % 1000 != 0 { return "\(milliseconds)ms" }
    let seconds = milliseconds / 1000
    if seconds % 3600 == 0 { return "\(seconds / 3600)h" }
    return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
  }

  /// - Returns: nanoseconds; `nil` if the text is not a time, or is longer than 100 years.
  package static func nanoseconds(_ text: String) -> UInt64? {
    let units: [(String, Double)] = [
      ("ms", 1e6), ("us", 1e3), ("s", 1e9), ("m", 60e9), ("h", 3600e9), ("", 1e9),
    ]
    for (suffix, scale) in units where text.hasSuffix(suffix) {
      let number = text.dropLast(suffix.count)
      // Double("0x10") and Double("inf") also succeed, but are not valid here.
      guard number.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
        let value = Double(number), value * scale < 3.2e18
      else { return nil }
      return UInt64((value * scale).rounded())
    }
    return nil
  }
}
