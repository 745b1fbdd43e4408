import Glibc

/// A pattern for lines of text: a POSIX extended regular expression.
///
/// Matching takes bounded time: back-references (`\1`), which can make a match take forever, are not allowed, and only
/// the first `lineLimit` bytes of a line are examined.
///
/// Source: `regcomp(3)`, `regexec(3)`, `regex(7)`.
@safe public final class LinePattern {
  private var compiled = unsafe regex_t()
  public let text: String
  /// The maximum number of bytes of a line that are matched.
  public static let lineLimit = 4096

  /// - Throws: what is wrong with the pattern, in the words of the C library.
  public init(_ text: String) throws(Mistake) {
    self.text = text
    if let number = LinePattern.backReference(in: text) {
      throw Mistake(
        description:
          "back-references such as \\\(number) are not taken, since a match could take for ever")
    }
    let code = unsafe regcomp(&compiled, text, REG_EXTENDED)
    guard code == 0 else {
      var buffer = [CChar](repeating: 0, count: 200)
      unsafe regerror(code, &compiled, &buffer, buffer.count)
      let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Mistake(description: SafeText.clean(bytes: bytes))
    }
  }

  deinit { unsafe regfree(&compiled) }

  /// The number of the first back-reference; `nil` if there is none. Within brackets a backslash is an ordinary
  /// character.
  private static func backReference(in text: String) -> Int? {
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"):
        guard let next = bytes.popFirst() else { return nil }
        if (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(next) { return Int(next - 0x30) }
      case UInt8(ascii: "["): skipBrackets(&bytes)
      default: break
      }
    }
    return nil
  }

  /// Skips the rest of a bracket expression; a `]` at its start is part of it.
  private static func skipBrackets(_ bytes: inout ArraySlice<UInt8>) {
    if bytes.first == UInt8(ascii: "^") { bytes.removeFirst() }
    if bytes.first == UInt8(ascii: "]") { bytes.removeFirst() }
    while let byte = bytes.popFirst(), byte != UInt8(ascii: "]") {
      // A class such as [:alpha:], [.hyphen.] or [=a=].
      guard byte == UInt8(ascii: "["), let mark = bytes.first, [0x3A, 0x2E, 0x3D].contains(mark)
      else { continue }
      bytes.removeFirst()
      while let inner = bytes.popFirst() {
        if inner == mark, bytes.first == UInt8(ascii: "]") {
          bytes.removeFirst()
          break
        }
      }
    }
  }

  public struct Mistake: Error, CustomStringConvertible {
    public let description: String
  }

  /// The part of a line that matches the first pair of parentheses, or the whole pattern if it has none; `nil` if
  /// nothing matches.
  public func match(_ line: String) -> Substring? {
    if line.utf8.count > LinePattern.lineLimit {
      return match(String(decoding: line.utf8.prefix(LinePattern.lineLimit - 4), as: UTF8.self))
    }
    var ranges = (regmatch_t(), regmatch_t())
    let found = unsafe withUnsafeMutablePointer(to: &ranges) { pointer in
      unsafe pointer.withMemoryRebound(to: regmatch_t.self, capacity: 2) {
        unsafe regexec(&compiled, line, 2, $0, 0) == 0
      }
    }
    guard found else { return nil }
    let range = ranges.1.rm_so >= 0 ? ranges.1 : ranges.0
    let bytes = line.utf8
    let from = bytes.index(bytes.startIndex, offsetBy: Int(range.rm_so))
    let to = bytes.index(bytes.startIndex, offsetBy: Int(range.rm_eo))
    return line[from..<to]
  }
}
