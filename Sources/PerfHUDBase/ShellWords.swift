/// Turns arguments into a line that a shell would parse into the same arguments.
package enum ShellWords {
  /// Joins the bytes of `/proc/PID/cmdline`, without the last 0.
  ///
  /// A single argument stays as it is: a process that overwrites its arguments describes there what it is doing.
  package static func joined(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0) else { return bytes }
    var line: [UInt8] = []
    line.reserveCapacity(bytes.count)
    for word in bytes.split(separator: 0, omittingEmptySubsequences: false) {
      if !line.isEmpty { line.append(UInt8(ascii: " ")) }
      append(word, to: &line)
    }
    return line
  }

  /// Joins the words of a command, and makes them harmless for a terminal.
  package static func joined(_ words: [[UInt8]]) -> String {
    var line: [UInt8] = []
    for word in words {
      if !line.isEmpty { line.append(UInt8(ascii: " ")) }
      append(word[...], to: &line)
    }
    return SafeText.clean(bytes: line)
  }

  private static func append(_ word: ArraySlice<UInt8>, to line: inout [UInt8]) {
    guard word.isEmpty || word.contains(where: { !isPlain($0) }) else {
      return line.append(contentsOf: word)
    }
    let quote = UInt8(ascii: "'")
    line.append(quote)
    for byte in word {
      if byte == quote { line.append(contentsOf: [quote, UInt8(ascii: "\\"), quote]) }
      line.append(byte)
    }
    line.append(quote)
  }

  /// Whether a byte means itself in every shell; bytes beyond ASCII do.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
      true
    default: "@%+=:,./-_^".utf8.contains(byte)
    }
  }
}
