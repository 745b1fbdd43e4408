import PerfHUDBase

/// A line of the configuration file, `key = value`, by the indices of its bytes. Both the reader and the editor of the
/// file use this type, so they agree on what a line means.
struct ConfigLine: Equatable {
  /// The ranges of the key and the value; the value may be empty.
  var key: Range<Int>
  var value: Range<Int>

  enum Kind: Equatable {
    /// Blank, or a comment.
    case nothing
    case setting(ConfigLine)
    /// `[name]`: the following lines apply only to the program of this name.
    case section(Range<Int>)
    /// There is no equals sign, or a section has no name or no end.
    case mistake(Range<Int>)
  }

  /// What the line means. The bytes exclude the line feed.
  static func kind(of line: ArraySlice<UInt8>) -> Kind {
    let content = trimmed(line[line.startIndex..<commentStart(in: line)])
    if content.isEmpty { return .nothing }
    if content.first == UInt8(ascii: "[") {
      let name = trimmed(content.dropFirst().dropLast())
      let isWhole = content.last == UInt8(ascii: "]") && !name.isEmpty
      return isWhole
        ? .section(name.startIndex..<name.endIndex)
        : .mistake(content.startIndex..<content.endIndex)
    }
    guard let equals = content.firstIndex(of: UInt8(ascii: "=")) else {
      return .mistake(content.startIndex..<content.endIndex)
    }
    let key = trimmed(content[content.startIndex..<equals])
    let value = trimmed(content[(equals + 1)...])
    return .setting(
      ConfigLine(key: key.startIndex..<key.endIndex, value: value.startIndex..<value.endIndex))
  }

  /// Where the comment of a line begins: at a `#` at the start or after a blank, but not inside quotes, which a shell
  /// command may have. A quote that is not closed, as in `don't`, is none.
  static func commentStart(in line: ArraySlice<UInt8>) -> Int {
    var quote: UInt8?
    var quoted: Int?
    for index in line.indices {
      let byte = line[index]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'"), quote == nil || quote == byte {
        quote = quote == nil ? byte : nil
        quoted = nil
      } else if byte == UInt8(ascii: "#"), index == line.startIndex || isBlank(line[index - 1]) {
        if quote == nil { return index }
        quoted = quoted ?? index
      }
    }
    return quoted ?? line.endIndex
  }

  /// The key of a setting in a comment, as in the file that perfhud creates: `# tick = 60`.
  static func commentedKey(of line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let content = trimmed(line)
    guard content.first == UInt8(ascii: "#") else { return nil }
    guard case .setting(let setting) = kind(of: content.dropFirst()) else { return nil }
    return line[setting.key]
  }

  /// Removes blanks at both ends: those of ASCII, and two that Japanese keyboards or copied texts contain (U+3000,
  /// U+00A0).
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while true {
      if let first = bytes.first, isBlank(first) {
        bytes.removeFirst()
      } else if let last = bytes.last, isBlank(last) {
        bytes.removeLast()
      } else if let wide = wideBlanks.first(where: { bytes.starts(with: $0) }) {
        bytes.removeFirst(wide.count)
      } else if let wide = wideBlanks.first(where: { bytes.suffix($0.count).elementsEqual($0) }) {
        bytes.removeLast(wide.count)
      } else {
        return bytes
      }
    }
  }

  private static let wideBlanks: [[UInt8]] = [[0xE3, 0x80, 0x80], [0xC2, 0xA0]]

  /// Whether a byte is a space, a tab or a control that ends a line or page.
  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}
