import ArgumentParser
import Glibc
import HUD
import Metrics
import PerfHUDBase
import Terminal

/// `perfhud config`: shows the settings and edits their file.
struct ConfigCommand: Subcommand {
  static let name = "config"
  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Show the settings, or edit their file.",
    subcommands: [Print.self, Path.self, Edit.self])

  func perform(_ environment: Environment) throws -> Int32 {
    throw ValidationError("config needs one of: print, path, edit")
  }

  /// Moves `-C FILE` to the end: it may come first, as it does before a command.
  static func fileLast(_ words: [String]) -> [String] {
    var file: [String] = []
    var rest = words[...]
    var hasName = false
    while let word = rest.first {
      if ["-C", "--config"].contains(word), rest.count > 1 {
        file += rest.prefix(2)
        rest.removeFirst(2)
      } else if word.hasPrefix("--config=") || (word.hasPrefix("-C") && word.count > 2) {
        file.append(word)
        rest.removeFirst()
      } else if word == name, !hasName {
        hasName = true
        rest.removeFirst()
      } else {
        break
      }
    }
    let hasAction = rest.first.map { !$0.hasPrefix("-") } ?? false
    return hasName && hasAction ? [name] + rest + file : words
  }

  struct Print: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the settings in effect, and where each comes from.",
      discussion: "What it prints is a valid configuration file.")

    @OptionGroup var file: ConfigFileOption
    @Argument(help: "A program whose section of the file applies.") var program: String?

    func perform(_ environment: Environment) throws -> Int32 {
      let environment = file.applied(to: environment)
      var settings = Settings()
      try ConfigFile.load(into: &settings, environment: environment) {
        program.map { [ProgramName.base($0)] } ?? []
      }
      try Request.readVariables(environment, into: &settings)
      for notice in settings.notices { Console.say(notice) }
      try Console.print(ConfigCommand.listing(settings, environment))
      return ExitStatus.done
    }
  }

  struct Path: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the path of the configuration file, whether or not it exists.")

    @OptionGroup var file: ConfigFileOption

    func perform(_ environment: Environment) throws -> Int32 {
      let environment = file.applied(to: environment)
      guard let path = ConfigFile.path(environment: environment) else { throw ConfigFile.noPath }
      try Console.print(path + "\n")
      return ExitStatus.done
    }
  }

  struct Edit: Subcommand {
    static let configuration = CommandConfiguration(
      abstract: "Edit the configuration file with VISUAL or EDITOR, and check it.",
      discussion: "If there is no file, it is created with every setting commented out.")

    @OptionGroup var file: ConfigFileOption

    func perform(_ environment: Environment) throws(UsageError) -> Int32 {
      let environment = file.applied(to: environment)
      guard let path = ConfigFile.path(environment: environment) else { throw ConfigFile.noPath }
      if unsafe access(path, F_OK) != 0 {
        let language = Language(locale: environment.locale)
        do {
          try AtomicFile.write(
            ConfigText.template(language).bytes, to: path, makesFolder: true)
        } catch {
          throw UsageError("\(error)")
        }
      }
      let status = try ConfigCommand.runEditor(on: path, environment)
      guard status == 0 else {
        throw UsageError("the editor has ended with status \(status)")
      }
      var settings = Settings()
      do {
        try ConfigFile.apply(
          String(decoding: try ConfigSource.read(path), as: UTF8.self), path: path,
          to: &settings)
      } catch let error as UsageError {
        throw UsageError("\(error); correct it with: perfhud config edit")
      } catch {
        throw UsageError("\(error)")
      }
      for notice in settings.notices { Console.say(notice) }
      return ExitStatus.done
    }
  }
}

/// The file that a subcommand reads or edits.
struct ConfigFileOption: ParsableArguments {
  @Option(
    name: [.customShort("C", allowingJoined: true), .long],
    help: ArgumentHelp("The configuration file.", valueName: "file"), completion: .file())
  var config: String?

  func applied(to environment: Environment) -> Environment {
    var environment = environment
    environment.configFile = config
    return environment
  }
}

extension ConfigCommand {
  /// The settings in the format of the file, each with its source as a comment.
  static func listing(_ settings: Settings, _ environment: Environment) -> String {
    let path = ConfigFile.path(environment: environment)
    var text = "# \(path.map { SafeText.clean($0) } ?? "no file")\n"
    for key in Settings.keys {
      let value = settings.text(of: key)
      let line = value.map { "\(key) = \(SafeText.clean($0))" } ?? "# \(key) ="
      let padding = String(repeating: " ", count: max(1, 28 - line.utf8.count))
      text += "\(line)\(padding)# \(source(of: key, settings))\n"
    }
    return text
  }

  /// Where a setting comes from, in words.
  static func source(of key: String, _ settings: Settings) -> String {
    switch settings.source(of: key) {
    case .standard: settings.text(of: key) == nil ? "not set" : "default"
    case .file:
      "file" + (settings.line(of: key).map { ", line \($0)" } ?? "")
        + (settings.section(of: key).map { ", [\(SafeText.clean($0, limit: 40))]" } ?? "")
    case .environment: Environment.variable(key)
    case .commandLine: "command line"
    case .keys: "keys"
    }
  }

  /// Runs the user's editor, which may be a command with arguments, and waits for it.
  fileprivate static func runEditor(
    on path: String, _ environment: Environment
  ) throws(UsageError) -> Int32 {
    let editor = environment.first(of: ["VISUAL", "EDITOR"]) ?? "vi"
    // The path is a separate argument, so any characters in it are safe.
    let words = ["/bin/sh", "-c", "\(editor) \"$@\"", "sh", path]
    let mask = Pty.signalMask()
    do {
      var command = try DirectCommand(command: words.map { Array($0.utf8) }, mask: mask)
      // Ctrl-C in the editor must not end perfhud.
      let handlers = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
      defer { for (number, handler) in handlers { signal(number, handler) } }
      switch command.wait() {
      case .exited(let code) where code == 127:
        throw UsageError("no editor '\(SafeText.clean(editor))'; name one in VISUAL or EDITOR")
      case .exited(let code): return code
      case .signaled(let number, _): return 128 + number
      default: return ExitStatus.failure
      }
    } catch let error as UsageError {
      throw error
    } catch {
      throw UsageError("\(error)")
    }
  }
}
