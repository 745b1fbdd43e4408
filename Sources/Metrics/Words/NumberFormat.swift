import PerfHUDBase
import Sampler

/// Formats values with their unit as text of fixed width, without an allocation.
///
/// A value keeps its width from the least to the greatest value that it can take in practice, so
/// nothing beside it moves; it has as many digits as its source provides.
package enum NumberFormat {
  /// Width of `percent`: `  7.1 %`, ` 37.2 %`, `100.0 %`, ` 1540 %`.
  package static let percentWidth = 7
  /// Width of `bytes`: `    512 B`, `182.4 MiB`, `1.834 GiB`.
  package static let bytesWidth = 9
  /// Width of `count`: `  312`, `12.3k`.
  package static let countWidth = 5

  /// A value in its unit, of fixed width. Rates are counts: their unit is in the label.
  package static func fixedWidth(_ value: Double, unit: Unit) -> ShortText {
    switch unit {
    case .percent: percent(value)
    case .bytes: bytes(value)
    case .bytesPerSecond: rate(value)
    case .milliseconds: milliseconds(value)
    case .seconds: duration(seconds: value)
    case .count, .perSecond, .framesPerSecond, .millisecondsPerSecond: count(value)
    }
  }

  /// A value with its unit, without padding.
  package static func trimmed(_ value: Double, unit: Unit) -> ShortText {
    var text = fixedWidth(value, unit: unit).trimmed
    switch unit {
    case .perSecond: text.append("/s")
    case .framesPerSecond: text.append(" FPS")
    case .millisecondsPerSecond: text.append(" ms/s")
    default: break
    }
    return text
  }

  /// One decimal up to 999.9 %, none above.
  package static func percent(_ value: Double) -> ShortText {
    var text = ShortText()
    fixed(value, width: 5, into: &text, decimals: value.magnitude < 999.95 ? 1 : 0)
    text.append(" %")
    return text
  }

  /// Four significant digits of B, KiB, MiB, GiB or TiB (IEC 80000-13).
  package static func bytes(_ value: Double) -> ShortText {
    var text = ShortText()
    appendBytes(value, to: &text)
    return text
  }

  /// The same with three digits from 1 KiB on, which leaves a column for a mark before the value.
  package static func bytesAfterMark(_ value: Double) -> ShortText {
    var text = ShortText()
    appendBytes(value, hasThreeDigits: true, to: &text)
    return text
  }

  /// The same as `bytes` without padding and without zeros at the end of a fraction: `48 MiB`, `1.25 GiB`.
  package static func roundBytes(_ value: Double) -> ShortText {
    let long = bytes(value).trimmed
    var unit = 0
    var point: Int?
    while unit < long.count, long[unit] != UInt8(ascii: " ") {
      if long[unit] == UInt8(ascii: ".") { point = unit }
      unit += 1
    }
    guard let point else { return long }
    var end = unit
    while long[end - 1] == UInt8(ascii: "0") { end -= 1 }
    if end - 1 == point { end = point }
    var text = ShortText()
    var index = 0
    while index < long.count {
      if index < end || index >= unit { text.append(long[index]) }
      index += 1
    }
    return text
  }

  /// The same as `bytes`, per second.
  package static func rate(_ value: Double) -> ShortText {
    var text = bytes(value)
    text.append("/s")
    return text
  }

  /// A whole number up to 99999, then thousands (k), millions (M), … with three digits.
  package static func count(_ value: Double) -> ShortText {
    var text = ShortText()
    guard value.magnitude >= 99_999.5 else {
      fixed(value, width: 5, into: &text, decimals: 0)
      return text
    }
    let units: InlineArray<5, UInt8> = [0x6B, 0x4D, 0x47, 0x54, 0x50]  // k M G T P
    var rest = value / 1000
    var unit = 0
    while rest.magnitude >= 999.5, unit < 4 {
      rest /= 1000
      unit += 1
    }
    fixed(rest, width: 4, into: &text, decimals: rest.magnitude < 99.95 ? 1 : 0)
    text.append(units[unit])
    return text
  }

  /// Two decimals below 100 ms, none above; seconds from 10 s on.
  package static func milliseconds(_ value: Double) -> ShortText {
    var text = ShortText()
    if value < 9_999.5 {
      fixed(value, width: 5, into: &text, decimals: value < 99.995 ? 2 : value < 999.95 ? 1 : 0)
      text.append(" ms")
    } else {
      fixed(value / 1000, width: 5, into: &text, decimals: 1)
      text.append("  s")
    }
    return text
  }

  /// A chosen interval, with no more decimals than it has: `100 ms`, `1 s`, `2.5 s`.
  package static func interval(nanoseconds: UInt64) -> ShortText {
    var text = ShortText()
    let milliseconds = nanoseconds / 1_000_000
    guard milliseconds >= 1000 else {
      text.append(decimal: milliseconds)
      text.append(" ms")
      return text
    }
    let decimals =
      milliseconds % 1000 == 0 ? 0 : milliseconds % 100 == 0 ? 1 : milliseconds % 10 == 0 ? 2 : 3
    text.append(Double(milliseconds) / 1000, decimals: decimals)
    text.append(" s")
    return text
  }

  /// Frames per second, without decimals, since the source counts whole frames. Width 3.
  package static func framesPerSecond(_ value: Double) -> ShortText {
    var text = ShortText()
    fixed(value, width: 3, into: &text, decimals: 0)
    return text
  }

  /// `8s`, `3m12s`, `2h05m`, `3d04h`; its width is not fixed.
  package static func duration(seconds: Double) -> ShortText {
    var text = ShortText()
    let whole = UInt64(max(0, min(seconds, 1e15)))
    let zero = UInt8(ascii: "0")
    if whole < 60 {
      text.append(decimal: whole)
    } else if whole < 3600 {
      text.append(decimal: whole / 60)
      text.append(UInt8(ascii: "m"))
      text.append(decimal: whole % 60, width: 2, pad: zero)
    } else if whole < 86_400 {
      text.append(decimal: whole / 3600)
      text.append(UInt8(ascii: "h"))
      text.append(decimal: whole / 60 % 60, width: 2, pad: zero)
      text.append(UInt8(ascii: "m"))
      return text
    } else {
      text.append(decimal: whole / 86_400)
      text.append(UInt8(ascii: "d"))
      text.append(decimal: whole / 3600 % 24, width: 2, pad: zero)
      text.append(UInt8(ascii: "h"))
      return text
    }
    text.append(UInt8(ascii: "s"))
    return text
  }

  /// Bytes with the fewest digits that can label an axis: `0`, `64M`, `1.5G`; at most 5 wide.
  package static func axis(_ value: Double) -> ShortText {
    var text = ShortText()
    let units: InlineArray<5, UInt8> = [0x42, 0x4B, 0x4D, 0x47, 0x54]  // B K M G T
    var rest = value
    var unit = 0
    while rest >= 1024, unit < 4 {
      rest /= 1024
      unit += 1
    }
    guard value > 0 else {
      text.append(UInt8(ascii: "0"))
      return text
    }
    let isWhole = (rest - rest.rounded()).magnitude < 0.005
    let hasTenths = (rest * 10 - (rest * 10).rounded()).magnitude < 0.05
    text.append(rest, decimals: isWhole || rest >= 100 ? 0 : hasTenths || rest >= 10 ? 1 : 2)
    text.append(units[unit])
    return text
  }

  private static func appendBytes(
    _ value: Double, hasThreeDigits: Bool = false, to text: inout ShortText
  ) {
    guard value.magnitude >= 1023.5 else {
      fixed(value, width: 7, into: &text, decimals: 0)
      text.append(" B")
      return
    }
    let units: InlineArray<5, UInt8> = [0x4B, 0x4D, 0x47, 0x54, 0x50]  // K M G T P
    var rest = value / 1024
    var unit = 0
    while rest.magnitude >= 1023.5, unit < 4 {
      rest /= 1024
      unit += 1
    }
    let size = rest.magnitude
    let decimals =
      hasThreeDigits
      ? size < 9.995 ? 2 : size < 99.95 ? 1 : 0
      : size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0
    fixed(rest, width: 5, into: &text, decimals: decimals)
    text.append(UInt8(ascii: " "))
    text.append(units[unit])
    text.append("iB")
  }

  /// The number, padded on the left.
  private static func fixed(
    _ value: Double, width: Int, into text: inout ShortText, decimals: Int
  ) {
    var number = ShortText()
    number.append(value, decimals: decimals)
    var missing = width - number.count
    while missing > 0 {
      text.append(UInt8(ascii: " "))
      missing -= 1
    }
    text.append(number)
  }
}

extension ShortText {
  /// The text without the leading blanks that keep its width.
  package var trimmed: ShortText {
    var text = ShortText()
    for index in 0..<count where text.count > 0 || self[index] != 0x20 { text.append(self[index]) }
    return text
  }
}
