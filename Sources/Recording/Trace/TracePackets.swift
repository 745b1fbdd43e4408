import PerfHUDBase

/// The packets of a Perfetto trace, encoded one after another.
///
/// Messages and field numbers are those of `perfetto/trace/trace_packet.proto`, `track_event/*.proto` and
/// `clock_snapshot.proto`. Nothing is interned, so each packet can be read by itself.
struct TracePackets: Sendable {
  /// The encoded bytes; the caller that writes them out clears them.
  var bytes: [UInt8] = []
  private var hasBegun = false

  /// `BUILTIN_CLOCK_REALTIME`, `BUILTIN_CLOCK_MONOTONIC`.
  private static let wallClock: UInt64 = 1
  private static let monotonicClock: UInt64 = 3

  /// `TrackEvent.Type`.
  private enum EventType: UInt64 {
    case sliceBegin = 1
    case sliceEnd = 2
    case instant = 3
    case counter = 4
  }

  /// How a counter is shown.
  enum CounterUnit: Sendable {
    case count
    case bytes
    /// Any other unit, by its symbol.
    case named(String)
  }

  /// Appends a packet: `TracePacket`, with the number of the sequence to which all packets belong.
  private mutating func packet(at time: Instant?, _ fill: (inout [UInt8]) -> Void) {
    let isFirst = !hasBegun
    hasBegun = true
    bytes.append(field: 1) { packet in
      if let time {
        packet.append(field: 8, time.nanoseconds)
        packet.append(field: 58, TracePackets.monotonicClock)
      }
      packet.append(field: 10, 1)
      // SEQ_INCREMENTAL_STATE_CLEARED
      if isFirst { packet.append(field: 13, 1) }
      fill(&packet)
    }
  }

  /// Declares which wall time corresponds to a monotonic time: `ClockSnapshot`. The trace uses the monotonic clock.
  mutating func clocks(at time: Instant, wallClockOffset: UInt64) {
    packet(at: nil) { packet in
      packet.append(field: 6) { snapshot in
        for (clock, now) in [
          (TracePackets.monotonicClock, time.nanoseconds),
          (TracePackets.wallClock, time.nanoseconds &+ wallClockOffset),
        ] {
          snapshot.append(field: 1) { entry in
            entry.append(field: 1, clock)
            entry.append(field: 2, now)
          }
        }
        snapshot.append(field: 2, TracePackets.monotonicClock)
      }
    }
  }

  /// Declares a track: `TrackDescriptor`. `fill` appends its kind.
  private mutating func track(
    _ id: UInt64, parent: UInt64?, name: String?, _ fill: (inout [UInt8]) -> Void
  ) {
    packet(at: nil) { packet in
      packet.append(field: 60) { track in
        track.append(field: 1, id)
        if let name { track.append(field: 2, text: name) }
        if let parent { track.append(field: 5, parent) }
        fill(&track)
      }
    }
  }

  /// Declares the track of a process: `ProcessDescriptor`.
  mutating func process(_ id: UInt64, pid: Int32, name: String) {
    track(id, parent: nil, name: nil) { track in
      track.append(field: 3) { process in
        process.append(field: 1, signed: Int64(pid))
        process.append(field: 6, text: name)
      }
    }
  }

  /// Declares the track of a thread: `ThreadDescriptor`.
  mutating func thread(_ id: UInt64, pid: Int32, thread number: Int32, name: String) {
    track(id, parent: nil, name: nil) { track in
      track.append(field: 4) { thread in
        thread.append(field: 1, signed: Int64(pid))
        thread.append(field: 2, signed: Int64(number))
        thread.append(field: 5, text: name)
      }
    }
  }

  /// Declares a track of slices and instants.
  mutating func events(_ id: UInt64, parent: UInt64?, name: String) {
    track(id, parent: parent, name: name) { _ in }
  }

  /// Declares a counter: `CounterDescriptor`.
  mutating func counter(_ id: UInt64, parent: UInt64?, name: String, unit: CounterUnit) {
    track(id, parent: parent, name: name) { track in
      track.append(field: 8) { counter in
        switch unit {
        case .count: counter.append(field: 3, 2)
        case .bytes: counter.append(field: 3, 3)
        case .named(let symbol): counter.append(field: 6, text: symbol)
        }
      }
    }
  }

  private mutating func event(
    _ type: EventType, on track: UInt64, at time: Instant, _ fill: (inout [UInt8]) -> Void
  ) {
    packet(at: time) { packet in
      packet.append(field: 11) { event in
        event.append(field: 9, type.rawValue)
        event.append(field: 11, track)
        fill(&event)
      }
    }
  }

  /// Begins a slice.
  ///
  /// - Parameter notes: the details shown when the slice is selected, by name.
  mutating func begin(
    _ name: String, on track: UInt64, at time: Instant, notes: [(String, String)] = []
  ) {
    event(.sliceBegin, on: track, at: time) { TracePackets.fill(&$0, name, notes) }
  }

  /// Ends the last slice that began on this track.
  mutating func end(on track: UInt64, at time: Instant) {
    event(.sliceEnd, on: track, at: time) { _ in }
  }

  mutating func instant(
    _ name: String, on track: UInt64, at time: Instant, notes: [(String, String)] = []
  ) {
    event(.instant, on: track, at: time) { TracePackets.fill(&$0, name, notes) }
  }

  /// Adds a value of a counter.
  mutating func value(_ value: Double, on track: UInt64, at time: Instant) {
    event(.counter, on: track, at: time) { event in
      if let whole = Int64(exactly: value) {
        event.append(field: 30, signed: whole)
      } else {
        event.append(field: 44, double: value)
      }
    }
  }

  /// Appends the name and the `DebugAnnotation`s of a slice or an instant.
  private static func fill(_ event: inout [UInt8], _ name: String, _ notes: [(String, String)]) {
    event.append(field: 23, text: name)
    for (key, text) in notes {
      event.append(field: 4) { note in
        note.append(field: 10, text: key)
        note.append(field: 6, text: text)
      }
    }
  }
}
