import CLinux
import PerfHUDEvents

/// Reports to a perfhud that watches this program what it does: phases, actions, frames and values.
///
///     PerfHUD.phase("canvas", icon: "🎨", color: .orange)
///     PerfHUD.action("pen.move")
///
/// Without a perfhud that receives events, a call reads a clock and returns. No call waits for the HUD,
/// whatever that does. Each may come from any thread; threads that call at once wait for one another, for at
/// most 50 ms, after which the event is counted as missing. Events go to the HUD in whose command this program
/// runs (`PERFHUD_SOCKET`), or to one that shows this process (`perfhud --pid`) and may come and go: a call
/// looks for it at most once a second. docs/EVENTS.md is the specification.
public enum PerfHUD {
  public typealias Color = EventColor

  static let sender = SharedSender(EventSender.fromEnvironment())

  /// The file of this process's own memory; used with the lock of `sender` held.
  nonisolated(unsafe) private static var ownMemory = perfhud_own_memory()

  /// The program shows or does something else from now on.
  ///
  /// The call reports what memory the process holds at this moment, so that the HUD attributes to each
  /// phase what it keeps. Source: `/proc/self/statm`, `getrusage(2)`.
  ///
  /// - Parameters:
  ///   - name: up to 64 bytes of UTF-8; the rest is cut.
  ///   - icon: a character for the phase.
  ///   - color: the color to use; the HUD's theme decides how it looks.
  public static func phase(_ name: String, icon: String? = nil, color: Color? = nil) {
    send(.phase, name) { event, process in
      if let icon { event.icon = Event.Icon(icon) }
      event.color = color
      if unsafe perfhud_read_own_memory(&ownMemory, process) == 0 {
        event.memory = unsafe ReportedMemory(
          residentBytes: ownMemory.resident_bytes, anonymousBytes: ownMemory.anonymous_bytes,
          faultedBytes: ownMemory.faulted_bytes)
      }
    }
  }

  /// Something happened, `count` times.
  ///
  /// - Parameter detail: a text, up to 128 bytes; the rest is cut.
  public static func action(_ name: String, count: Int = 1, detail: String? = nil) {
    guard count > 0 else { return }
    send(.action, name) { event, _ in
      event.count = UInt32(clamping: count)
      if let detail { event.detail = Event.Detail(detail) }
    }
  }

  /// A frame has been finished: call it once in each turn of the program's own loop that draws.
  ///
  /// - Parameter milliseconds: how long it took, if that is known.
  public static func frame(milliseconds: Double? = nil) {
    guard sender.mayBeListened else { return }
    sender.withLock { sender, process in
      guard sender.isListened else { return }
      var event = Event(.frame)
      if let milliseconds, milliseconds >= 0 { event.number = milliseconds }
      sender.send(event, in: process)
    }
  }

  /// Shows a text for a moment.
  public static func toast(_ text: String) { send(.toast, text) { _, _ in } }

  /// The program loads something.
  ///
  /// - Parameters:
  ///   - progress: the part that is done, from 0 to 1; `nil` if it is not known.
  ///   - coversScreen: the HUD covers the screen, not one line, until a key is pressed or 10 s after the last call.
  public static func loading(
    _ text: String, progress: Double? = nil, coversScreen: Bool = false
  ) {
    send(.loading, text) { event, _ in
      event.coversScreen = coversScreen
      if let progress, progress.isFinite { event.number = min(1, max(0, progress)) }
    }
  }

  /// Loading has ended.
  public static func loadingDone() {
    guard sender.mayBeListened else { return }
    sender.withLock { sender, process in
      if sender.isListened { sender.send(Event(.loadingDone), in: process) }
    }
  }

  /// A value of the program's own. One that is not finite is not sent.
  public static func value(_ name: String, _ number: Double, unit: String? = nil) {
    guard number.isFinite else { return }
    send(.value, name) { event, _ in
      event.number = number
      if let unit { event.unit = Event.Unit(unit) }
    }
  }

  /// Whether a HUD listened at the last attempt.
  public static var isConnected: Bool {
    sender.withLock(isEvent: false) { sender, _ in sender.isConnected } ?? false
  }

  /// Whether a HUD listens; looks for one if that is due.
  package static var isListened: Bool {
    sender.mayBeListened
      && sender.withLock(isEvent: false) { sender, _ in sender.isListened } ?? false
  }

  /// Tries once to send what the HUD had no room for. The next event does the same, so only a
  /// program that sends nothing more after a flood needs it.
  ///
  /// - Returns: whether nothing is left.
  @discardableResult
  public static func flush() -> Bool {
    sender.withLock(isEvent: false) { sender, _ in sender.flush() } ?? false
  }

  /// Makes an event if somebody listens, and sends it.
  private static func send(_ kind: Event.Kind, _ name: String, _ fill: (inout Event, Int32) -> Void)
  {
    guard sender.mayBeListened else { return }
    sender.withLock { sender, process in
      guard sender.isListened else { return }
      var event = Event(kind)
      event.name = Event.Name(name)
      guard !event.name.isEmpty else { return }
      fill(&event, process)
      sender.send(event, in: process)
    }
  }
}
