import ArgumentParser
import Glibc
import HUD
import Metrics

/// `perfhud widgets`: prints what each part of the HUD looks like, from made-up data.
struct WidgetsCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "widgets",
    abstract: "Print each part of the HUD in each size and state.",
    discussion: "The data are made up: nothing is measured.",
    // The help has room for 60 lines.
    shouldDisplay: false)

  @Option(
    help: ArgumentHelp("Language: en or ja. (default: of the locale)", valueName: "code"),
    completion: .list(Language.allCases.map(\.rawValue)))
  var lang: String?

  @Flag(help: "Draw with nothing but ASCII.")
  var ascii = false

  func validate() throws {
    guard let lang, Language(rawValue: lang) == nil else { return }
    let names = Language.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("lang '\(lang)' is none of: \(names)")
  }

  func perform(_ environment: Environment) throws -> Int32 {
    let language = lang.flatMap(Language.init(rawValue:)) ?? Language(locale: environment.locale)
    let isASCII = ascii || !environment.isUTF8
    try Console.print(Gallery.text(language, isASCII: isASCII))
    return ExitStatus.done
  }
}
