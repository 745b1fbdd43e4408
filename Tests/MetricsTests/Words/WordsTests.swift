import Metrics
import Sampler
import Testing

@Suite struct WordsTests {
  private static let texts: [(english: StaticString, japanese: StaticString)] =
    Word.allCases.filter { $0 != .absentPending }.map { ($0.english, $0.japanese) }
    + SettingWord.allCases.map { ($0.text(.english), $0.text(.japanese)) }

  @Test func `no word is empty in any language`() {
    for (english, japanese) in WordsTests.texts {
      #expect(english.utf8CodeUnitCount > 0 && japanese.utf8CodeUnitCount > 0, "\(english)")
    }
  }

  @Test func `sentences are translated`() {
    for (english, japanese) in WordsTests.texts where "\(english)".contains(" ") {
      #expect("\(japanese)" != "\(english)")
      #expect(!japanese.isASCII, "\(english)")
    }
  }

  @Test func `English is ASCII but for the ellipsis of a value to come`() {
    for (english, _) in WordsTests.texts { #expect(english.isASCII, "\(english)") }
  }

  @Test func `each reason and each limit has words of its own`() {
    let states: [ProcessState] = [
      .running, .sleeping, .diskSleep, .stopped, .traced, .zombie, .dead, .idle,
    ]
    #expect(Set(Absence.allCases.map(\.word)).count == Absence.allCases.count)
    #expect(Set(states.map(\.word)).count == states.count)
    let limits: [MemoryLimitSource] = [.physical, .cgroupMax, .cgroupHigh, .addressSpace]
    #expect(Set(limits.map(\.word)).count == limits.count)
  }

  @Test(
    arguments: [
      ("ja_JP.UTF-8", .japanese), ("ja", .japanese), ("en_US.UTF-8", .english), ("C", .english),
      ("", .english), (nil, .english),
    ] as [(String?, Language)])
  func `the locale names the language`(locale: String?, language: Language) {
    #expect(Language(locale: locale) == language)
  }
}
