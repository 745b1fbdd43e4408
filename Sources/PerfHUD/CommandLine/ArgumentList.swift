import CProcess
import Glibc

/// The arguments of perfhud: its own words, and those of the command.
///
/// Options of perfhud come before the command. The command begins after the first `--`, or else with the first word
/// that is not an option, an option's value or a number. A number is a PID.
///
/// Source: words.c in CProcess, which also makes this decision for the start-up code.
struct ArgumentList: Equatable {
  /// perfhud's own words; with a subcommand all words, its name among them. Bytes that are not UTF-8 are replaced.
  var own: [String]
  /// A number among them: the PID of the process to show.
  var number: String?
  /// The words of the command as bytes, since a file name need not be UTF-8. `nil` without a command; empty if `--` is
  /// the last word.
  var command: [[UInt8]]?
  /// The name of the subcommand.
  var subcommand: String? { subcommandIndex.map { own[$0] } }
  /// Where that name is in `own`.
  var subcommandIndex: Int?
  /// Whether the command was named after `--`.
  var isAfterTerminator = false

  /// - Parameter words: the words after the name of the program.
  init(_ words: [[UInt8]]) {
    let found = ArgumentList.read(words)
    let texts = words.map { String(decoding: $0, as: UTF8.self) }
    let end = Int(found.own_end) - 1
    own = Array(texts[..<end])
    if found.number > 0 { number = own.remove(at: Int(found.number) - 1) }
    switch found.kind {
    case PERFHUD_SUBCOMMAND:
      own = texts
      subcommandIndex = end
    case PERFHUD_COMMAND:
      command = Array(words[(Int(found.command) - 1)...])
      isAfterTerminator = found.command > found.own_end
    default: break
    }
  }

  private static func read(_ words: [[UInt8]]) -> perfhud_words {
    let texts = [Array("perfhud".utf8)] + words
    // One after another, each with a trailing zero.
    var bytes: [CChar] = []
    for text in texts { bytes += text.map { CChar(bitPattern: $0) } + [0] }
    var found = perfhud_words()
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return }
      var offset = 0
      var list: [UnsafeMutablePointer<CChar>] = unsafe []
      for text in texts {
        unsafe list.append(start + offset)
        offset += text.count + 1
      }
      unsafe perfhud_read_words(Int32(texts.count), list, &found)
    }
    return found
  }

  /// The words of this process.
  ///
  /// `CommandLine.arguments` reads them from `/proc/self`, which may not exist, and replaces bytes that are not UTF-8,
  /// which would name another file.
  static func current() -> ArgumentList { ArgumentList(currentWords()) }

  /// The words of this process as bytes, without the name of the program.
  static func currentWords() -> [[UInt8]] {
    var list: UnsafePointer<UnsafeMutablePointer<CChar>>?
    let count = unsafe perfhud_arguments(&list)
    guard let list = unsafe list else { return [] }
    let words = (0..<Int(count)).map { index in
      let length = unsafe strlen(list[index])
      return (0..<length).map { unsafe UInt8(bitPattern: list[index][$0]) }
    }
    return Array(words.dropFirst())
  }
}

/// An option of perfhud as defined in words.c.
struct KnownOption: Hashable {
  var name: String
  var letter: Character?
  var takesValue: Bool

  static let all: [KnownOption] = {
    var list: UnsafePointer<perfhud_option>?
    let count = unsafe perfhud_options(&list)
    guard let list = unsafe list else { return [] }
    return (0..<Int(count)).map { index in
      let option = unsafe list[index]
      let letter = unsafe UInt8(bitPattern: option.letter)
      return KnownOption(
        name: unsafe String(cString: option.name),
        letter: letter == 0 ? nil : Character(UnicodeScalar(letter)),
        takesValue: unsafe option.takes_value != 0)
    }
  }()

  /// The names of all subcommands.
  static let subcommands: [String] = {
    var list: UnsafePointer<UnsafePointer<CChar>>?
    let count = unsafe perfhud_subcommands(&list)
    guard let list = unsafe list else { return [] }
    return (0..<Int(count)).map { unsafe String(cString: list[$0]) }
  }()
}
