/// Text of at most `capacity` bytes, stored inline: a record that contains it is copied as bits and allocates
/// nothing.
///
/// The bytes are UTF-8 if only whole characters are appended, as `append(_:)` for a scalar does.
@frozen public struct InlineText<let capacity: Int>: ByteSink, BitwiseCopyable, Sendable {
  @usableFromInline var storage = InlineArray<capacity, UInt8>(repeating: 0)
  @usableFromInline var used: UInt16 = 0

  @inlinable public init() {}

  /// Copies the text and replaces everything that could harm a terminal (`SafeText`). Text that does not fit is cut
  /// between two characters.
  public init(_ text: some StringProtocol) {
    for scalar in text.unicodeScalars where !append(SafeText.replacement(for: scalar)) { return }
  }

  /// As above, with a faster path for text that is all printable ASCII, which is harmless.
  @inlinable public init(_ text: String) {
    self.init()
    for byte in text.utf8 {
      guard byte >= 0x20, byte < 0x7F else {
        self = InlineText(text[...])
        return
      }
      append(byte)
    }
  }

  /// As above, but text that is cut ends with `…`.
  public init(marking text: String) {
    for scalar in text.unicodeScalars where !append(SafeText.replacement(for: scalar)) {
      markCut()
      return
    }
  }

  /// The number of bytes in use.
  @inlinable public var count: Int { Int(used) }
  @inlinable public var isEmpty: Bool { used == 0 }

  /// Appends a byte; one that does not fit is dropped.
  @inlinable public mutating func append(_ byte: UInt8) {
    guard count < capacity else { return }
    storage[count] = byte
    used &+= 1
  }

  /// Appends a whole character, or nothing if it does not fit.
  ///
  /// - Returns: whether it fitted.
  @discardableResult
  public mutating func append(_ scalar: Unicode.Scalar) -> Bool {
    let units = UTF8.encode(scalar)
    guard let units, count + units.count <= capacity else { return false }
    for unit in units { append(unit) }
    return true
  }

  /// Ends a text that was cut with `…`, in place of as many characters as that needs.
  public mutating func markCut() {
    let mark: Unicode.Scalar = "…"
    // The mark has three bytes, and what it replaces are whole characters.
    var end = max(0, min(count, capacity - 3))
    while end > 0, end < count, storage[end] & 0xC0 == 0x80 { end -= 1 }
    used = UInt16(end)
    append(mark)
  }

  @inlinable public mutating func removeAll() { used = 0 }

  /// Removes the blanks at the end.
  @inlinable public mutating func trimEnd() {
    while used > 0, storage[count - 1] == 0x20 { used &-= 1 }
  }

  @inlinable public subscript(index: Int) -> UInt8 {
    precondition(index < count)
    return storage[index]
  }

  /// The text as a `String`.
  public var text: String {
    String(decoding: (0..<count).map { storage[$0] }, as: UTF8.self)
  }
}

extension InlineText: Equatable, Hashable {
  @inlinable public static func == (a: InlineText, b: InlineText) -> Bool {
    guard a.used == b.used else { return false }
    for index in 0..<a.count where a.storage[index] != b.storage[index] { return false }
    return true
  }

  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(used)
    for index in 0..<count { hasher.combine(storage[index]) }
  }
}

extension InlineText: CustomStringConvertible {
  public var description: String { text }
}

/// A formatted number or word of at most 64 bytes. What does not fit is dropped.
///
/// Unlike `InlineText` it contains only perfhud's own text, which is appended unchanged.
@frozen public struct ShortText: ByteSink, Sendable, BitwiseCopyable {
  public static let capacity = 64

  @usableFromInline var bytes = InlineText<64>()

  /// The number of bytes in use.
  @inlinable public var count: Int { bytes.count }

  @inlinable public init() {}

  @inlinable public init(_ text: StaticString) { append(text) }

  @inlinable public mutating func append(_ byte: UInt8) { bytes.append(byte) }

  @inlinable public mutating func removeAll() { bytes.removeAll() }

  @inlinable public subscript(index: Int) -> UInt8 { bytes[index] }
}

extension ShortText: CustomStringConvertible {
  public var description: String { bytes.text }
}
