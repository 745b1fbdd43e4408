/// A destination for bytes: a fixed buffer on the stack, or an array that grows.
public protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
}

extension Array: ByteSink where Element == UInt8 {
  @inlinable public mutating func append(_ text: StaticString) {
    unsafe append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// Writes numbers and text without `String` and without an allocation.
extension ByteSink where Self: ~Copyable {
  @inlinable public mutating func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[index]) }
  }

  @inlinable public mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  @inlinable public mutating func append(_ text: ShortText) { append(text.bytes) }

  @inlinable public mutating func append<let capacity: Int>(_ text: InlineText<capacity>) {
    for index in 0..<text.count { append(text[index]) }
  }

  /// Appends the decimal digits, padded on the left with `pad` to at least `width`.
  @inlinable public mutating func append(
    decimal value: UInt64, width: Int = 0, pad: UInt8 = UInt8(ascii: " ")
  ) {
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var count = 0
    var rest = value
    repeat {
      digits[count] = UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
      count &+= 1
    } while rest > 0
    var missing = width &- count
    while missing > 0 {
      append(pad)
      missing &-= 1
    }
    while count > 0 {
      count &-= 1
      append(digits[count])
    }
  }

  @inlinable public mutating func append(decimal value: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    append(decimal: UInt64(value.magnitude))
  }

  /// Appends `value` rounded to `decimals` decimals (0 to 9), half away from zero.
  ///
  /// A value whose decimals do not fit in 64 bits is written without them. One beyond 64 bits is written as the
  /// greatest that fits; infinities and NaN become `-`.
  @inlinable public mutating func append(_ value: Double, decimals: Int) {
    guard value.isFinite else {
      append(UInt8(ascii: "-"))
      return
    }
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale &*= 10 }
    let magnitude = (value.magnitude * Double(scale)).rounded()
    guard magnitude < 9e18 else {
      if value < 0 { append(UInt8(ascii: "-")) }
      append(decimal: UInt64(min(value.magnitude.rounded(), 1.8e19)))
      return
    }
    let scaled = UInt64(magnitude)
    if value < 0, scaled > 0 { append(UInt8(ascii: "-")) }
    append(decimal: scaled / scale)
    if decimals > 0 {
      append(UInt8(ascii: "."))
      append(decimal: scaled % scale, width: decimals, pad: UInt8(ascii: "0"))
    }
  }
}
