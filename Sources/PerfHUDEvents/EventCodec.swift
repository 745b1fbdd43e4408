import Glibc
import PerfHUDBase

/// The reason why a line is not an event.
package enum EventLineError: Error, Equatable, Sendable {
  /// The line has more than `EventCodec.lineLimit` bytes.
  case tooLong
  /// The first word is not a kind of event: a typo, or a kind of a later version.
  case unknownKind
  /// A name, text or number that the kind requires is missing.
  case missingText
  /// A number cannot be read, or is out of range.
  case badNumber
  /// A word after the fields is ignored.
  case strayWord
}

/// Converts between a line and an event. docs/EVENTS.md is the specification.
///
///     phase NAME [icon=🎨] [color=orange] [rss=BYTES mem=BYTES [faulted=BYTES]]
///     action NAME [n=COUNT] [ago=MS] [detail=…]     frame [ms=16.6]
///     toast TEXT     loading TEXT [progress=0.4] [cover=yes]     loading-done     value NAME NUMBER [unit=MiB]
///     [seq=N on any]
///
/// Nothing is allocated in either direction.
package enum EventCodec {
  /// The longest line in bytes, without its end. The longest event, with all bytes of its texts percent-encoded, takes
  /// some 850.
  package static let lineLimit = 1024

  /// Reads a line, with or without its end.
  ///
  /// The texts of the event are harmless for a terminal: bytes that are not UTF-8 become U+FFFD; controls, and
  /// characters that change the direction of text, become a visible mark (`SafeText`).
  ///
  /// - Returns: `nil` for an empty line or a comment (`#`).
  package static func decode(_ line: RawSpan) throws(EventLineError) -> Event? {
    var rest = LineRange(start: 0, end: line.byteCount)
    rest.trim(in: line)
    guard rest.start < rest.end, rest.first(in: line) != UInt8(ascii: "#") else { return nil }
    guard rest.end <= lineLimit else { throw .tooLong }
    let word = rest.takeWord(in: line)
    guard let kind = kind(word, in: line) else { throw .unknownKind }
    var event = Event(kind)
    switch kind {
    case .phase, .action:
      let text = rest.takeUntilField(in: line)
      text.decode(into: &event.name, in: line)
      guard !event.name.isEmpty else { throw .missingText }
    case .toast, .loading:
      try takeLastFields(&rest, of: &event, in: line)
      let isWhole = rest.decode(into: &event.name, in: line)
      if !isWhole { event.name.markCut() }
      guard !event.name.isEmpty else { throw .missingText }
      return event
    case .value:
      rest.takeWord(in: line).decode(into: &event.name, in: line)
      let number = rest.takeWord(in: line)
      guard !event.name.isEmpty, number.start < number.end else { throw .missingText }
      event.number = try number.decimal(in: line)
    case .frame, .loadingDone: break
    }
    while rest.start < rest.end {
      let word = rest.takeWord(in: line)
      guard let separator = word.fieldSeparator(in: line) else { throw .strayWord }
      try take(word, separator, into: &event, in: line)
    }
    if let memory = event.memory, memory.residentBytes == .max || memory.anonymousBytes == .max {
      event.memory = nil
    }
    return event
  }

  // By raw value, because `allCases` would allocate an array.
  private static func kind(_ word: LineRange, in line: RawSpan) -> Event.Kind? {
    var number: UInt8 = 0
    while let kind = Event.Kind(rawValue: number) {
      if word.holds(kind.word, in: line) { return kind }
      number += 1
    }
    return nil
  }

  private static func color(_ word: LineRange, in line: RawSpan) -> EventColor? {
    var number: UInt8 = 0
    while let color = EventColor(rawValue: number) {
      if word.holds(color.name, in: line) { return color }
      number += 1
    }
    return nil
  }

  /// A text may contain spaces, so only the last words of the line that are fields of the kind are taken as fields.
  private static func takeLastFields(
    _ rest: inout LineRange, of event: inout Event, in line: RawSpan
  ) throws(EventLineError) {
    while true {
      let word = rest.lastWord(in: line)
      guard let separator = word.fieldSeparator(in: line) else { return }
      let key = LineRange(start: word.start, end: separator)
      let isLoading =
        event.kind == .loading
        && (key.holds("progress", in: line) || key.holds("cover", in: line))
      guard isLoading || key.holds("seq", in: line) else { return }
      try take(word, separator, into: &event, in: line)
      rest.end = word.start
      rest.trim(in: line)
    }
  }

  /// Decodes a field. A field that is unknown, or does not belong to the kind, is ignored.
  private static func take(
    _ word: LineRange, _ separator: Int, into event: inout Event, in line: RawSpan
  ) throws(EventLineError) {
    let key = LineRange(start: word.start, end: separator)
    let value = LineRange(start: separator + 1, end: word.end)
    if key.holds("seq", in: line) {
      event.sequence = try value.unsigned(in: line)
      return
    }
    switch event.kind {
    case .phase:
      if key.holds("icon", in: line) { value.decodeIcon(into: &event.icon, in: line) }
      if key.holds("color", in: line) {
        // For a color of a later version, the HUD chooses.
        event.color = color(value, in: line)
      }
      try takeMemory(key, value, into: &event, in: line)
    case .action:
      if key.holds("n", in: line) {
        event.count = UInt32(clamping: try value.unsigned(in: line))
        guard event.count > 0 else { throw .badNumber }
      }
      if key.holds("ago", in: line) { event.number = Double(try value.unsigned(in: line)) }
      if key.holds("detail", in: line) {
        event.detail.removeAll()
        value.decode(into: &event.detail, in: line)
      }
    case .frame:
      if key.holds("ms", in: line) {
        event.number = try value.decimal(in: line)
        guard event.number >= 0 else { throw .badNumber }
      }
    case .loading:
      if key.holds("progress", in: line) {
        event.number = min(1, max(0, try value.decimal(in: line)))
      }
      if key.holds("cover", in: line) { event.coversScreen = value.holds("yes", in: line) }
    case .value:
      if key.holds("unit", in: line) {
        event.unit.removeAll()
        value.decode(into: &event.unit, in: line)
      }
    case .toast, .loadingDone: break
    }
  }

  /// Decodes a field of the sender's memory. An incomplete report is ignored, see `decode`.
  private static func takeMemory(
    _ key: LineRange, _ value: LineRange, into event: inout Event, in line: RawSpan
  ) throws(EventLineError) {
    let isResident = key.holds("rss", in: line)
    guard isResident || key.holds("mem", in: line) || key.holds("faulted", in: line) else { return }
    let number = try value.unsigned(in: line)
    var memory =
      event.memory ?? ReportedMemory(residentBytes: .max, anonymousBytes: .max)
    if isResident {
      memory.residentBytes = number
    } else if key.holds("mem", in: line) {
      memory.anonymousBytes = number
    } else {
      memory.faultedBytes = number
    }
    event.memory = memory
  }

  /// Appends the line of an event, without its end.
  package static func encode(_ event: Event, to sink: inout some ByteSink) {
    sink.append(event.kind.word)
    switch event.kind {
    case .phase, .action, .toast, .loading, .value:
      sink.append(UInt8(ascii: " "))
      append(event.name, to: &sink)
    case .frame, .loadingDone: break
    }
    switch event.kind {
    case .phase:
      append(event.icon, as: " icon=", to: &sink)
      if let color = event.color {
        sink.append(" color=")
        sink.append(color.name)
      }
      if let memory = event.memory {
        append(memory.residentBytes, as: " rss=", to: &sink)
        append(memory.anonymousBytes, as: " mem=", to: &sink)
        if let bytes = memory.faultedBytes { append(bytes, as: " faulted=", to: &sink) }
      }
    case .action:
      if event.count != 1 {
        sink.append(" n=")
        sink.append(decimal: UInt64(event.count))
      }
      if event.number >= 1 {
        append(UInt64(min(event.number, Double(UInt32.max))), as: " ago=", to: &sink)
      }
      append(event.detail, as: " detail=", to: &sink)
    case .frame: append(event.number, as: " ms=", to: &sink)
    case .loading:
      append(event.number, as: " progress=", to: &sink)
      if event.coversScreen { sink.append(" cover=yes") }
    case .value:
      append(event.number.isFinite ? event.number : 0, as: " ", to: &sink)
      append(event.unit, as: " unit=", to: &sink)
    case .toast, .loadingDone: break
    }
    if let sequence = event.sequence {
      sink.append(" seq=")
      sink.append(decimal: sequence)
    }
  }

  private static func append(
    _ number: UInt64, as field: StaticString, to sink: inout some ByteSink
  ) {
    sink.append(field)
    sink.append(decimal: number)
  }

  private static func append<let capacity: Int>(
    _ text: InlineText<capacity>, as field: StaticString, to sink: inout some ByteSink
  ) {
    guard !text.isEmpty else { return }
    sink.append(field)
    append(text, to: &sink)
  }

  /// Percent-encodes separators: blanks, controls, `=` and `%` (RFC 3986, section 2.1).
  private static func append<let capacity: Int>(
    _ text: InlineText<capacity>, to sink: inout some ByteSink
  ) {
    for index in 0..<text.count {
      let byte = text[index]
      switch byte {
      case 0...0x20, 0x7F, UInt8(ascii: "%"), UInt8(ascii: "="):
        sink.append(UInt8(ascii: "%"))
        sink.append(hexDigit(byte >> 4))
        sink.append(hexDigit(byte & 15))
      default: sink.append(byte)
      }
    }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "A")
  }

  /// Appends a number with up to 15 significant digits; nothing if it was not given.
  private static func append(
    _ number: Double, as field: StaticString, to sink: inout some ByteSink
  ) {
    guard number.isFinite else { return }
    sink.append(field)
    if number < 0 { sink.append(UInt8(ascii: "-")) }
    let magnitude = number.magnitude
    guard magnitude >= .leastNormalMagnitude else { return sink.append(UInt8(ascii: "0")) }
    var exponent = Int(floor(log10(magnitude)))
    // In two steps, because 10^322 is not finite.
    let half = (14 - exponent) / 2
    var digits = (magnitude * pow(10, Double(half)) * pow(10, Double(14 - exponent - half)))
      .rounded()
    if digits >= 1e15 {
      digits /= 10
      exponent += 1
    }
    var mantissa = UInt64(digits)
    var power = exponent - 14
    while mantissa > 0, mantissa % 10 == 0 {
      mantissa /= 10
      power += 1
    }
    if power >= 0, power <= 3 {
      for _ in 0..<power { mantissa *= 10 }
      power = 0
    }
    guard power < 0, power >= -18 else {
      sink.append(decimal: mantissa)
      if power != 0 {
        sink.append(UInt8(ascii: "e"))
        sink.append(decimal: power)
      }
      return
    }
    var scale: UInt64 = 1
    for _ in 0..<(-power) { scale *= 10 }
    sink.append(decimal: mantissa / scale)
    sink.append(UInt8(ascii: "."))
    sink.append(decimal: mantissa % scale, width: -power, pad: UInt8(ascii: "0"))
  }
}

extension Event.Kind {
  /// The first word of its line.
  package var word: StaticString {
    switch self {
    case .phase: "phase"
    case .action: "action"
    case .frame: "frame"
    case .toast: "toast"
    case .loading: "loading"
    case .loadingDone: "loading-done"
    case .value: "value"
    }
  }
}
