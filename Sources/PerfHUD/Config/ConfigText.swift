import HUD
import Metrics
import PerfHUDBase

/// The text of a configuration file while a setting of it is changed: every byte but those of the line
/// concerned stays as it was.
struct ConfigText: Equatable {
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  init(_ text: String) { bytes = Array(text.utf8) }

  /// A file with every setting as a comment: what it does and which values it takes.
  static func template(_ language: Language) -> ConfigText {
    var text = "# perfhud: \(Word.configTitle.text(language))\n"
    text += "# \(Word.configHead.text(language))\n"
    for setting in SettingDefinition.all {
      text += "\n# \(setting.word.text(language)) (\(setting.range))\n"
      text += "# \(setting.key) = \(setting.standard ?? "")"
      while text.last == " " { text.removeLast() }
      text += "\n"
    }
    return ConfigText(text)
  }

  // MARK: Changing

  /// Gives a setting a value, or takes it out of the file.
  ///
  /// The last line that sets it is changed: it is the one that counts. Where there is none, a new one goes
  /// after the comment with the setting, else to the end. A setting that is taken out becomes a
  /// comment.
  ///
  /// - Throws: where a line of the file cannot contain the value.
  mutating func set(_ key: String, to value: String?) throws(SettingError) {
    guard let value else {
      for line in settingLines(key).reversed() { comment(line) }
      return
    }
    try ConfigText.check(key, value)
    let lines = settingLines(key)
    guard let last = lines.last else {
      add("\(key) = \(value)", after: key)
      return
    }
    // One line contains the whole list: others would add to it.
    if SettingDefinition.named(key)?.isList == true, lines.count > 1 {
      replaceValue(of: last, by: value)
      for line in lines.dropLast().reversed() { comment(line) }
    } else {
      replaceValue(of: last, by: value)
    }
  }

  private static func check(_ key: String, _ value: String) throws(SettingError) {
    let bytes = Array(value.utf8)
    guard ConfigLine.trimmed(bytes[...]).count == bytes.count else {
      throw SettingError("\(key): the file cannot contain blanks at the ends of a value")
    }
    for scalar in value.unicodeScalars {
      if scalar == "#" {
        throw SettingError("\(key): the file cannot contain '#', which begins a comment")
      }
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

  /// The lines that set a setting.
  private func settingLines(_ key: String) -> [Range<Int>] {
    lines.filter { line in
      guard case .setting(let setting) = ConfigLine.kind(of: bytes[line]) else { return false }
      return Settings.name(of: String(decoding: bytes[setting.key], as: UTF8.self)) == key
    }
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
    let commented = lines.last { line in
      ConfigLine.commentedKey(of: bytes[line])?.elementsEqual(key.utf8) == true
    }
    let place = commented.map { min($0.upperBound + 1, bytes.count) } ?? bytes.count
    var added = text + ending
    if place > 0, bytes[place - 1] != 0x0A { added = ending + added }
    bytes.insert(contentsOf: added.utf8, at: place)
  }
}
