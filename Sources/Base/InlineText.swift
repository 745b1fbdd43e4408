/// Text of at most `capacity` bytes, kept in place: it can be copied as bits, so a record that carries
/// it allocates nothing.
///
/// The bytes are UTF-8 if only whole characters were put in; `append(_:)` for a scalar sees to it.
@frozen public struct InlineText<let capacity: Int>: ByteSink, BitwiseCopyable, Sendable {
  @usableFromInline var storage = InlineArray<capacity, UInt8>(repeating: 0)
  @usableFromInline var used: UInt16 = 0

  @inlinable public init() {}

  /// Takes the text with everything in it that could harm a terminal replaced (`SafeText`); what does
  /// not fit is cut between two characters.
  public init(_ text: some StringProtocol) {
    for scalar in text.unicodeScalars where !append(SafeText.replacement(for: scalar)) { return }
  }

  /// How many of the bytes are used.
  @inlinable public var count: Int { Int(used) }
  @inlinable public var isEmpty: Bool { used == 0 }

  /// Appends a byte; what does not fit is dropped.
  @inlinable public mutating func append(_ byte: UInt8) {
    guard count < capacity else { return }
    storage[count] = byte
    used &+= 1
  }

  /// Appends a whole character, or nothing if it does not fit.
  ///
  /// - Returns: whether it did.
  @discardableResult
  public mutating func append(_ scalar: Unicode.Scalar) -> Bool {
    let units = UTF8.encode(scalar)
    guard let units, count + units.count <= capacity else { return false }
    for unit in units { append(unit) }
    return true
  }

  @inlinable public mutating func removeAll() { used = 0 }

  /// Takes the blanks at the end away.
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
