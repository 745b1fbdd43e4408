import PerfHUDBase

/// Writes what went to a terminal, and when, as asciinema and other players read it.
///
/// Each line is a JSON value. An event has the time since the event before; those times add up to the true ones.
/// Source: asciicast v3, https://docs.asciinema.org/manual/asciicast/v3/; RFC 8259.
package struct AsciicastWriter: Sendable {
  private var bytes: [UInt8] = []
  /// The beginning of a character whose rest is still to come: data has to be whole UTF-8.
  private var pending: [UInt8] = []
  /// What the times of the events add up to, in milliseconds.
  private var written: UInt64 = 0
  private var last: UInt64 = 0

  /// - Parameter title: Shown by players; not cleaned here, but escaped.
  package init(columns: Int, rows: Int, title: String, terminal: String = "xterm-256color") {
    bytes.append("{\"version\":3,\"term\":{\"cols\":")
    bytes.append(decimal: columns)
    bytes.append(",\"rows\":")
    bytes.append(decimal: rows)
    bytes.append(",\"type\":")
    append(quoted: Array(terminal.utf8))
    bytes.append("},\"title\":")
    append(quoted: Array(title.utf8))
    bytes.append("}\n")
  }

  /// The bytes since the last call.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Adds output. A character that is not whole yet is kept until its rest comes; bytes that are no UTF-8 become U+FFFD.
  ///
  /// - Parameter nanoseconds: Since the start of the recording. A time before that of the last event counts as that.
  package mutating func writeOutput(_ output: [UInt8], nanoseconds: UInt64) {
    let all = pending + output
    let count = all.count - AsciicastWriter.unfinished(all)
    pending = Array(all[count...])
    last = max(last, nanoseconds)
    guard count > 0 else { return }
    writeEvent("o", all[..<count], nanoseconds: nanoseconds)
  }

  /// Adds a mark, to which players can jump.
  package mutating func writeMark(_ name: String, nanoseconds: UInt64) {
    writeEvent("m", Array(name.utf8)[...], nanoseconds: nanoseconds)
  }

  /// Adds what is left of a character that was cut.
  package mutating func finish() {
    guard !pending.isEmpty else { return }
    writeEvent("o", pending[...], nanoseconds: last)
    pending = []
  }

  private mutating func writeEvent(
    _ code: StaticString, _ data: ArraySlice<UInt8>, nanoseconds: UInt64
  ) {
    last = max(last, nanoseconds)
    let milliseconds = last / 1_000_000
    let interval = milliseconds - written
    written = milliseconds
    bytes.append("[")
    bytes.append(decimal: Int(interval / 1000))
    bytes.append(".")
    for digit in [interval / 100 % 10, interval / 10 % 10, interval % 10] {
      bytes.append(UInt8(ascii: "0") + UInt8(digit))
    }
    bytes.append(",\"")
    bytes.append(code)
    bytes.append("\",")
    append(quoted: Array(data))
    bytes.append("]\n")
  }

  /// Appends a string with JSON's escapes.
  private mutating func append(quoted data: [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in String(decoding: data, as: UTF8.self).utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case UInt8(ascii: "\n"): bytes.append("\\n")
      case UInt8(ascii: "\r"): bytes.append("\\r")
      case UInt8(ascii: "\t"): bytes.append("\\t")
      case 0..<0x20, 0x7F:
        bytes.append("\\u00")
        for digit in [byte >> 4, byte & 15] {
          bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// The number of bytes at the end that begin a character of UTF-8 without ending it.
  private static func unfinished(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      guard byte >= 0xC0 else {
        if byte < 0x80 { return 0 }
        continue
      }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : 2
      return length > count ? count : 0
    }
    return 0
  }
}
