import PerfHUDBase
import PerfHUDEvents

/// A text that the program shows for a moment.
package struct Toast: BitwiseCopyable, Sendable, Equatable {
  /// Increases with each toast; a repeated text keeps its id.
  package var id: UInt32
  package var text: Event.Name
  /// When it was last shown.
  package var time: Instant
  /// How often it was sent while it was shown; at least 1.
  package var count: UInt64
  /// Who sent it.
  package var speaker = Speaker()
}

/// The toasts of the last 5 s, at most 8: newer ones replace the oldest.
///
/// New texts are limited to 4 a second, and 8 at once; the rest is dropped and counted.
package struct ToastQueue: Sendable {
  package static let capacity = 8
  /// How long a toast is shown, in nanoseconds.
  package static let lifetime: Int64 = 5_000_000_000

  private var toasts = BoundedList(
    capacity: capacity,
    filler: Toast(id: 0, text: Event.Name(), time: Instant(nanoseconds: 0), count: 0))
  private var ids: UInt32 = 0
  /// The time that each new toast uses up, in nanoseconds, and until when time has been used up.
  private static let pace: Int64 = 250_000_000
  private var busyUntil = Instant(nanoseconds: 0)
  /// The number of toasts that were replaced before their time was over, or came too fast.
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

  /// Whether a new text is allowed at this moment; if so, uses up its time.
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

  /// The toasts that are shown at a moment, oldest first.
  package func shown(asOf now: Instant) -> Slice<BoundedList<Toast>> {
    var first = 0
    while first < toasts.count, now.nanoseconds(since: toasts[first].time) >= ToastQueue.lifetime {
      first += 1
    }
    return Slice(base: toasts, bounds: first..<toasts.count)
  }
}
