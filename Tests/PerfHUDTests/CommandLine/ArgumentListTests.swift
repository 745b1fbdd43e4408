import ArgumentParser
import Testing

@testable import PerfHUD

/// Where perfhud's own words end and those of a command begin.
@Suite struct ArgumentListTests {
  /// Own words, number, command and subcommand in one line.
  private func summary(_ line: String) -> String {
    let list = ArgumentList(words(line))
    let command = list.command?.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
    let parts: [String?] = [
      list.own.joined(separator: " "), list.number.map { "number \($0)" },
      command.map { "command [\($0)]" }, list.subcommand.map { "subcommand \($0)" },
    ]
    return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " | ")
  }

  @Test(arguments: [
    ("--pid 3", "--pid 3"),
    ("--ascii -- vim -- x", "--ascii | command [vim -- x]"),
    ("--ascii --", "--ascii | command []"),
    ("vim", "command [vim]"),
    ("vim -- x", "command [vim -- x]"),
    ("make -j8 --help", "command [make -j8 --help]"),
    // The value of an option is no command.
    ("--size line vim", "--size line | command [vim]"),
    ("--size=line vim", "--size=line | command [vim]"),
    ("-d 2 vim", "-d 2 | command [vim]"),
    ("-d2 vim", "-d2 | command [vim]"),
    ("-bt vim", "-bt | command [vim]"),
    ("-bo file vim", "-bo file | command [vim]"),
    ("--alert cpu>1 --hidden vim", "--alert cpu>1 --hidden | command [vim]"),
    ("--name emit", "--name emit"),
    // A value that is missing is not taken from the command.
    ("--size -- vim", "--size | command [vim]"),
    // A number is a process, before or after options.
    ("12", "number 12"),
    ("12 --tree", "--tree | number 12"),
    ("--overlay 12 vim 7", "--overlay | number 12 | command [vim 7]"),
    ("12 34", "number 12 | command [34]"),
    ("-- 12", "command [12]"),
    ("7z x", "command [7z x]"),
    // An option that is not known may have a value: nothing can be a command but what follows `--`.
    ("--intervall 1s vim", "--intervall 1s vim"),
    ("--intervall 1s -- vim", "--intervall 1s | command [vim]"),
    ("-x vim", "-x vim"),
    // A subcommand has all words.
    ("emit phase x -- y", "emit phase x -- y | subcommand emit"),
    ("help emit", "help emit | subcommand help"),
    ("-- emit x", "command [emit x]"),
    ("emi x", "command [emi x]"),
    ("--ascii widgets", "--ascii widgets | subcommand widgets"),
    ("--generate-completion-script bash", "--generate-completion-script bash"),
  ])
  func `words are divided`(line: String, expected: String) {
    #expect(summary(line) == expected)
  }

  @Test func `no words at all are no command`() {
    let list = ArgumentList([])
    #expect(list.own.isEmpty && list.command == nil && list.number == nil)
  }

  @Test func `words of a command stay as they are, empty or not UTF-8`() {
    let raw: [[UInt8]] = [[0x2D, 0x2D], [0x63, 0x61, 0x74], [0xFF, 0x61], [], [0xE3, 0x81]]
    #expect(ArgumentList(raw).command == Array(raw[1...]))
    #expect(ArgumentList(Array(raw[1...])).command == Array(raw[1...]))
    #expect(ArgumentList([[]]).command == [[]])
    #expect(ArgumentList([[0x2D, 0x2D, 0xFF]]).own == ["--\u{FFFD}"])
  }

  // MARK: The tables

  /// The options of a help text.
  private func options(_ help: String) -> Set<KnownOption> {
    var found: Set<KnownOption> = []
    for line in help.split(separator: "\n") where line.hasPrefix("  -") {
      // The label ends before two blanks.
      var label = ""
      for character in line.dropFirst(2) {
        if character == " ", label.last == " " { break }
        label.append(character)
      }
      let takesValue = label.contains("<")
      let names = label.prefix { $0 != "<" }.split { ", /".contains($0) }.map(String.init)
      let letter = names.first { $0.count == 2 }?.last
      for name in names where name.hasPrefix("--") {
        found.insert(
          KnownOption(
            name: String(name.dropFirst(2)), letter: name.hasPrefix("--no-tree") ? nil : letter,
            takesValue: takesValue))
      }
    }
    return found
  }

  @Test func `the table of options is that of the parser`() {
    // The parser's own, and those that no help shows.
    let others = [
      "leader", "reset", "dump-tables", "help-hidden", "generate-completion-script",
      "experimental-dump-help",
    ]
    let known = Set(KnownOption.all.filter { !others.contains($0.name) })
    let help = CommandLineArguments.helpMessage(includeHidden: true, columns: 100)
      .replacing("--help-hidden", with: "--help")
    var parsed = options(help)
    // The long help names itself alone.
    parsed.remove(KnownOption(name: "help", letter: nil, takesValue: false))
    parsed.insert(KnownOption(name: "help", letter: "h", takesValue: false))
    #expect(known == parsed, "\(known.symmetricDifference(parsed))")
    for name in others.prefix(3) {
      #expect(throws: Never.self, "\(name)") {
        _ = try CommandLineArguments.parse(["--\(name)"] + (name == "leader" ? ["f9"] : []))
      }
    }
  }

  /// The values of all properties, as texts.
  private func values(_ arguments: CommandLineArguments) -> [String] {
    let groups: [any ParsableArguments] = [
      arguments.target, arguments.display, arguments.sampling, arguments.output, arguments.alerts,
      arguments.phases, arguments,
    ]
    return groups.flatMap { group in
      Mirror(reflecting: group).children.map { "\($0.label ?? ""): \($0.value)" }
    }
  }

  @Test func `the empty command line is what the parser makes of no words`() throws {
    let empty = values(.empty)
    #expect(try empty == values(.parse([])))
    #expect(!empty.contains { $0.contains("definition") })
    #expect(empty.count > 50)
  }

  @Test func `the table of subcommands is that of the parser`() {
    let names = CommandLineArguments.configuration.subcommands.map { $0.configuration.commandName }
    #expect(names.compactMap(\.self) + ["help"] == KnownOption.subcommands)
  }

  @Test func `the help has at most 60 lines of 80 columns, in groups`() {
    let help = CommandLineArguments.helpMessage(columns: 80)
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 60, "\(lines.count) lines")
    #expect(lines.allSatisfy { $0.count <= 80 })
    let groups = [
      "USAGE", "TARGET", "DISPLAY", "SAMPLING", "BATCH OUTPUT", "ALERTS AND BUDGETS", "PHASES",
      "OPTIONS", "SUBCOMMANDS",
    ]
    let headings = lines.compactMap { line in
      line.prefix { $0 == " " || $0.isUppercase }.isEmpty
        ? nil : line.split(separator: ":").first.map(String.init)
    }
    #expect(headings.filter(groups.contains) == groups)
    let example = lines.firstIndex { $0.hasPrefix("  perfhud vim") }
    let usage = lines.firstIndex { $0.hasPrefix("USAGE") }
    #expect(example ?? 60 < usage ?? 0, "examples first")
  }
}
