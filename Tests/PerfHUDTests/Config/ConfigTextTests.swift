import HUD
import Metrics
import PerfHUDBase
import TestSupport
import Testing

@testable import PerfHUD

@Suite struct ConfigTextTests {
  private func changed(_ text: String, _ key: String, _ value: String?) throws -> String {
    var config = ConfigText(text)
    try config.set(key, to: value)
    return String(decoding: config.bytes, as: UTF8.self)
  }

  private func read(_ text: String) throws -> Settings {
    var settings = Settings()
    try ConfigFile.apply(text, path: "p.conf", to: &settings)
    return settings
  }

  @Test(arguments: [
    ("alert-command = notify-send 'build #1' # a comment", "notify-send 'build #1'"),
    ("alert-command = echo \"# 1\"", "echo \"# 1\""), ("alert-command = echo a#b", "echo a#b"),
    ("alert-command = echo don't # a comment", "echo don't"),
    ("alert-command = echo # '", "echo"), ("\u{FEFF}alert-command = x", "x"),
  ])
  func `a number sign begins a comment after a blank, outside quotes`(
    _ line: String, _ value: String
  )
    throws
  {
    #expect(try read(line).alertCommand == value)
  }

  @Test(
    arguments: [
      ("tick = 60\n", "tick", "30", "tick = 30\n"),
      ("  tick\t=60   # slow\n", "tick", "30", "  tick\t=30   # slow\n"),
      ("tick = 1\ntick = 2\n", "tick", "3", "tick = 1\ntick = 3\n"),
      ("tick =\n", "tick", "30", "tick = 30\n"),
      ("tick =   # none\n", "tick", "30", "tick = 30   # none\n"),
      ("", "tick", "30", "tick = 30\n"), ("# a", "tick", "30", "# a\ntick = 30\n"),
      ("ascii = yes", "tick", "30", "ascii = yes\ntick = 30\n"),
      ("# tick = 60\n\n# memory =\n", "tick", "30", "# tick = 60\ntick = 30\n\n# memory =\n"),
      ("#tick=60", "tick", "30", "#tick=60\ntick = 30\n"),
      ("tick = 60\r\nlang = en\r\n", "tick", "30", "tick = 30\r\nlang = en\r\n"),
      ("lang = en\r\n", "tick", "30", "lang = en\r\ntick = 30\r\n"),
      ("tick = 60\n", "tick", nil, "# tick = 60\n"),
      ("a\ntick = 1 # x\ntick = 2\n", "tick", nil, "a\n# tick = 1 # x\n# tick = 2\n"),
      ("lang = en\n", "tick", nil, "lang = en\n"),
      ("tick\u{3000}=\u{3000}60\n", "tick", "30", "tick\u{3000}=\u{3000}30\n"),
      (
        "alert = cpu > 1%\n# two\nalert = fps < 2\n", "alert", "swap > 0",
        "# alert = cpu > 1%\n# two\nalert = swap > 0\n"
      ),
      ("step-aside = no\naside = 1\n", "aside", "2", "step-aside = no\naside = 2\n"),
    ] as [(String, String, String?, String)])
  func `one line is changed`(text: String, key: String, value: String?, result: String) throws {
    #expect(try changed(text, key, value) == result)
  }

  @Test(arguments: ["a #b", " x", "x ", "a\nb", "\u{1B}[2J"])
  func `what a line cannot contain is refused, and changes nothing`(value: String) {
    var config = ConfigText("events = y\n")
    #expect(throws: SettingError.self) { try config.set("events", to: value) }
    #expect(config == ConfigText("events = y\n"))
  }

  @Test func `bytes that are no UTF-8 stay as they are`() throws {
    var config = ConfigText([0x23, 0xFF, 0xFE, 0x0A] + Array("tick = 60\n# ".utf8) + [0x80])
    try config.set("tick", to: "30")
    #expect(
      config.bytes == [0x23, 0xFF, 0xFE, 0x0A] + Array("tick = 30\n# ".utf8) + [0x80])
  }

  @Test(arguments: Language.allCases)
  func `the file that perfhud makes sets nothing, and has every setting`(language: Language) throws
  {
    let text = String(decoding: ConfigText.template(language).bytes, as: UTF8.self)
    #expect(try read(text) == Settings())
    for setting in SettingDefinition.all {
      #expect(text.contains("\n# \(setting.key) ="), "\(setting.key)")
      guard let value = setting.standard else { continue }
      // After its own comment, and in force.
      let changed = try changed(text, setting.key, value)
      #expect(changed.contains("\n# \(setting.key) = \(value)\n\(setting.key) = \(value)\n"))
      #expect(try read(changed) == Settings())
    }
  }

  /// Texts that a file could contain, most of them without a meaning.
  private static func randomFile(_ random: inout SeededRandom) -> [UInt8] {
    let lines = [
      "# comment", "", "   ", "tick = 60", "tick=30 # x", "# tick = 10", "memory = rss",
      "\tmemory\t=\tpss\t", "#memory=", "lang = ja", "alert = cpu > 90%", "alert = fps < 3",
      "size = 40x10", "size = ", "leader=none#", "日本 = 語", "# \u{FE}", "theme = dark",
    ]
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0..<12, using: &random) {
      bytes += Array((lines.randomElement(using: &random) ?? "").utf8)
      if Bool.random(using: &random) { bytes.append(UInt8.random(in: 0x80...0xFF, using: &random)) }
      bytes += Bool.random(using: &random) ? [0x0A] : [0x0D, 0x0A]
    }
    if Bool.random(using: &random), !bytes.isEmpty { bytes.removeLast() }
    return bytes
  }

  @Test func `of random files every line but the one concerned stays, byte for byte`() throws {
    var random = SeededRandom(seed: 5)
    for round in 0..<5_000 {
      let before = Self.randomFile(&random)
      let setting = SettingDefinition.all[
        Int.random(in: 0..<SettingDefinition.all.count, using: &random)]
      let value = setting.steps.randomElement(using: &random) ?? "cpu > 5%"
      var config = ConfigText(before)
      try config.set(setting.key, to: value)
      let old = before.split(separator: 0x0A, omittingEmptySubsequences: false)
      let new = config.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      let differences = new.difference(from: old)
      let concerned = old.filter { line in
        if case .setting(let found) = ConfigLine.kind(of: line) {
          return Settings.name(of: String(decoding: line[found.key], as: UTF8.self)) == setting.key
        }
        return false
      }
      let limit = setting.isList ? max(1, concerned.count) : 1
      #expect(differences.removals.count <= limit, "round \(round)")
      // What sets it now is the value, in the last line that speaks of it.
      let values = new.compactMap { line -> String? in
        guard case .setting(let found) = ConfigLine.kind(of: line),
          Settings.name(of: String(decoding: line[found.key], as: UTF8.self)) == setting.key
        else { return nil }
        return String(decoding: line[found.value], as: UTF8.self)
      }
      #expect(values.last == value, "round \(round): \(String(decoding: before, as: UTF8.self))")
      // The same once more changes nothing.
      let once = config
      try config.set(setting.key, to: value)
      #expect(config == once)
    }
  }
}

/// Random texts for every setting.
@Suite struct RandomSettingsTests {
  private static let pieces = [
    "", " ", "0", "1", "60", "-1", "999999999999999999999", "true", "on", "none", "ctrl-", "ctrl-a",
    "100ms", "2s", "1e9", "inf", "nan", "40x10", "x", "x1", "dark", "default", "braille", "pss",
    "top-right", "ja", "phases",
    "(", ")", "[", "*", "\\", "cpu > 5%", "; fps < 3", ";", "\n", "\0", "\u{1B}[2J", "日本語", "é",
    "\u{202E}", "#", "=", "/dev/null",
  ]

  @Test func `a value is taken as it says it was, or refused in one harmless line`() throws {
    var random = SeededRandom(seed: 9)
    var taken: Set<String> = []
    for round in 0..<40_000 {
      let key = Settings.keys[Int.random(in: 0..<Settings.keys.count, using: &random)]
      let count = Int.random(in: 1...3, using: &random)
      let text = (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
      var settings = Settings()
      do {
        try settings.set(key, text, from: .file, line: 7)
        taken.insert(key)
        #expect(settings.source(of: key) == .file && settings.line(of: key) == 7)
        // What it says of itself gives the same again.
        var again = Settings()
        if let value = settings.text(of: key) { try again.set(key, value, from: .file) }
        #expect(again == settings, "round \(round): \(key) = \(text)")
        #expect(settings.unset(key) == Settings())
      } catch {
        let line = "\(error)"
        #expect(!line.isEmpty && line.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "\(key)")
        #expect(settings == Settings() && settings.source(of: key) == .standard)
      }
    }
    #expect(taken == Set(Settings.keys), "every setting was taken at least once")
  }

  @Test func `the values that the sheet goes through are all taken`() throws {
    for setting in SettingDefinition.all {
      var settings = Settings()
      for value in setting.steps {
        try settings.set(setting.key, value, from: .keys)
        #expect(settings.text(of: setting.key) == value, "\(setting.key)")
      }
      if let standard = setting.standard {
        try settings.set(setting.key, standard, from: .keys)
        #expect(settings == Settings(), "the default of \(setting.key)")
      } else {
        #expect(Settings().text(of: setting.key) == nil)
      }
    }
  }

  @Test func `the table has each setting once, in their order`() {
    #expect(SettingDefinition.all.map(\.key) == Settings.keys)
    #expect(Set(SettingDefinition.all.map(\.word)).count == SettingDefinition.all.count)
  }
}
