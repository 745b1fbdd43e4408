import PerfHUDBase
import PerfHUDEvents

extension ByteSink {
  /// Appends the text of a word, with a value in place of its `#`.
  package mutating func append(
    _ word: Word, _ language: Language, value: some Sequence<UInt8>
  ) {
    let text = word.text(language)
    for index in 0..<text.utf8CodeUnitCount {
      let byte = unsafe text.utf8Start[index]
      if byte == UInt8(ascii: "#") {
        for digit in value { append(digit) }
      } else {
        append(byte)
      }
    }
  }
}

extension Verdict {
  /// The verdict in words, without an allocation: `keeps 12.00 MiB a visit`.
  ///
  /// - Parameter other: the name of the phase that `either` names.
  package func text(_ language: Language, other: Event.Name? = nil) -> ShortText {
    var text = ShortText()
    switch self {
    case .unknown(0): text.append(Word.verdictSettling.text(language))
    case .unknown(1): text.append(Word.verdictUnknownOne.text(language))
    case .unknown(let needed):
      var value = ShortText()
      value.append(decimal: needed)
      text.append(.verdictUnknown, language, value: Digits(value))
    case .steady: text.append(Word.verdictSteady.text(language))
    case .released(..<0.5): text.append(Word.verdictNoGrowth.text(language))
    case .released(let percent):
      var value = ShortText()
      value.append(percent, decimals: 0)
      text.append(.verdictReleased, language, value: Digits(value))
    case .keeps(let bytes, let orMore):
      let word: Word = orMore ? .verdictKeepsOrMore : .verdictKeeps
      text.append(word, language, value: Digits(NumberFormat.bytes(bytes)))
    case .either(let bytes, _):
      text.append(.verdictKeeps, language, value: Digits(NumberFormat.bytes(bytes)))
      if let other {
        text.append(.verdictOr, language, value: NameStart(other))
      } else {
        text.append(Word.verdictOrAnother.text(language))
      }
    case .held(let bytes):
      text.append(.verdictHeld, language, value: Digits(NumberFormat.bytes(bytes)))
    case .hidden:
      if let other {
        text.append(.verdictHidden, language, value: NameStart(other))
      } else {
        text.append(Word.verdictHiddenShort.text(language))
      }
    }
    return text
  }

  /// What one visit kept, in words: `kept 12.00 MiB`.
  package static func keptText(_ bytes: Double, _ language: Language) -> ShortText {
    var text = ShortText()
    text.append(.verdictKept, language, value: Digits(NumberFormat.bytes(bytes)))
    return text
  }

  /// A shorter form for little room: `keeps 12.00 MiB`.
  package func shortText(_ language: Language) -> ShortText {
    var short = ShortText()
    switch self {
    case .unknown(0): short.append(Word.verdictSettlingShort.text(language))
    case .unknown(1): short.append(Word.verdictUnknownOneShort.text(language))
    case .unknown(let needed):
      var value = ShortText()
      value.append(decimal: needed)
      short.append(.verdictUnknownShort, language, value: Digits(value))
    case .keeps(let bytes, let orMore):
      short.append(.verdictKeepsShort, language, value: Digits(NumberFormat.bytes(bytes)))
      if orMore { short.append("+") }
    case .either(let bytes, _):
      short.append(.verdictKeepsShort, language, value: Digits(NumberFormat.bytes(bytes)))
      short.append(" ?")
    case .held(let bytes):
      short.append(.verdictHeldShort, language, value: Digits(NumberFormat.bytes(bytes)))
    case .hidden: short.append(Word.verdictHiddenShort.text(language))
    case .steady, .released: return text(language)
    }
    return short
  }
}

extension Verdict {
  /// The shortest form, for a few columns: `+12.00 MiB`, `2 to go`.
  package func shortestText(_ language: Language) -> ShortText {
    var text = ShortText()
    switch self {
    case .unknown(let needed) where needed > 0:
      var value = ShortText()
      value.append(decimal: needed)
      text.append(.verdictUnknownShortest, language, value: Digits(value))
    case .released(let percent) where percent >= 0.5:
      var value = ShortText()
      value.append(percent, decimals: 0)
      text.append(.verdictReleasedShortest, language, value: Digits(value))
    case .keeps(let bytes, _):
      text.append("+")
      text.append(NumberFormat.bytes(bytes).trimmed)
    case .either(let bytes, _):
      text.append("+")
      text.append(NumberFormat.bytes(bytes).trimmed)
      text.append(" ?")
    default: return shortText(language)
    }
    return text
  }
}

/// The first characters of a name: at most 16 bytes.
private struct NameStart: Sequence, IteratorProtocol {
  private static let limit = 16
  private let name: Event.Name
  private let end: Int
  private var position = 0

  init(_ name: Event.Name) {
    self.name = name
    var end = Swift.min(name.count, NameStart.limit)
    // Do not cut within a character: its further bytes are 10xxxxxx.
    while end > 0, end < name.count, name[end] & 0xC0 == 0x80 { end -= 1 }
    self.end = end
  }

  mutating func next() -> UInt8? {
    guard position < end else { return nil }
    defer { position += 1 }
    return name[position]
  }
}

/// The bytes of a value without its padding.
private struct Digits: Sequence, IteratorProtocol {
  private let text: ShortText
  private var position = 0

  init(_ text: ShortText) {
    self.text = text
    while position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
  }

  mutating func next() -> UInt8? {
    guard position < text.count else { return nil }
    defer { position += 1 }
    return text[position]
  }
}
