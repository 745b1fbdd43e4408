import ArgumentParser
import PerfHUDBase

/// Suggests what the user may have meant by an unknown option. ArgumentParser suggests options of perfhud itself; this
/// adds those of its subcommands and those of other programs.
enum OptionAdvice {
  private static let ofOthers = [
    "--children": "use --tree", "--color": "use --no-color or --theme",
    "--colors": "use --no-color or --theme", "--colour": "use --no-color or --theme",
    "--csv": "use --format csv", "--delay": "use --interval", "--json": "use --format jsonl",
    "--log": "use --record or --output", "--refresh": "use --interval",
  ]

  /// - Parameters:
  ///   - line: ArgumentParser's message, which considers only options of perfhud itself.
  ///   - words: perfhud's own words.
  /// - Returns: the line with better advice, if there is any.
  static func improved(_ line: String, words: [String] = []) -> String {
    if let advice = ofValue(line, words) { return advice }
    let start = "Unknown option '"
    guard line.hasPrefix(start + "--") else { return line }
    let name = String(line.dropFirst(start.count).prefix { $0 != "'" })
    var advice = ofSubcommands.merging(ofOthers) { one, _ in one }
    for option in KnownOption.all { advice["--\(option.name)"] = nil }
    let own = KnownOption.all.map { "--\($0.name)" }
    guard let nearest = NearestName.of(name, among: own + advice.keys.sorted()),
      let found = advice[nearest]
    else { return line }
    return "\(start)\(name)'; \(found)"
  }

  /// Names a value that begins with a hyphen, as a negative number does: ArgumentParser takes it for an option.
  ///
  /// - Returns: the line with the advice; `nil` if it says something else.
  static func ofValue(_ line: String, _ words: [String]) -> String? {
    let start = "Missing value for '"
    guard line.hasPrefix(start) else { return nil }
    let option = line.dropFirst(start.count).prefix { $0 != "'" && $0 != " " }
    guard let index = words.firstIndex(of: String(option)), index + 1 < words.count,
      words[index + 1].count > 1, words[index + 1].hasPrefix("-")
    else { return nil }
    let value = SafeText.clean(words[index + 1], limit: 40)
    let equals = option.hasPrefix("--") ? "=" : ""
    return "Missing value for '\(option)': '\(value)' looks like an option; "
      + "if it is the value, write \(option)\(equals)\(value)"
  }

  private static var ofSubcommands: [String: String] {
    var advice: [String: String] = [:]
    for command in CommandLineArguments.configuration.subcommands.reversed() {
      let help = CommandLineArguments.helpMessage(for: command, columns: 200)
      for line in help.split(separator: "\n") where line.hasPrefix("  --") {
        let name = line.dropFirst(2).prefix { $0 != " " && $0 != "/" && $0 != "," }
        advice[String(name)] = "it belongs to: perfhud \(command._commandName)"
      }
    }
    return advice
  }
}
