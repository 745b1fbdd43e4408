import PerfHUDBase
import PerfHUDEvents

/// A value that the program reports.
package struct ProgramValue: BitwiseCopyable, Sendable, Equatable {
  package internal(set) var name: Event.Name
  package internal(set) var unit: Event.Unit
  package internal(set) var last: Double
  package internal(set) var least: Double
  package internal(set) var greatest: Double
  /// When it was last reported, and how often.
  package internal(set) var time: Instant
  package internal(set) var count: UInt64
}

/// The values that the program reports by name: at most 32; the next new one replaces the one
/// that was reported longest ago.
package struct ValueTable: Sendable {
  package static let capacity = 32

  private var values = BoundedList(
    capacity: capacity,
    filler: ProgramValue(
      name: Event.Name(), unit: Event.Unit(), last: 0, least: 0, greatest: 0,
      time: Instant(nanoseconds: 0), count: 0))
  /// The number of names that were replaced.
  package private(set) var forgottenNames: UInt64 = 0

  /// In the order in which they were first reported.
  package var all: BoundedList<ProgramValue> { values }

  /// Adds a value; one that is not a number is dropped.
  mutating func add(_ event: Event, at time: Instant) {
    let number = event.number
    guard number.isFinite else { return }
    if let index = index(of: event.name) {
      if time >= values[index].time {
        values[index].last = number
        values[index].time = time
        if !event.unit.isEmpty { values[index].unit = event.unit }
      }
      values[index].least = min(values[index].least, number)
      values[index].greatest = max(values[index].greatest, number)
      values[index].count += 1
      return
    }
    if values.isFull {
      forgottenNames += 1
      var oldest = 0
      for index in 0..<values.count where values[index].time < values[oldest].time {
        oldest = index
      }
      values.remove(at: oldest)
    }
    values.append(
      ProgramValue(
        name: event.name, unit: event.unit, last: number, least: number, greatest: number,
        time: time, count: 1))
  }

  private func index(of name: Event.Name) -> Int? {
    for index in 0..<values.count where values[index].name == name { return index }
    return nil
  }
}
