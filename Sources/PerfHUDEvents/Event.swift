import PerfHUDBase

/// Something that a program says about itself. docs/EVENTS.md is the specification.
///
/// Its texts were made harmless when they were decoded. It is copied bitwise, so a flood of events allocates nothing on
/// its way into the run.
public struct Event: BitwiseCopyable, Sendable {
  public enum Kind: UInt8, BitwiseCopyable, Sendable, CaseIterable {
    /// The program now shows or does something else: `name`, `icon`, `color`.
    case phase
    /// Something happened, `count` times: `name`, `detail`. `number` is how many milliseconds ago, or NaN for now.
    case action
    /// A frame was finished; `number` is its time in milliseconds, or NaN if not given.
    case frame
    /// A text to show for a moment: `name`.
    case toast
    /// The program is loading: `name` is the text, `number` the completed part from 0 to 1, or NaN.
    case loading
    case loadingDone
    /// A value of the program's own: `name`, `number`, `unit`.
    case value
  }

  public var kind: Kind
  /// The source of the event.
  public var origin = EventOrigin.app
  /// The name of a phase, action or value; the text of a toast or of loading.
  public var name = Name()
  public var detail = Detail()
  public var icon = Icon()
  public var unit = Unit()
  /// The color requested by the program; `nil` leaves it to the HUD.
  public var color: EventColor?
  /// Whether loading covers the whole screen instead of one line.
  public var coversScreen = false
  /// How often it happened; at least 1.
  public var count: UInt32 = 1
  public var number = Double.nan
  /// The number of the event in the sender's own count, which reveals lost events; `nil` without a count.
  public var sequence: UInt64?
  /// The sender's memory when it named a phase; `nil` if it did not report it.
  public var memory: ReportedMemory?
  /// The process that sent the event, according to the kernel; 0 if unknown. It is not part of the line.
  public var sender: Int32 = 0
  /// The process group to which a toast or loading is attributed, see `speaker`. It is not part of the line.
  package var group: Int32 = 0

  public init(_ kind: Kind) { self.kind = kind }

  // The limits: what fits in a row of a wide HUD. A longer text is cut, never refused; that of a toast or of loading
  // then ends with `…`.
  public typealias Name = InlineText<64>
  public typealias Detail = InlineText<128>
  /// What a person sees as one character may consist of several scalars.
  public typealias Icon = InlineText<24>
  public typealias Unit = InlineText<16>
}

/// The process to which an event's text is attributed.
package struct Speaker: BitwiseCopyable, Sendable, Equatable {
  /// Its name, made harmless; empty if unknown. Source: `/proc/PID/comm`.
  package var name = InlineText<16>()
  /// 0 if unknown.
  package var process: Int32 = 0
  /// Its process group: its texts end when the last process of the group ends. 0 if unknown, below 0 if it has already
  /// ended.
  package var group: Int32 = 0

  package init() {}

  package init(name: String, process: Int32, group: Int32) {
    self.name = InlineText(name)
    self.process = process
    self.group = group
  }
}

extension Event {
  /// Whether its text is shown as coming from a program.
  package var hasSpeaker: Bool { kind == .toast || kind == .loading }

  /// Sets the name. The text of a toast or of loading ends with `…` if it is cut.
  package mutating func setName(_ text: String) {
    name = hasSpeaker ? Name(marking: text) : Name(text)
  }

  /// The process to which a toast or loading is attributed, as far as perfhud can determine it.
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

/// A process's own memory, as it reports it: the fields `rss=`, `mem=` and `faulted=` of a phase.
public struct ReportedMemory: BitwiseCopyable, Sendable, Equatable {
  /// Resident memory, in bytes. Source: field 2 of `/proc/self/statm`.
  public var residentBytes: UInt64
  /// Private anonymous memory, in bytes. Source: fields 2 and 3 of `/proc/self/statm`.
  public var anonymousBytes: UInt64
  /// The bytes that page faults have brought in since the process started; `nil` if not reported. Source: `ru_minflt`
  /// of `getrusage(2)`, times the page size.
  public var faultedBytes: UInt64?

  public init(residentBytes: UInt64, anonymousBytes: UInt64, faultedBytes: UInt64? = nil) {
    self.residentBytes = residentBytes
    self.anonymousBytes = anonymousBytes
    self.faultedBytes = faultedBytes
  }
}

/// The colors that a program can request by name. The HUD's theme decides how they look.
public enum EventColor: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  case red, orange, yellow, green, cyan, blue, purple, pink, gray

  /// The name used in a line.
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
