import PerfHUDBase

/// The shortest forms of values, for a HUD that leaves the screen to the program; none is padded.
extension NumberFormat {
  /// The greatest width of `compactPercent`, `compactBytes` and `compactRate`: `1540 %`, `1023M`, `999K/s`.
  package static let compactWidth = 6
  /// The greatest width of `shortBytes`.
  package static let shortBytesWidth = 4

  /// One decimal below 10 %, none above: `0 %`, `6.2 %`, `194 %`.
  package static func compactPercent(_ value: Double) -> ShortText {
    var text = ShortText()
    text.append(value, decimals: value >= 0.05 && value < 9.95 ? 1 : 0)
    text.append(" %")
    return text
  }

  /// The same without the blank from 1000 % on: `9.9 %`, `1540%`. At most 5 wide below 10000 %.
  package static func shortPercent(_ value: Double) -> ShortText {
    guard value >= 999.5 else { return compactPercent(value) }
    var text = ShortText()
    text.append(value, decimals: 0)
    text.append("%")
    return text
  }

  /// Three significant digits of B, K, M, G, T or P, the powers of 1024: `0`, `13.6M`. At most 5 wide.
  package static func compactBytes(_ value: Double) -> ShortText {
    let (rest, unit) = scaled(value, limit: 1023.5)
    var text = ShortText()
    text.append(rest, decimals: unit == 0 || rest >= 99.95 ? 0 : rest >= 9.995 ? 1 : 2)
    if value > 0 { text.append(unitLetters[unit]) }
    return text
  }

  /// Two significant digits at least: `0`, `1.2M`, `68K`, `999B`. At most 4 wide.
  package static func shortBytes(_ value: Double) -> ShortText {
    let (rest, unit) = scaled(value, limit: 999.5)
    var text = ShortText()
    text.append(rest, decimals: unit == 0 || rest >= 9.95 ? 0 : 1)
    if value > 0 { text.append(unitLetters[unit]) }
    return text
  }

  /// Bytes a second: `0/s`, `68K/s`. At most 6 wide.
  package static func compactRate(_ value: Double) -> ShortText {
    var text = shortBytes(value)
    text.append("/s")
    return text
  }

  /// A whole number up to 999, then thousands (k) or millions (M) with a decimal below 10: `79`, `1.2k`, `310k`. At most
  /// 4 wide below a billion.
  package static func shortCount(_ value: Double) -> ShortText {
    var text = ShortText()
    guard value >= 999.5 else {
      text.append(value, decimals: 0)
      return text
    }
    let isMillions = value >= 999_500
    let rest = value / (isMillions ? 1_000_000 : 1000)
    text.append(rest, decimals: rest < 9.95 ? 1 : 0)
    text.append(isMillions ? "M" : "k")
    return text
  }

  /// One decimal below 100 ms, none above; seconds from 1 s on: `<0.1 ms`, `18.2 ms`. At most 7 wide.
  package static func compactMilliseconds(_ value: Double) -> ShortText {
    milliseconds(value, tenthsBelow: 99.95, least: "<0.1 ms")
  }

  /// Two significant digits at least: `<1 ms`, `8.3 ms`, `17 ms`, `1.2 s`. At most 6 wide.
  package static func shortMilliseconds(_ value: Double) -> ShortText {
    milliseconds(value, tenthsBelow: 9.95, least: "<1 ms")
  }

  /// - Parameters:
  ///   - tenthsBelow: Below this value, in milliseconds or in seconds, a decimal is shown.
  ///   - least: What stands for less than 0.05 ms.
  private static func milliseconds(
    _ value: Double, tenthsBelow limit: Double, least: StaticString
  ) -> ShortText {
    var text = ShortText()
    if value < 0.05 {
      text.append(least)
    } else if value < 999.5 {
      text.append(value, decimals: value < limit ? 1 : 0)
      text.append(" ms")
    } else {
      text.append(value / 1000, decimals: value < limit * 1000 ? 1 : 0)
      text.append(" s")
    }
    return text
  }

  /// How long something has run: seconds in the first hour, then `2h05m`, `3d04h`. At most 6 wide in practice.
  ///
  /// - Parameter isFinal: Whether it has ended: then with tenths of a second in the first minute.
  package static func elapsed(seconds: Double, isFinal: Bool = false) -> ShortText {
    guard isFinal, seconds < 59.95 else { return duration(seconds: seconds) }
    var text = ShortText()
    text.append(max(0, seconds), decimals: 1)
    text.append("s")
    return text
  }

  private static var unitLetters: InlineArray<6, UInt8> {
    [0x42, 0x4B, 0x4D, 0x47, 0x54, 0x50]  // B K M G T P
  }

  private static func scaled(_ value: Double, limit: Double) -> (rest: Double, unit: Int) {
    var rest = value
    var unit = 0
    while rest.magnitude >= limit, unit < 5 {
      rest /= 1024
      unit += 1
    }
    return (rest, unit)
  }
}
