import PerfHUDBase

/// How often an action happened in a second, on a scale of powers of two.
package struct ActionSecond: BitwiseCopyable, Sendable, Equatable {
  /// The greatest step.
  package static let steps = 7

  /// 0 for none, 1 for one, 2 for 2-3, 3 for 4-7, and so on; 7 for 64 or more.
  package internal(set) var step = 0
  /// Whether it happened more often than the threshold.
  package internal(set) var isHigh = false
}

/// How often an action happened in each of the last 60 whole seconds, and in the current one.
///
/// The seconds are on the grid of the clock, so a graph of them does not change when time passes; it only moves. Each
/// takes 4 bits, since there are many actions. Only the newest two are counted exactly; an event that is older is not
/// added.
struct ActionSeconds: BitwiseCopyable, Sendable {
  /// The number of whole seconds that are kept.
  static let capacity = 60
  private static let slots: UInt32 = 62
  private static let highBit: UInt8 = 8

  /// Two seconds in each byte: the step, and `highBit`.
  private var packed = InlineArray<31, UInt8>(repeating: 0)
  /// The counts of the newest second and of the one before it, at most 65535.
  private var current: UInt16 = 0
  private var previous: UInt16 = 0
  /// The number of the newest second, counted from the zero of the clock.
  private var newest: UInt32 = 0

  private static func number(_ time: Instant) -> UInt32 {
    UInt32(truncatingIfNeeded: time.nanoseconds / 1_000_000_000)
  }

  /// Counts events at a time that may be in the second before the newest one.
  mutating func add(_ count: UInt32, at time: Instant, threshold: Double) {
    let number = ActionSeconds.number(time)
    if number > newest { advance(to: number) }
    if number == newest {
      current = ActionSeconds.sum(current, count)
      self[number] = ActionSeconds.code(current, threshold)
    } else if number + 1 == newest {
      previous = ActionSeconds.sum(previous, count)
      self[number] = ActionSeconds.code(previous, threshold)
    }
  }

  private mutating func advance(to number: UInt32) {
    var passed = number - newest
    previous = passed == 1 ? current : 0
    current = 0
    if passed > ActionSeconds.slots { passed = ActionSeconds.slots }
    while passed > 0 {
      passed -= 1
      self[number - passed] = 0
    }
    newest = number
  }

  private static func sum(_ count: UInt16, _ more: UInt32) -> UInt16 {
    more < UInt32(UInt16.max - count) ? count + UInt16(more) : .max
  }

  private static func code(_ count: UInt16, _ threshold: Double) -> UInt8 {
    let step = UInt8(UInt16.bitWidth - count.leadingZeroBitCount)
    let high = Double(count) > threshold ? highBit : 0
    return (step < 7 ? step : 7) | high
  }

  /// The code of a second by its number.
  private subscript(number: UInt32) -> UInt8 {
    get {
      let slot = Int(number % ActionSeconds.slots)
      // A span, because a subscript into a stored inline array would copy all of it.
      return packed.span[slot / 2] >> (slot % 2 == 0 ? 0 : 4) & 15
    }
    set {
      let slot = Int(number % ActionSeconds.slots)
      let other = packed.span[slot / 2] & (slot % 2 == 0 ? 0xF0 : 0x0F)
      packed[slot / 2] = other | newValue << (slot % 2 == 0 ? 0 : 4)
    }
  }

  /// How often it happened in a second.
  ///
  /// - Parameter age: 0 for the current second, 1 for the last whole one; at most `capacity`.
  func second(age: Int, asOf now: Instant) -> ActionSecond {
    let latest = ActionSeconds.number(now)
    guard age >= 0, age <= ActionSeconds.capacity, latest >= UInt32(age) else {
      return ActionSecond()
    }
    let number = latest - UInt32(age)
    guard number <= newest, number + ActionSeconds.slots > newest else { return ActionSecond() }
    let code = self[number]
    return ActionSecond(
      step: Int(code & ~ActionSeconds.highBit), isHigh: code & ActionSeconds.highBit != 0)
  }
}
