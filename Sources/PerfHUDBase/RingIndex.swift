/// The slots of a ring of `capacity` elements, in which the newest element overwrites the oldest.
///
/// It computes positions only; the owner keeps the elements.
@frozen public struct RingIndex<let capacity: Int>: BitwiseCopyable, Sendable {
  /// The number of elements.
  @inlinable public var count: Int { @inline(__always) get { used } }
  @usableFromInline var used = 0
  @usableFromInline var next = 0

  @inlinable public init() {}

  /// Makes room for the newest element, in the slot of the oldest if the ring is full.
  ///
  /// - Returns: its slot.
  @inlinable @inline(__always) public mutating func advance() -> Int {
    let slot = next
    next = next &+ 1 == capacity ? 0 : next &+ 1
    if used < capacity { used &+= 1 }
    return slot
  }

  /// The slot of the element that is `age` elements older than the newest. `age` is less than `count`.
  @inlinable @inline(__always) public func slot(age: Int) -> Int {
    let slot = next &- 1 &- age
    return slot < 0 ? slot &+ capacity : slot
  }

  @inlinable public mutating func removeAll() { self = RingIndex() }
}
