/// What takes bytes one after another: a fixed buffer on the stack, or an array that grows.
public protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
}

extension Array: ByteSink where Element == UInt8 {
  /// Appends the text at once.
  @inlinable public mutating func append(_ text: StaticString) {
    unsafe append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// Text of at most 64 bytes without an allocation; what does not fit is dropped.
@frozen public struct ShortText: ByteSink, Sendable, BitwiseCopyable {
  @usableFromInline var storage = InlineArray<64, UInt8>(repeating: 0)
  /// How many of the bytes are used.
  public var count: Int { used }
  @usableFromInline var used = 0

  public static let capacity = 64

  @inlinable public init() {}

  /// Copies the text.
  @inlinable public init(_ text: StaticString) {
    append(text)
  }

  @inlinable public mutating func append(_ byte: UInt8) {
    guard used < ShortText.capacity else { return }
    storage[used] = byte
    used &+= 1
  }

  @inlinable public mutating func removeAll() { used = 0 }

  @inlinable public subscript(index: Int) -> UInt8 {
    precondition(index < used)
    return storage[index]
  }
}

extension ShortText: CustomStringConvertible {
  public var description: String {
    var bytes: [UInt8] = []
    for index in 0..<count { bytes.append(self[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Numbers and text into a sink, and numbers out of bytes, without `String` and without an allocation.
extension ByteSink where Self: ~Copyable {
  @inlinable public mutating func append(_ text: StaticString) {
    for index in 0..<text.utf8CodeUnitCount { append(unsafe text.utf8Start[index]) }
  }

  @inlinable public mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  @inlinable public mutating func append(_ text: ShortText) {
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

  /// Appends `value` rounded to `decimals` places (0 to 9), half away from zero.
  ///
  /// A value that has no room for its decimals in 64 bits is shown without them, and one beyond 64 bits
  /// as the greatest that fits; infinities and NaN become `-`.
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

/// A place in the bytes of a /proc file, from which fields and numbers are read one after another.
///
/// It never reads beyond the end, and a field that is not there reads as `nil`.
@frozen public struct FieldCursor: BitwiseCopyable, Sendable {
  public var position: Int

  @inlinable public init(position: Int = 0) { self.position = position }

  /// The byte at `index`, or 0 beyond the end.
  @inlinable public static func byte(at index: Int, in bytes: RawSpan) -> UInt8 {
    guard index >= 0, index < bytes.byteCount else { return 0 }
    return unsafe bytes.unsafeLoad(fromUncheckedByteOffset: index, as: UInt8.self)
  }

  @inlinable public func isAtEnd(of bytes: RawSpan) -> Bool { position >= bytes.byteCount }

  @inlinable public mutating func skipSpaces(in bytes: RawSpan) {
    while true {
      let byte = FieldCursor.byte(at: position, in: bytes)
      guard byte == 0x20 || byte == 0x09 else { return }
      position &+= 1
    }
  }

  /// Reads an unsigned decimal number after spaces and tabs; `nil`, and nothing taken but the
  /// spaces, if there is none. Overflow wraps.
  @inlinable public mutating func nextUnsigned(in bytes: RawSpan) -> UInt64? {
    skipSpaces(in: bytes)
    var value: UInt64 = 0
    let start = position
    while true {
      let digit = FieldCursor.byte(at: position, in: bytes) &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = value &* 10 &+ UInt64(digit)
      position &+= 1
    }
    return position == start ? nil : value
  }

  /// Skips `fields` runs of bytes that are neither blank nor control characters.
  @inlinable public mutating func skip(fields: Int, in bytes: RawSpan) {
    for _ in 0..<fields {
      skipSpaces(in: bytes)
      while FieldCursor.byte(at: position, in: bytes) > 0x20 { position &+= 1 }
    }
  }

  /// Goes to the first byte of the next line.
  @inlinable public mutating func skipLine(in bytes: RawSpan) {
    while position < bytes.byteCount, FieldCursor.byte(at: position, in: bytes) != 0x0A {
      position &+= 1
    }
    position = min(position &+ 1, bytes.byteCount)
  }

  /// Whether the text stands here; if so, it is taken.
  @inlinable public mutating func take(_ text: StaticString, in bytes: RawSpan) -> Bool {
    let length = text.utf8CodeUnitCount
    for index in 0..<length {
      let byte = FieldCursor.byte(at: position &+ index, in: bytes)
      guard unsafe byte == text.utf8Start[index] else { return false }
    }
    position &+= length
    return true
  }
}
