import PerfHUDBase
import PerfHUDEvents

/// A text that the program shows for a moment.
package struct Toast: BitwiseCopyable, Sendable, Equatable {
  /// Rises from toast to toast; the same while a text is repeated.
  package var id: UInt32
  package var text: Event.Name
  /// When it was shown last.
  package var time: Instant
  /// How often it was sent while it was shown; at least 1.
  package var count: UInt64
  /// Whose words it has.
  package var speaker = Speaker()
}

/// The toasts of the last 5 s, at most 8: newer ones replace the oldest.
///
/// Other texts than those that are shown are limited to 4 a second, and 8 at once: the rest is dropped and counted.
package struct ToastQueue: Sendable {
  package static let capacity = 8
  /// How long a toast is shown, in nanoseconds.
  package static let lifetime: Int64 = 5_000_000_000

  private var toasts = BoundedList(
    capacity: capacity,
    filler: Toast(id: 0, text: Event.Name(), time: Instant(nanoseconds: 0), count: 0))
  private var ids: UInt32 = 0
  /// The time for one new toast, in nanoseconds, and when the time for those so far is over.
  private static let pace: Int64 = 250_000_000
  private var busyUntil = Instant(nanoseconds: 0)
  /// The number of toasts that were replaced before their end, or came too fast.
  package private(set) var dropped: UInt64 = 0

  mutating func add(_ event: Event, at time: Instant) {
    while toasts.count > 0, time.nanoseconds(since: toasts[0].time) >= ToastQueue.lifetime {
      toasts.remove(at: 0)
    }
    var toast = Toast(id: ids &+ 1, text: event.name, time: time, count: UInt64(event.count))
    toast.speaker = event.speaker
    if let former = index(of: toast) {
      toast.id = toasts[former].id
      toast.count += toasts[former].count
      toast.time = max(time, toasts[former].time)
      toasts.remove(at: former)
    } else {
      guard takesNew(at: time) else {
        dropped += 1
        return
      }
      ids &+= 1
      if toasts.isFull {
        toasts.remove(at: 0)
        dropped += 1
      }
    }
    var position = toasts.count
    while position > 0, toasts[position - 1].time > toast.time { position -= 1 }
    toasts.insert(toast, at: position)
  }

  /// Whether there is room for a new text in this moment; takes it.
  private mutating func takesNew(at time: Instant) -> Bool {
    let begin = max(busyUntil, time)
    let ahead = begin.nanoseconds(since: time)
    guard ahead < Int64(ToastQueue.capacity) * ToastQueue.pace else { return false }
    busyUntil = begin.advanced(byNanoseconds: ToastQueue.pace)
    return true
  }

  private func index(of toast: Toast) -> Int? {
    for index in 0..<toasts.count
    where toasts[index].text == toast.text && toasts[index].speaker.name == toast.speaker.name {
      return index
    }
    return nil
  }

  /// Those that are shown at a moment, oldest first.
  package func shown(asOf now: Instant) -> Slice<BoundedList<Toast>> {
    var first = 0
    while first < toasts.count, now.nanoseconds(since: toasts[first].time) >= ToastQueue.lifetime {
      first += 1
    }
    return Slice(base: toasts, bounds: first..<toasts.count)
  }
}

/// What the program is loading.
package struct Loading: BitwiseCopyable, Sendable, Equatable {
  package var text: Event.Name
  /// The part that is done, from 0 to 1; `nil` if the program does not say.
  package var progress: Double?
  /// Whether the message is to cover the whole screen, not a line of it.
  package var coversScreen: Bool
  /// When loading began.
  package var since: Instant
  /// When the program reported it last.
  package var updated: Instant
  /// Whose words it has.
  package var speaker = Speaker()

  /// For how long a message holds that is not renewed, in nanoseconds: for all that cover the screen, and for those
  /// of which nobody knows whose they are.
  package static let lifetime: Int64 = 10_000_000_000
  /// The least time from the begin of a cover to that of the next one, in nanoseconds.
  static let coverPause: Int64 = 2_000_000_000

  /// Whether it covers the screen at a moment.
  package func covers(asOf now: Instant) -> Bool { coversScreen && isFresh(asOf: now) }

  /// Whether it is over at a moment: nobody has renewed it, and nobody's end would end it.
  package func isOver(asOf now: Instant) -> Bool { speaker.group <= 0 && !isFresh(asOf: now) }

  private func isFresh(asOf now: Instant) -> Bool {
    now.nanoseconds(since: updated) < Loading.lifetime
  }
}
