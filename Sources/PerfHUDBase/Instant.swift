import Glibc

/// A point on the monotonic clock, in nanoseconds.
///
/// The clock is read once per turn of the main loop and once per sample. Everywhere else `now` is an argument.
/// Source: `clock_gettime(CLOCK_MONOTONIC)`, which stops while the machine is suspended.
@frozen public struct Instant: Hashable, Comparable, Sendable, BitwiseCopyable {
  /// Nanoseconds since an unspecified point before boot.
  public var nanoseconds: UInt64

  @inlinable public init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  /// Reads the clock.
  @inlinable public static func now() -> Instant {
    Instant(nanoseconds: readClock(CLOCK_MONOTONIC) ?? 0)
  }

  @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Nanoseconds from `earlier` to this instant; negative if `earlier` is later.
  @inlinable public func nanoseconds(since earlier: Instant) -> Int64 {
    Int64(truncatingIfNeeded: nanoseconds &- earlier.nanoseconds)
  }

  /// Seconds from `earlier` to this instant; negative if `earlier` is later.
  @inlinable public func seconds(since earlier: Instant) -> Double {
    Double(nanoseconds(since: earlier)) * 1e-9
  }

  /// This instant in whole microseconds, rounded down.
  @inlinable public var wholeMicroseconds: Instant {
    Instant(nanoseconds: nanoseconds / 1000 * 1000)
  }

  /// The instant `offset` nanoseconds later, or earlier if it is negative.
  @inlinable public func advanced(byNanoseconds offset: Int64) -> Instant {
    Instant(nanoseconds: nanoseconds &+ UInt64(bitPattern: offset))
  }

  /// The instant `offset` seconds later; at most 290 years either way.
  @inlinable public func advanced(bySeconds offset: Double) -> Instant {
    advanced(byNanoseconds: Int64(max(-9.2e18, min(9.2e18, offset * 1e9))))
  }
}

/// Reads a clock; `nil` if the clock does not exist (a process clock whose process has ended).
///
/// Source: `clock_gettime(2)`.
@inlinable public func readClock(_ clock: clockid_t) -> UInt64? {
  var time = timespec()
  guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
  return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// The Unix time in nanoseconds at monotonic zero. Add it to an `Instant` to get the wall time.
///
/// Source: `clock_gettime(CLOCK_REALTIME)` minus `clock_gettime(CLOCK_MONOTONIC)`.
public func wallClockOffset() -> UInt64 {
  let wall = readClock(CLOCK_REALTIME) ?? 0
  return wall &- Instant.now().nanoseconds
}
