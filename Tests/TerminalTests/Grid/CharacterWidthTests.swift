import Terminal
import Testing

@Suite struct CharacterWidthTests {
  @Test func `ASCII letters take 1 column, control characters none`() {
    #expect(CharacterWidth.of("A") == 1)
    #expect(CharacterWidth.of("~" as Unicode.Scalar) == 1)
    #expect(CharacterWidth.of("\n" as Unicode.Scalar) == 0)
    #expect(CharacterWidth.of("\u{7F}" as Unicode.Scalar) == 0)
    #expect(CharacterWidth.of("\u{9B}" as Unicode.Scalar) == 0)
  }

  @Test func `日本語 takes 6 columns, half-width katakana 1 each`() {
    #expect(CharacterWidth.of("日本語") == 6)
    #expect(CharacterWidth.of("ｶﾅ") == 2)
    #expect(CharacterWidth.of("Ａ" as Unicode.Scalar) == 2)
    #expect(CharacterWidth.of("\u{3000}" as Unicode.Scalar) == 2)
  }

  @Test func `a combining accent takes no column`() {
    #expect(CharacterWidth.of("e\u{301}") == 1)
    #expect(CharacterWidth.of("\u{E9}") == 1)
    #expect(CharacterWidth.of("か\u{3099}") == 2)
    #expect(CharacterWidth.of("\u{20DD}" as Unicode.Scalar) == 0)
  }

  @Test func `Hangul of joined parts takes the 2 columns of its first`() {
    #expect(CharacterWidth.of("\u{1112}\u{1161}\u{11AB}") == 2)
    #expect(CharacterWidth.of("\u{D55C}") == 2)
    #expect(CharacterWidth.of("\u{D7B0}" as Unicode.Scalar) == 0)
  }

  @Test func `joiners, variation selectors and tags take no column`() {
    for scalar: Unicode.Scalar in [
      "\u{200B}", "\u{200D}", "\u{FE0F}", "\u{E0100}", "\u{E0067}", "\u{2066}", "\u{FEFF}",
    ] {
      #expect(CharacterWidth.of(scalar) == 0)
    }
    #expect(CharacterWidth.of("\u{AD}" as Unicode.Scalar) == 1)
  }

  @Test func `emoji with emoji presentation take 2 columns, text symbols 1`() {
    #expect(CharacterWidth.of("🎨") == 2)
    #expect(CharacterWidth.of("⌚") == 2)
    #expect(CharacterWidth.of("🫩") == 2)
    #expect(CharacterWidth.of("\u{1FADF}" as Unicode.Scalar) == 2)
    #expect(CharacterWidth.of("🖼" as Unicode.Scalar) == 1)
    #expect(CharacterWidth.of("☎" as Unicode.Scalar) == 1)
  }

  @Test func `each half of a flag takes 1 column, a skin tone 2`() {
    #expect(CharacterWidth.of("🇯🇵") == 2)
    #expect(CharacterWidth.of("\u{1F3FD}" as Unicode.Scalar) == 2)
  }

  @Test func `frames, blocks, braille and ambiguous signs take 1 column`() {
    for scalar in "│─┌┐└┘█▁▇░⠀⣿…°±αя→•♥".unicodeScalars {
      #expect(CharacterWidth.of(scalar) == 1, "U+\(String(scalar.value, radix: 16))")
    }
  }

  @Test func `ideographs beyond the table take 2 columns, private ones 1`() {
    #expect(CharacterWidth.of("\u{20000}" as Unicode.Scalar) == 2)
    #expect(CharacterWidth.of("\u{3FFFD}" as Unicode.Scalar) == 2)
    #expect(CharacterWidth.of("\u{1F000}" as Unicode.Scalar) == 1)
    #expect(CharacterWidth.of("\u{E000}" as Unicode.Scalar) == 1)
    #expect(CharacterWidth.of("\u{10FFFD}" as Unicode.Scalar) == 1)
  }

  @Test func `every scalar has a width from 0 to 2`() {
    var counts = [0, 0, 0]
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let width = CharacterWidth.of(scalar)
      guard (0...2).contains(width) else {
        Issue.record("U+\(String(value, radix: 16)) is \(width) wide")
        return
      }
      counts[width] += 1
    }
    #expect(counts[0] > 5000 && counts[2] > 180_000)
  }
}
