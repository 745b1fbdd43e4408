import Base

extension ByteSink {
  /// Appends the text of a word with the figure in the place of its `#`.
  public mutating func append(
    _ word: Word, _ language: Language, figure: some Sequence<UInt8>
  ) {
    let text = word.text(language)
    for index in 0..<text.utf8CodeUnitCount {
      let byte = unsafe text.utf8Start[index]
      if byte == UInt8(ascii: "#") {
        for digit in figure { append(digit) }
      } else {
        append(byte)
      }
    }
  }
}

extension Verdict {
  /// The verdict in words, without an allocation: `grows +12.00 MiB a visit`.
  public func text(_ language: Language) -> ShortText {
    var text = ShortText()
    switch self {
    case .unknown(1): text.append(Word.verdictUnknownOne.text(language))
    case .unknown(let needed):
      var figure = ShortText()
      figure.append(decimal: needed)
      text.append(.verdictUnknown, language, figure: Digits(figure))
    case .steady: text.append(Word.verdictSteady.text(language))
    case .released(let percent):
      var figure = ShortText()
      figure.append(percent, decimals: 0)
      text.append(.verdictReleased, language, figure: Digits(figure))
    case .kept(let bytes):
      text.append(.verdictKept, language, figure: Digits(NumberFormat.bytes(bytes)))
    case .grows(let bytes):
      text.append(.verdictGrows, language, figure: Digits(NumberFormat.bytes(bytes)))
    case .held(let bytes):
      text.append(.verdictHeld, language, figure: Digits(NumberFormat.bytes(bytes)))
    }
    return text
  }

  /// The same where there is little room: `grows +12.00 MiB`.
  public func shortText(_ language: Language) -> ShortText {
    var short = ShortText()
    switch self {
    case .unknown(let needed):
      var figure = ShortText()
      figure.append(decimal: needed)
      short.append(.verdictUnknownShort, language, figure: Digits(figure))
    case .grows(let bytes):
      short.append(.verdictGrowsShort, language, figure: Digits(NumberFormat.bytes(bytes)))
    case .held(let bytes):
      short.append(.verdictHeldShort, language, figure: Digits(NumberFormat.bytes(bytes)))
    case .steady, .released, .kept: return text(language)
    }
    return short
  }
}

/// The bytes of a figure without the padding that keeps figures on the screen in place.
private struct Digits: Sequence, IteratorProtocol {
  private let text: ShortText
  private var place = 0

  init(_ text: ShortText) {
    self.text = text
    while place < text.count, text[place] == UInt8(ascii: " ") { place += 1 }
  }

  mutating func next() -> UInt8? {
    guard place < text.count else { return nil }
    defer { place += 1 }
    return text[place]
  }
}
