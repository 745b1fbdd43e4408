import Glibc
import PerfHUDBase
import SystemPackage

/// The first line of a recorded screen.
package struct AsciicastHeader: Equatable, Sendable {
  package var columns = 0
  package var rows = 0
  /// The value of `TERM`.
  package var terminal = ""
  /// The start on the clock of the recording to which the screen belongs; `nil` if another program wrote the file.
  package var start: Instant?

  /// - Returns: `nil` if the line is not the first one of an asciicast v3.
  init?(_ line: ArraySlice<UInt8>) {
    var scanner = JSONScanner(line)
    var version: Double?
    var text: [UInt8] = []
    var header = AsciicastHeader()
    let isObject = scanner.object { key, scanner in
      switch key {
      case "version":
        version = scanner.number()
        return version != nil
      case "term":
        return scanner.object { key, scanner in
          switch key {
          case "cols", "rows":
            guard let number = scanner.number(), (1...65_535).contains(number) else { return false }
            if key == "cols" { header.columns = Int(number) } else { header.rows = Int(number) }
            return true
          case "type":
            guard scanner.string(into: &text) else { return false }
            header.terminal = SafeText.clean(bytes: text)
            return true
          default: return scanner.skip()
          }
        }
      case "perfhud":
        return scanner.object { key, scanner in
          guard key == "start" else { return scanner.skip() }
          guard scanner.string(into: &text) else { return false }
          header.start = UInt64(String(decoding: text, as: UTF8.self))
            .map { Instant(nanoseconds: $0) }
          return true
        }
      default: return scanner.skip()
      }
    }
    guard isObject, version == 3, header.columns > 0, header.rows > 0 else { return nil }
    self = header
  }

  private init() {}
}

/// The kind of an event in a recorded screen.
package enum AsciicastCode: Sendable {
  case output, size, mark
  /// Of an unknown kind, or a line that is not an event.
  case other
}

/// Reads a recorded screen line by line. The file may contain anything, and may still be written to.
///
/// Source: asciicast v3, https://docs.asciinema.org/manual/asciicast/v3/.
package struct AsciicastReader: ~Copyable {
  package let header: AsciicastHeader
  /// The first line, including its end.
  package let firstLine: [UInt8]
  private let file: Descriptor
  /// The bytes that were read but not taken, and where in the file they end.
  private var buffer: [UInt8] = []
  private var taken = 0
  private var bufferEnd: Int64 = 0
  /// The data of the last event.
  package private(set) var data: [UInt8] = []
  /// When the last event happened, in nanoseconds from the start.
  package private(set) var time: UInt64 = 0
  /// The line of the last event, including its end.
  package private(set) var line: ArraySlice<UInt8> = []
  /// The number of lines that were not events, and were skipped.
  package private(set) var badLines = 0

  private static let piece = 256 << 10
  /// A longer line is skipped.
  private static let lineLimit = 64 << 20
  /// Ten years, in seconds.
  private static let longest = 315_360_000.0

  /// - Parameter recording: the recording to which the screen must belong; `nil` accepts any.
  /// - Throws: the problem, in one line.
  package init(path: String, of recording: RecordingHeader? = nil) throws(RecordingError) {
    let shown = SafeText.clean(path)
    let file: Descriptor
    do throws(SystemError) {
      file = try Descriptor(open: path)
    } catch {
      throw RecordingError(error.description)
    }
    guard RecordingWriter.isRegular(file.raw) else { throw RecordingError("\(shown) is no file") }
    let first = AsciicastReader.firstLine(file)
    guard let header = AsciicastHeader(first.dropLast()) else {
      throw RecordingError("\(shown) is no recorded screen")
    }
    if let recording, header.start != recording.began ?? recording.run.start {
      throw RecordingError("\(shown) is the screen of another run")
    }
    self.file = file
    self.header = header
    firstLine = first
    bufferEnd = Int64(first.count)
  }

  /// The first line including its end; empty if there is none, or if it is far too long.
  private static func firstLine(_ file: borrowing Descriptor) -> [UInt8] {
    var line: [UInt8] = []
    var more = [UInt8](repeating: 0, count: 4096)
    while line.count < AsciicastReader.piece {
      let offset = Int64(line.count)
      let count =
        (try? unsafe more.withUnsafeMutableBytes { try unsafe file.read(into: $0, at: offset) })
        ?? 0
      if let end = more[..<count].firstIndex(of: 0x0A) { return line + more[...end] }
      if count == 0 { break }
      line += more[..<count]
    }
    return []
  }

  /// Where the line after the last event begins.
  package var offset: Int64 { bufferEnd - Int64(buffer.count - taken) }

  /// Goes to the start of a line.
  ///
  /// - Parameters:
  ///   - offset: an earlier value of `offset`.
  ///   - time: the value of `time` then.
  package mutating func resume(at offset: Int64, time: UInt64) {
    buffer.removeAll(keepingCapacity: true)
    line = []
    taken = 0
    bufferEnd = offset
    self.time = time
  }

  /// Reads the next event into `data`, `time` and `line`; `nil` after the last complete line.
  package mutating func next() -> AsciicastCode? {
    guard let range = nextLine() else { return nil }
    line = buffer[range]
    taken = range.upperBound
    return parse(buffer[range.lowerBound..<range.upperBound - 1])
  }

  private mutating func parse(_ line: ArraySlice<UInt8>) -> AsciicastCode {
    // A comment.
    if line.isEmpty || line.first == UInt8(ascii: "#") { return .other }
    var scanner = JSONScanner(line)
    var code: [UInt8] = []
    guard scanner.take("["), let interval = scanner.number(), scanner.take(","),
      scanner.string(into: &code), scanner.take(","), scanner.string(into: &data),
      scanner.take("]"), scanner.isAtEnd
    else {
      badLines += 1
      self.line = []
      return .other
    }
    time &+= UInt64((min(interval, AsciicastReader.longest) * 1e9).rounded())
    time = min(time, UInt64(AsciicastReader.longest * 1e9))
    switch code {
    case [UInt8(ascii: "o")]: return .output
    case [UInt8(ascii: "r")]: return .size
    case [UInt8(ascii: "m")]: return .mark
    default: return .other
    }
  }

  /// The range of the next complete line in the buffer, including its end.
  private mutating func nextLine() -> Range<Int>? {
    var searched = taken
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) { return taken..<end + 1 }
      searched = buffer.count - taken
      if searched > AsciicastReader.lineLimit {
        // A line that is too long is skipped.
        badLines += 1
        taken = buffer.count
        searched = 0
      }
      line = []
      buffer.removeFirst(taken)
      taken = 0
      guard readMore() else { return nil }
    }
  }

  private mutating func readMore() -> Bool {
    let start = buffer.count
    let offset = bufferEnd
    buffer.append(contentsOf: repeatElement(0, count: AsciicastReader.piece))
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      (try? unsafe file.read(
        into: UnsafeMutableRawBufferPointer(rebasing: bytes[start...]), at: offset))
        ?? 0
    }
    buffer.removeLast(AsciicastReader.piece - count)
    bufferEnd += Int64(count)
    return count > 0
  }
}
