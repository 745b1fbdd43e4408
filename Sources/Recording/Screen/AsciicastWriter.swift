import PerfHUDBase

/// Writes what was sent to a terminal, and when, in the format of asciinema and other players.
///
/// Each line is a JSON value. An event has the time since the previous event. These times add up to the true ones.
/// Source: asciicast v3, https://docs.asciinema.org/manual/asciicast/v3/; RFC 8259.
package struct AsciicastWriter: Sendable {
  private var bytes: [UInt8] = []
  /// The beginning of a character whose rest is still to come: data must be complete UTF-8.
  private var pending: [UInt8] = []
  /// The sum of the event times, in milliseconds.
  private var written: UInt64 = 0
  private var last: UInt64 = 0

  /// What the first line says about the run, in addition to the size of the terminal.
  package struct Origin: Sendable {
    /// Shown by players; not cleaned, but escaped.
    package var title: String
    /// The value of `TERM`.
    package var terminal = "xterm-256color"
    /// Unix time of the start, in seconds.
    package var timestamp: UInt64?
    /// The start on the clock of the recording beside it.
    package var start: Instant?

    package init(title: String) { self.title = title }
  }

  package init(columns: Int, rows: Int, _ origin: Origin) {
    bytes.append("{\"version\":3,\"term\":{\"cols\":")
    bytes.append(decimal: columns)
    bytes.append(",\"rows\":")
    bytes.append(decimal: rows)
    bytes.append(",\"type\":")
    bytes.append(quoted: origin.terminal)
    bytes.append("}")
    if let timestamp = origin.timestamp {
      bytes.append(",\"timestamp\":")
      bytes.append(decimal: timestamp)
    }
    bytes.append(",\"title\":")
    bytes.append(quoted: origin.title)
    if let start = origin.start {
      // A string, since JSON numbers are exact only up to 2^53.
      bytes.append(",\"perfhud\":{\"start\":\"")
      bytes.append(decimal: start.nanoseconds)
      bytes.append("\"}")
    }
    bytes.append("}\n")
  }

  /// The number of bytes since the last call of `takeBytes`.
  package var count: Int { bytes.count }

  /// The bytes since the last call.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Adds output. An incomplete character is kept until its rest comes; bytes that are not UTF-8 become U+FFFD.
  ///
  /// - Parameter nanoseconds: the time since the start of the recording. If it is before the last event, the time of
  ///   that is used.
  package mutating func writeOutput(_ output: ArraySlice<UInt8>, nanoseconds: UInt64) {
    let all = pending.isEmpty ? output : (pending + output)[...]
    let end = all.endIndex - AsciicastWriter.unfinished(all)
    pending = Array(all[end...])
    last = max(last, nanoseconds)
    guard end > all.startIndex else { return }
    writeEvent("o", all[..<end], nanoseconds: nanoseconds)
  }

  /// Adds a new size of the terminal.
  ///
  /// - Parameter size: columns and rows, such as `80x24`.
  package mutating func writeSize(_ size: String, nanoseconds: UInt64) {
    writeEvent("r", Array(size.utf8)[...], nanoseconds: nanoseconds)
  }

  /// Adds a mark, to which players can jump.
  package mutating func writeMark(_ name: String, nanoseconds: UInt64) {
    writeEvent("m", Array(name.utf8)[...], nanoseconds: nanoseconds)
  }

  /// Adds the rest of an incomplete character.
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
    // Bytes that are not UTF-8 become U+FFFD.
    bytes.append(quoted: String(decoding: data, as: UTF8.self))
    bytes.append("]\n")
  }

  /// The number of bytes at the end that begin a UTF-8 character without ending it.
  private static func unfinished(_ bytes: ArraySlice<UInt8>) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.endIndex - count]
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
