import HUD
import Metrics
import PerfHUDBase

/// The text of a configuration file, for changing a setting: all bytes outside the affected line stay the same.
struct ConfigText: Equatable {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(_ text: String) { bytes = Array(text.utf8) }

  /// A file with each setting as a comment: what it does, and which values it takes.
  static func template(_ language: Language) -> ConfigText {
    var text = "# perfhud: \(SettingWord.configTitle.text(language))\n"
    text += "# \(SettingWord.configHead.text(language))\n"
    for setting in SettingDefinition.all {
      text += "\n# \(setting.word.text(language)) (\(setting.range))\n"
      text += "# \(setting.key) = \(setting.standard ?? "")"
      while text.last == " " { text.removeLast() }
      text += "\n"
    }
    return ConfigText(text)
  }

  // MARK: Changing

  /// Changes the value of a setting, or removes it from the file.
  ///
  /// Changes the last line that sets it for the program, which is the one that counts. If there is none, adds a line
  /// after the comment with the setting, or else at the end of the part for all programs. A removed setting becomes a
  /// comment.
  ///
  /// - Parameter program: the names of the shown program. Sections for other programs stay as they are.
  /// - Throws: if a line of the file cannot contain the value.
  mutating func set(
    _ key: String, to value: String?, program: [String] = []
  ) throws(SettingError) {
    let found = settingLines(key, program)
    guard let value else {
      for line in found.reversed() { comment(line.range) }
      return
    }
    try ConfigText.check(key, value)
    guard let last = found.last else {
      add("\(key) = \(value)", after: key)
      return
    }
    replaceValue(of: last.range, by: value)
    guard SettingDefinition.named(key)?.isList == true else { return }
    // One line contains the whole list, since other lines would add to it. Lines for all programs stay for other
    // programs, and `none` excludes them here.
    let others = found.dropLast().filter { $0.isInSection == last.isInSection }
    if last.isInSection, found.first?.isInSection == false, !others.contains(where: { isNone($0) })
    {
      bytes.insert(contentsOf: "\(key) = none\n".utf8, at: last.range.lowerBound)
    }
    for line in others.reversed() where !(last.isInSection && isNone(line)) { comment(line.range) }
  }

  private static func check(_ key: String, _ value: String) throws(SettingError) {
    let bytes = Array(value.utf8)
    guard ConfigLine.trimmed(bytes[...]).count == bytes.count else {
      throw SettingError("\(key): the file cannot contain blanks at the ends of a value")
    }
    let written = Array(" \(value)".utf8)
    guard ConfigLine.commentStart(in: written[...]) == written.count else {
      throw SettingError(
        "\(key): a '#' after a blank begins a comment in the file; put it in quotes")
    }
    for scalar in value.unicodeScalars {
      if scalar.value < 0x20 || scalar.value == 0x7F {
        throw SettingError("\(key): the file cannot contain control characters")
      }
    }
  }

  /// The lines without their line feeds.
  private var lines: [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == 0x0A {
      lines.append(start..<index)
      start = index + 1
    }
    if start < bytes.count { lines.append(start..<bytes.count) }
    return lines
  }

  private struct SettingLine {
    var range: Range<Int>
    var isInSection: Bool
  }

  /// The lines that set a setting for the program.
  private func settingLines(_ key: String, _ program: [String]) -> [SettingLine] {
    var found: [SettingLine] = []
    var section: String?
    for line in lines {
      switch ConfigLine.kind(of: bytes[line]) {
      case .section(let name): section = String(decoding: bytes[name], as: UTF8.self)
      case .setting(let setting):
        let name = String(decoding: bytes[setting.key], as: UTF8.self)
        guard Settings.name(of: name) == key, section.map({ program.contains($0) }) ?? true else {
          continue
        }
        found.append(SettingLine(range: line, isInSection: section != nil))
      case .nothing, .mistake: continue
      }
    }
    return found
  }

  /// Whether a line of a list discards everything that was set before.
  private func isNone(_ line: SettingLine) -> Bool {
    guard case .setting(let setting) = ConfigLine.kind(of: bytes[line.range]) else { return false }
    return bytes[setting.value].elementsEqual("none".utf8)
  }

  private mutating func replaceValue(of line: Range<Int>, by value: String) {
    guard case .setting(let setting) = ConfigLine.kind(of: bytes[line]) else { return }
    if setting.value.isEmpty {
      // `memory =`: the value goes right after the equals sign.
      guard let equals = bytes[setting.key.upperBound...].firstIndex(of: UInt8(ascii: "=")) else {
        return
      }
      bytes.replaceSubrange(equals + 1..<equals + 1, with: " \(value)".utf8)
    } else {
      bytes.replaceSubrange(setting.value, with: value.utf8)
    }
  }

  private mutating func comment(_ line: Range<Int>) {
    bytes.replaceSubrange(line.lowerBound..<line.lowerBound, with: "# ".utf8)
  }

  private mutating func add(_ text: String, after key: String) {
    let ending = bytes.contains(0x0D) ? "\r\n" : "\n"
    let place = self.place(after: key)
    var added = text + ending
    if place > 0, bytes[place - 1] != 0x0A { added = ending + added }
    bytes.insert(contentsOf: added.utf8, at: place)
  }

  /// Where to insert a new line, before all sections.
  private func place(after key: String) -> Int {
    func end(_ line: Range<Int>?) -> Int? { line.map { min($0.upperBound + 1, bytes.count) } }
    let general = lines.prefix { line in
      if case .section = ConfigLine.kind(of: bytes[line]) { false } else { true }
    }
    let commented = general.last { line in
      ConfigLine.commentedKey(of: bytes[line])?.elementsEqual(key.utf8) == true
    }
    if let commented { return end(commented) ?? 0 }
    if general.count == lines.count { return bytes.count }
    // A comment above a section belongs to the section.
    return end(
      general.last { line in
        if case .setting = ConfigLine.kind(of: bytes[line]) { true } else { false }
      }) ?? 0
  }
}
