import Metrics
import Sampler
import Testing

@Suite struct WordsTests {
  @Test func `no word is empty in any language`() {
    for word in Word.allCases {
      for language in Language.allCases {
        #expect(word.text(language).utf8CodeUnitCount > 0, "\(word) \(language)")
      }
    }
  }

  @Test func `sentences are translated`() {
    for word in Word.allCases where "\(word.english)".contains(" ") {
      #expect("\(word.japanese)" != "\(word.english)", "\(word)")
      #expect(!word.japanese.isASCII, "\(word)")
    }
  }

  @Test func `English is ASCII but for the ellipsis of a value to come`() {
    for word in Word.allCases where word != .absentPending {
      #expect(word.english.isASCII, "\(word)")
    }
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
