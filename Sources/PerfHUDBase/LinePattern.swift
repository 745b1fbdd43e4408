import Glibc

/// A pattern for lines of text: an extended regular expression of POSIX.
///
/// Source: `regcomp(3)`, `regexec(3)`, `regex(7)`.
@safe public final class LinePattern {
  private var compiled = unsafe regex_t()
  public let text: String

  /// - Throws: what is wrong with the pattern, in the words of the C library.
  public init(_ text: String) throws(Mistake) {
    self.text = text
    let code = unsafe regcomp(&compiled, text, REG_EXTENDED)
    guard code == 0 else {
      var buffer = [CChar](repeating: 0, count: 200)
      unsafe regerror(code, &compiled, &buffer, buffer.count)
      let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      throw Mistake(description: SafeText.clean(bytes: bytes))
    }
  }

  deinit { unsafe regfree(&compiled) }

  public struct Mistake: Error, CustomStringConvertible {
    public let description: String
  }

  /// The part of a line that matches the first pair of parentheses, or the whole pattern if it has none; `nil`
  /// without a match.
  public func match(_ line: String) -> Substring? {
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
