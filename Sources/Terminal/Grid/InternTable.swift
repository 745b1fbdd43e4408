/// The requirements for values in an `InternTable`.
protocol Internable: BitwiseCopyable, Equatable {
  /// A number whose upper bits are well mixed.
  var mixed: UInt64 { get }
}

/// Maps values to numbers and back, up to a fixed limit. Number 0 belongs to the first value.
///
/// A number stays valid until a collection finds that nothing uses it. Nothing is allocated after `init`; pages that
/// are never used are never touched.
struct InternTable<Value: Internable>: ~Copyable {
  private let values: UncheckedBuffer<Value>
  /// Open addressing over twice the capacity: number + 1, or 0 for a free slot.
  private let index: UncheckedBuffer<UInt16>
  private let freed: UncheckedBuffer<UInt16>
  private let marks: UncheckedBuffer<Bool>
  private let capacity: Int
  /// The number of values for which there is room at present: a small table stays in the processor's caches. It doubles
  /// when a collection shows that more are needed.
  private var room: Int
  private var shift: UInt64
  private var highest = 0
  private var freedCount = 0
  /// How many more values are refused without another collection, after one that freed almost nothing.
  private var refusals = 0

  /// - Parameter capacity: a power of two up to 32768.
  init(first: Value, capacity: Int) {
    self.capacity = capacity
    values = UncheckedBuffer(zeroed: capacity)
    index = UncheckedBuffer(zeroed: capacity * 2)
    freed = UncheckedBuffer(zeroed: capacity)
    marks = UncheckedBuffer(zeroed: capacity)
    room = min(capacity, InternTable.leastRoom)
    shift = InternTable.shift(of: room)
    values[0] = first
    insert(first, 0)
    highest = 1
  }

  private static var leastRoom: Int { 4096 }

  private static func shift(of room: Int) -> UInt64 {
    UInt64(64 - (room * 2).trailingZeroBitCount)
  }

  subscript(number: UInt16) -> Value {
    @inline(__always) get { values[min(Int(number), capacity &- 1)] }
  }

  /// The number of numbers in use.
  var count: Int { highest - freedCount }

  /// The number of a value; a new one if it has none. `nil` if the table is full.
  @inline(__always) mutating func number(of value: Value) -> UInt16? {
    var place = Int(truncatingIfNeeded: value.mixed >> shift)
    while true {
      let entry = index[place]
      if entry == 0 { return add(value, at: place) }
      if values[Int(entry) &- 1] == value { return entry &- 1 }
      place = (place &+ 1) & (room &* 2 &- 1)
    }
  }

  /// The number of a value, if it has one.
  @inline(__always) func known(_ value: Value) -> UInt16? {
    var place = Int(truncatingIfNeeded: value.mixed >> shift)
    while true {
      let entry = index[place]
      if entry == 0 { return nil }
      if values[Int(entry) &- 1] == value { return entry &- 1 }
      place = (place &+ 1) & (room &* 2 &- 1)
    }
  }

  private mutating func add(_ value: Value, at place: Int) -> UInt16? {
    let number: Int
    if freedCount > 0 {
      freedCount &-= 1
      number = Int(freed[freedCount])
    } else if highest < room {
      number = highest
      highest &+= 1
    } else {
      return nil
    }
    values[number] = value
    index[place] = UInt16(number &+ 1)
    return UInt16(number)
  }

  private func insert(_ value: Value, _ number: Int) {
    var place = Int(truncatingIfNeeded: value.mixed >> shift)
    while index[place] != 0 { place = (place &+ 1) & (room &* 2 &- 1) }
    index[place] = UInt16(number + 1)
  }

  // MARK: Copies

  /// The values by their numbers; also those of free numbers.
  var all: [Value] { unsafe Array(values.prefix(highest)) }

  /// Gives values the numbers that they had in another table. The table must be new.
  mutating func restore(_ all: [Value]) {
    while room < min(all.count, capacity) { room *= 2 }
    shift = InternTable.shift(of: room)
    index.fill(0, room * 2, with: 0)
    highest = min(all.count, capacity)
    for number in 0..<highest {
      values[number] = all[number]
      insert(all[number], number)
    }
  }

  // MARK: Collection

  /// Whether looking for unused numbers is worthwhile.
  mutating func beginCollection() -> Bool {
    if refusals > 0 {
      refusals &-= 1
      return false
    }
    marks.fill(0, highest, with: false)
    marks[0] = true
    return true
  }

  @inline(__always) func mark(_ number: UInt16) { marks[Int(number)] = true }
  func isMarked(_ number: UInt16) -> Bool { marks[Int(number)] }

  /// Frees every number that was not marked.
  mutating func endCollection() {
    freedCount = 0
    // Used numbers are listed starting from the other end. No branch depends on whether a number is used, because that
    // cannot be predicted.
    var end = capacity
    for number in 0..<highest {
      let isMarked = marks[number]
      freed[freedCount] = UInt16(number)
      freed[end &- 1] = UInt16(number)
      freedCount &+= isMarked ? 0 : 1
      end &-= isMarked ? 1 : 0
    }
    if freedCount < room / 2, room < capacity {
      room *= 2
      shift = InternTable.shift(of: room)
    } else if freedCount < capacity / 16 {
      refusals = capacity / 4
    }
    index.fill(0, room * 2, with: 0)
    for place in end..<capacity { insert(values[Int(freed[place])], Int(freed[place])) }
  }
}

extension Style: Internable {
  var mixed: UInt64 {
    let colors = UInt64(foreground.raw) | UInt64(background.raw) << 32
    let rest = UInt64(underlineColor.raw) | UInt64(attributes.rawValue) << 32
    return (colors &* 0x9E37_79B9_7F4A_7C15 ^ (colors >> 29) ^ rest &* 0xC2B2_AE3D_27D4_EB4F)
      &* 0x9E37_79B9_7F4A_7C15
  }
}

/// A base character, or a cluster, and one more scalar that combines with it.
///
/// So a cluster is a chain, and its number identifies the whole chain.
struct ClusterLink: Internable {
  /// Bits 0–20: the base, or if bit 21 is set, the number of the previous cluster; bits 32–52: the scalar.
  let raw: UInt64

  init(base: UInt32, isCluster: Bool, scalar: UInt32) {
    raw = UInt64(base) | (isCluster ? 1 << 21 : 0) | UInt64(scalar) << 32
  }

  var base: UInt32 { UInt32(truncatingIfNeeded: raw) & 0x1F_FFFF }
  var followsCluster: Bool { raw & 1 << 21 != 0 }
  var scalar: UInt32 { UInt32(truncatingIfNeeded: raw >> 32) }
  var mixed: UInt64 { (raw ^ raw >> 23) &* 0x9E37_79B9_7F4A_7C15 }
}
