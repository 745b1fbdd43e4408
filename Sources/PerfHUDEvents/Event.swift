import PerfHUDBase

/// Something that a program says about itself. docs/EVENTS.md is the specification.
///
/// Its texts were made harmless when they were decoded. It is copied as bits, so a flood of events allocates
/// nothing on its way into the run.
public struct Event: BitwiseCopyable, Sendable {
  public enum Kind: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    /// The program shows or does something else from now on: `name`, `icon`, `color`.
    case phase
    /// Something happened, `count` times: `name`, `detail`.
    case action
    /// A frame was finished; `number` is its time in milliseconds, NaN where it was not given.
    case frame
    /// Something to be shown for a moment: `name` is the text.
    case toast
    /// The program loads: `name` is the text, `number` the part that is done from 0 to 1, or NaN.
    case loading
    case loadingDone
    /// A value of the program's own: `name`, `number`, `unit`.
    case value
  }

  public var kind: Kind
  /// The source of the event.
  public var origin = EventOrigin.app
  /// Name of a phase, an action or a value; text of a toast or of loading.
  public var name = Name()
  public var detail = Detail()
  public var icon = Icon()
  public var unit = Unit()
  /// The color that the program asks for; `nil` leaves it to the HUD.
  public var color: EventColor?
  /// Whether loading covers the whole screen, not one line.
  public var coversScreen = false
  /// How often it happened; at least 1.
  public var count: UInt32 = 1
  public var number = Double.nan
  /// The number of the event in the sender's own count, which reveals lost events; `nil` without a count.
  public var sequence: UInt64?
  /// The sender's memory when it named a phase; `nil` if it did not report it.
  public var memory: ReportedMemory?
  /// The process that sent the event, according to the kernel; 0 if not known. It is not part of the line.
  public var sender: Int32 = 0
  /// The process group of whoever says a toast or loading, see `speaker`. It is not part of the line.
  package var group: Int32 = 0

  public init(_ kind: Kind) { self.kind = kind }

  // The limits: what fits in a row of a wide HUD; a longer text is cut, never refused.
  public typealias Name = InlineText<64>
  public typealias Detail = InlineText<128>
  /// One character as a person sees it may be several scalars.
  public typealias Icon = InlineText<24>
  public typealias Unit = InlineText<16>
}

/// The process whose words an event has.
package struct Speaker: BitwiseCopyable, Sendable, Equatable {
  /// Its name, made harmless; empty where it is not known. Source: `/proc/PID/comm`.
  package var name = InlineText<16>()
  /// 0 where it is not known.
  package var process: Int32 = 0
  /// Its process group: with the last process of that its words end; 0 where it is not known, below 0 where it has
  /// ended already.
  package var group: Int32 = 0

  package init() {}

  package init(name: String, process: Int32, group: Int32) {
    self.name = InlineText(name)
    self.process = process
    self.group = group
  }
}

extension Event {
  /// Whether it has words that are shown as those of a program.
  package var hasSpeaker: Bool { kind == .toast || kind == .loading }

  /// Who says the words of a toast or of loading, as far as perfhud can find out.
  package var speaker: Speaker {
    get {
      var speaker = Speaker()
      speaker.process = sender
      speaker.group = group
      if hasSpeaker { for index in 0..<detail.count { speaker.name.append(detail[index]) } }
      return speaker
    }
    set {
      // Only an action has a detail of its own.
      detail.removeAll()
      for index in 0..<newValue.name.count { detail.append(newValue.name[index]) }
      sender = newValue.process
      group = newValue.group
    }
  }
}

/// The memory that a process reports of itself: the fields `rss=`, `mem=` and `faulted=` of a phase.
public struct ReportedMemory: BitwiseCopyable, Sendable, Equatable {
  /// Resident memory, in bytes. Source: field 2 of `/proc/self/statm`.
  public var residentBytes: UInt64
  /// Private anonymous memory, in bytes. Source: fields 2 and 3 of `/proc/self/statm`.
  public var anonymousBytes: UInt64
  /// Bytes that page faults have brought in since the process started; `nil` if that was not reported.
  /// Source: `ru_minflt` of `getrusage(2)`, times the size of a page.
  public var faultedBytes: UInt64?

  public init(residentBytes: UInt64, anonymousBytes: UInt64, faultedBytes: UInt64? = nil) {
    self.residentBytes = residentBytes
    self.anonymousBytes = anonymousBytes
    self.faultedBytes = faultedBytes
  }
}

/// The colors that a program can ask for, by name; the HUD's theme decides how they look.
public enum EventColor: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  case red, orange, yellow, green, cyan, blue, purple, pink, gray

  /// The name in a line.
  public var name: StaticString {
    switch self {
    case .red: "red"
    case .orange: "orange"
    case .yellow: "yellow"
    case .green: "green"
    case .cyan: "cyan"
    case .blue: "blue"
    case .purple: "purple"
    case .pink: "pink"
    case .gray: "gray"
    }
  }
}
