import CLinux
import PerfHUDEvents

/// Reports what this program does to a perfhud that watches it: phases, actions, frames and values.
///
///     PerfHUD.phase("canvas", icon: "🎨", color: .orange)
///     PerfHUD.action("pen.move")
///
/// Without a perfhud that receives events, a call reads a clock and returns. No call waits for the HUD. Calls may come
/// from any thread. Threads that call at once wait for one another for at most 50 ms; after that the event is counted
/// as missing. Events go to the HUD in whose command this program runs (`PERFHUD_SOCKET`), or to one that shows this
/// process (`perfhud --pid`), which may come and go: a call looks for it at most once a second. docs/EVENTS.md is the
/// specification.
public enum PerfHUD {
  public typealias Color = EventColor

  static let sender = SharedSender(EventSender.fromEnvironment())

  /// The file of this process's own memory; used with the lock of `sender` held.
  nonisolated(unsafe) private static var ownMemory = perfhud_own_memory()

  /// The program shows or does something else from now on.
  ///
  /// The call also reports how much memory the process has at this moment, so that the HUD attributes memory to the
  /// right phase. Source: `/proc/self/statm`, `getrusage(2)`.
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

  /// A frame is finished. Call this once for each frame that the program draws.
  ///
  /// - Parameter milliseconds: how long the frame took, if known.
  public static func frame(milliseconds: Double? = nil) {
    guard sender.mayHaveListener else { return }
    sender.withLock { sender, process in
      guard sender.hasListener else { return }
      var event = Event(.frame)
      if let milliseconds, milliseconds >= 0 { event.number = milliseconds }
      sender.send(event, in: process)
    }
  }

  /// Shows a text for a moment.
  public static func toast(_ text: String) { send(.toast, text) { _, _ in } }

  /// The program is loading something.
  ///
  /// - Parameters:
  ///   - progress: the part that is done, from 0 to 1; `nil` if unknown.
  ///   - coversScreen: the message covers the whole screen instead of one line, until a key is pressed or 10 s after
  ///     the last call.
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
    guard sender.mayHaveListener else { return }
    sender.withLock { sender, process in
      if sender.hasListener { sender.send(Event(.loadingDone), in: process) }
    }
  }

  /// Reports a value of the program's own. A value that is not finite is not sent.
  public static func value(_ name: String, _ number: Double, unit: String? = nil) {
    guard number.isFinite else { return }
    send(.value, name) { event, _ in
      event.number = number
      if let unit { event.unit = Event.Unit(unit) }
    }
  }

  /// Whether a HUD was listening at the last attempt.
  public static var isConnected: Bool {
    sender.withLock(isEvent: false) { sender, _ in sender.isConnected } ?? false
  }

  /// Whether a HUD is listening. Looks for one if it is time to.
  package static var hasListener: Bool {
    sender.mayHaveListener
      && sender.withLock(isEvent: false) { sender, _ in sender.hasListener } ?? false
  }

  /// Sends what the HUD had no room for, and waits for at most 20 ms until there is room. The next event sends it too, so
  /// call this only if the program sends nothing more after a flood of events.
  ///
  /// - Returns: whether nothing is left.
  @discardableResult
  public static func flush() -> Bool {
    sender.withLock(isEvent: false) { sender, _ in
      sender.flush(milliseconds: 20)
      return !sender.hasKept
    } ?? false
  }

  /// Sends an event if a HUD is listening.
  private static func send(_ kind: Event.Kind, _ name: String, _ fill: (inout Event, Int32) -> Void)
  {
    guard sender.mayHaveListener else { return }
    sender.withLock { sender, process in
      guard sender.hasListener else { return }
      var event = Event(kind)
      event.setName(name)
      guard !event.name.isEmpty else { return }
      fill(&event, process)
      sender.send(event, in: process)
    }
  }
}
