import CProcess
import Glibc

/// The words that perfhud was started with: its own, and those of the command.
///
/// Options of perfhud come before the command. It begins after the first `--`, else with the first word that is neither
/// an option, nor the value of one, nor a number: a number is a process.
///
/// Source: words.c in CProcess, which also decides for the start-up code.
struct ArgumentList: Equatable {
  /// perfhud's own words, and those of a subcommand with its name; what is not UTF-8 is replaced.
  var own: [String]
  /// A number among them: the process to show.
  var number: String?
  /// The words of the command as bytes, since a file name need not be UTF-8; `nil` without a command, empty after a `--`
  /// that is the last word.
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
    // One after the other, each with a zero at its end.
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
  /// `CommandLine.arguments` reads them from `/proc/self`, which may lead nowhere, and replaces what is
  /// not UTF-8, which would be another file.
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

/// An option of perfhud as words.c knows it.
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
