import ArgumentParser
import Glibc
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// `perfhud emit`: sends an event to the HUD, from a script or by hand.
struct EmitCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "emit", abstract: "Send the HUD an event.",
    discussion: """
      The event goes to the HUD over the command in which it runs, else to the perfhud that watches \
      a process above it, such as the script; or to the one that --to names. Without a HUD nothing \
      happens, and the exit status is 0, so that a script does not fail.
      """,
    subcommands: [
      Phase.self, Action.self, Frame.self, Toast.self, Loading.self, Value.self,
    ])

  func perform(_ environment: Environment) throws -> Int32 {
    throw ValidationError("emit needs an event: phase, action, frame, toast, loading or value")
  }

  /// Puts a negative number of `emit value` after `--`; otherwise the parser would take it for an option.
  static func protectNumbers(_ words: [String]) -> [String] {
    guard words.starts(with: ["emit", "value"]), !words.contains("--"),
      let index = words.firstIndex(where: { $0.hasPrefix("-") && Double($0) != nil })
    else { return words }
    return Array(words[..<index]) + Array(words[(index + 1)...]) + ["--", words[index]]
  }

  struct Phase: EmittedEvent {
    static let configuration = CommandConfiguration(
      abstract: "Begin a phase: from now on the program shows or does something else.")
    @Argument(help: ArgumentHelp("Name of the phase.", valueName: "name")) var words: [String]
    @Option(help: ArgumentHelp("A character to show with it.", valueName: "character"))
    var icon: String?
    @Option(
      help: ArgumentHelp(
        "Its color: \(EmitCommand.colorNames).", valueName: "name"),
      completion: .list(EventColor.allCases.map { "\($0.name)" }))
    var color: String?
    @OptionGroup var target: EmitTarget

    func event() throws -> Event {
      var event = try EmitCommand.named(.phase, words)
      if let icon { event.icon = Event.Icon(icon) }
      if let color {
        event.color = EventColor.allCases.first { "\($0.name)" == color }
        guard event.color != nil else {
          throw ValidationError(
            "color '\(SafeText.clean(color, limit: 40))' is none of: \(EmitCommand.colorNames)")
        }
      }
      return event
    }
  }

  struct Action: EmittedEvent {
    static let configuration = CommandConfiguration(abstract: "Something happened.")
    @Argument(help: ArgumentHelp("Name of the action.", valueName: "name")) var words: [String]
    @Option(help: ArgumentHelp("What belongs to it.", valueName: "text")) var detail: String?
    @Option(help: ArgumentHelp("How often it happened. (default: 1)", valueName: "n"))
    var count: String?
    @OptionGroup var target: EmitTarget

    func event() throws -> Event {
      var event = try EmitCommand.named(.action, words)
      if let detail { event.detail = Event.Detail(detail) }
      if let count {
        guard let number = UInt32(count), number > 0 else {
          throw ValidationError(
            "count '\(SafeText.clean(count, limit: 40))' is not a whole number from 1 on")
        }
        event.count = number
      }
      return event
    }
  }

  struct Frame: EmittedEvent {
    static let configuration = CommandConfiguration(abstract: "A frame was finished.")
    @Option(help: ArgumentHelp("How long it took, in milliseconds.", valueName: "time"))
    var ms: String?
    @OptionGroup var target: EmitTarget

    func event() throws -> Event {
      var event = Event(.frame)
      if let ms { event.number = try EmitCommand.number("ms", ms, 0...1e9) }
      return event
    }
  }

  struct Toast: EmittedEvent {
    static let configuration = CommandConfiguration(abstract: "Show a text for a moment.")
    @Argument(help: ArgumentHelp("The text.", valueName: "text")) var words: [String]
    @OptionGroup var target: EmitTarget

    func event() throws -> Event { try EmitCommand.named(.toast, words) }
  }

  struct Loading: EmittedEvent {
    static let configuration = CommandConfiguration(
      abstract: "The program loads, or has loaded (--done).")
    @Argument(help: ArgumentHelp("What is loaded.", valueName: "text")) var words: [String] = []
    @Option(help: ArgumentHelp("The part that is done, from 0 to 1.", valueName: "part"))
    var progress: String?
    @Flag(help: "Cover the whole screen, not a line of it; Esc after the prefix key leads out.")
    var cover = false
    @Flag(help: "It has loaded.") var done = false
    @OptionGroup var target: EmitTarget

    func event() throws -> Event {
      if done {
        guard words.isEmpty, progress == nil, !cover else {
          throw ValidationError("--done takes nothing else: perfhud emit loading --done")
        }
        return Event(.loadingDone)
      }
      var event = try EmitCommand.named(.loading, words)
      if let progress { event.number = try EmitCommand.number("progress", progress, 0...1) }
      event.coversScreen = cover
      return event
    }
  }

  struct Value: EmittedEvent {
    static let configuration = CommandConfiguration(abstract: "A value of the program's own.")
    @Argument(help: "Name of the value.") var name: String
    @Argument(help: "Its value.") var number: String
    @Option(help: ArgumentHelp("Its unit, such as MiB.", valueName: "unit")) var unit: String?
    @OptionGroup var target: EmitTarget

    func event() throws -> Event {
      var event = try EmitCommand.named(.value, [name])
      event.number = try EmitCommand.number(
        "value", number,
        -Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
      if let unit { event.unit = Event.Unit(unit) }
      return event
    }
  }

  static var colorNames: String {
    EventColor.allCases.map { "\($0.name)" }.joined(separator: ", ")
  }

  private static func named(_ kind: Event.Kind, _ words: [String]) throws -> Event {
    var event = Event(kind)
    event.setName(words.joined(separator: " "))
    guard !event.name.isEmpty else {
      throw ValidationError("\(kind.word) needs a text; see: perfhud emit \(kind.word) --help")
    }
    return event
  }

  private static func number(
    _ name: String, _ text: String, _ range: ClosedRange<Double>
  ) throws -> Double {
    guard let value = Double(text), range.contains(value) else {
      let limits = range.upperBound < 1e9 ? " from 0 to \(Int(range.upperBound))" : ""
      throw ValidationError(
        "\(name) '\(SafeText.clean(text, limit: 40))' is not a number\(limits)")
    }
    return value
  }
}

/// A kind of event, as a subcommand.
protocol EmittedEvent: Subcommand {
  var target: EmitTarget { get }
  func event() throws -> Event
}

extension EmittedEvent {
  func perform(_ environment: Environment) throws -> Int32 {
    try target.send(try event())
    return ExitStatus.done
  }
}

/// The receiver of an event.
struct EmitTarget: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Another HUD: that of a process, at a socket, or with tty the one around this terminal.",
      valueName: "pid|socket|tty"))
  var to: String?

  /// How long to wait for a busy HUD.
  private static let patienceMilliseconds: Int32 = 20

  func send(_ event: Event) throws {
    guard let to else { return sendAbove(event) }
    if to == "tty" {
      sendToTerminal(event)
    } else if let pid = Int32(to), pid > 0 {
      _ = send(
        event,
        EventSender(
          socketPath: nil, directories: .of(process: pid), process: pid, isNumbered: false))
    } else if to.contains("/") {
      _ = send(
        event, EventSender(socketPath: to, directories: .current(), process: 0, isNumbered: false))
    } else {
      throw ValidationError(
        "'\(SafeText.clean(to, limit: 40))' is no process, no path of a socket and not tty")
    }
  }

  /// Sends the event to the HUD in whose command this runs: by its socket, or if that cannot be reached, as from within
  /// a container, with the output. Without such a HUD, sends it to one that is attached to a process above this one.
  private func sendAbove(_ event: Event) {
    let environment = Environment.current()
    if let path = environment["PERFHUD_SOCKET"], !path.isEmpty,
      send(
        event, EventSender(socketPath: path, directories: .current(), process: 0, isNumbered: false)
      )
    {
      return
    }
    if environment["PERFHUD"]?.isEmpty == false { return sendToTerminal(event) }
    for parent in ParentProcesses(of: getpid()) {
      let directories = SocketDirectories.of(process: parent)
      guard let path = directories.listenedSocket(of: parent) else { continue }
      _ = send(
        event,
        EventSender(socketPath: path, directories: directories, process: 0, isNumbered: false))
      return
    }
  }

  /// - Returns: whether a HUD is listening there.
  private func send(_ event: Event, _ sender: consuming EventSender) -> Bool {
    var sender = sender
    sender.send(event)
    let isConnected = sender.isConnected
    sender.flush(milliseconds: EmitTarget.patienceMilliseconds)
    return isConnected
  }

  /// Sends the event as an own sequence (OSC 7337), in one write, so that other output does not mix with it.
  private func sendToTerminal(_ event: Event) {
    let terminal = unsafe open("/dev/tty", O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard terminal >= 0 else { return }
    var bytes = Array("\u{1B}]7337;perfhud;".utf8)
    EventCodec.encode(event, to: &bytes)
    bytes += Array("\u{1B}\\".utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(terminal, $0.baseAddress, $0.count) }
    close(terminal)
  }
}
