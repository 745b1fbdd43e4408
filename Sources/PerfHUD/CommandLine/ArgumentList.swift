import CProcess
import Glibc

/// The words that perfhud was started with, divided at the first `--`.
struct ArgumentList: Equatable {
  /// Those of perfhud itself; what is not UTF-8 is replaced.
  var own: [String]
  /// Those of the command as bytes, since a file name need not be UTF-8; `nil` without a `--`.
  var command: [[UInt8]]?

  /// - Parameter words: the words after the name of the program.
  init(_ words: [[UInt8]]) {
    let end = words.firstIndex(of: Array("--".utf8))
    own = words[..<(end ?? words.endIndex)].map { String(decoding: $0, as: UTF8.self) }
    command = end.map { Array(words[($0 + 1)...]) }
  }

  /// All words as texts, with the `--`.
  var texts: [String] {
    guard let command else { return own }
    return own + ["--"] + command.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The words of this process.
  ///
  /// `CommandLine.arguments` reads them from `/proc/self`, which may lead nowhere, and replaces what is
  /// not UTF-8, which would be another file.
  static func current() -> ArgumentList {
    var list: UnsafePointer<UnsafeMutablePointer<CChar>>?
    let count = unsafe perfhud_arguments(&list)
    guard let list = unsafe list else { return ArgumentList([]) }
    let words = (0..<Int(count)).map { index in
      let length = unsafe strlen(list[index])
      return (0..<length).map { unsafe UInt8(bitPattern: list[index][$0]) }
    }
    return ArgumentList(Array(words.dropFirst()))
  }
}
