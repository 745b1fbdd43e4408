import ArgumentParser
import CProcess
import Glibc
import PerfHUDBase
import Sampler
import Terminal

/// The program: command line → request → run → exit status.
@main
enum PerfHUD {
  static func main() { exit(status(of: .current())) }

  /// Does what the words request, and returns the exit status.
  private static func status(of words: ArgumentList) -> Int32 {
    var words = words
    if words.subcommand == ConfigCommand.name {
      words.own = ConfigCommand.fileLast(words.own)
      if words.own.first == ConfigCommand.name { words.subcommandIndex = 0 }
    }
    do {
      if words.own.isEmpty { return try launch(.empty, words) }
      if let name = words.subcommand, words.own.first != name {
        throw UsageError(
          "options of perfhud do not apply to \(name), and its own come after it; see: perfhud \(name) --help"
            + ProgramAdvice.text(for: words))
      }
      let isSubcommand = words.subcommand != nil && words.subcommand != "help"
      if words.subcommand != nil {
        try SubcommandLine.checkNested(words.own, advice: ProgramAdvice.text(for: words))
      }
      var command =
        isSubcommand
        ? try SubcommandLine.parseAsRoot(EmitCommand.protectNumbers(words.own))
        : try CommandLineArguments.parseAsRoot(words.own)
      switch command {
      case let arguments as CommandLineArguments: return try launch(arguments, words)
      case let subcommand as any Subcommand: return try subcommand.perform(.current())
      default:
        try command.run()
        return ExitStatus.done
      }
    } catch let error as UsageError {
      Console.say(error.description)
      return ExitStatus.usage
    } catch let error as RunError {
      Console.say(error.description)
      return ExitStatus.failure
    } catch let error as SamplerError {
      Console.say("\(error)")
      return ExitStatus.failure
    } catch {
      return answer(error, words)
    }
  }

  /// Shows or measures what was requested.
  private static func launch(
    _ arguments: CommandLineArguments, _ words: ArgumentList
  ) throws -> Int32 {
    if arguments.version {
      try Console.print(Version.line + "\n")
      return ExitStatus.done
    }
    if arguments.dumpTables {
      try Console.print(Tables.text)
      return ExitStatus.done
    }
    if arguments.reset { return try reset(words) }
    let context = LaunchContext.current().applying(arguments)
    let request = try Request(arguments, words, context: context)
    let isOverlay = if case .overlay = request.mode { true } else { false }
    if !isOverlay { perfhud_abandon_split() }
    // An engine that later gave back has already printed them.
    if !isOverlay || perfhud_was_given_back() == 0 {
      for notice in request.settings.notices { Console.remark(notice) }
    }
    return run(request, context: context, words)
  }

  /// If the command is not found, suggests a subcommand that the user may have meant.
  private static func advice(for words: ArgumentList) -> String {
    guard !words.isAfterTerminator, let name = words.command?.first else { return "" }
    let text = String(decoding: name, as: UTF8.self)
    let nearest = NearestName.of(text, among: KnownOption.subcommands)
    return nearest.map { "; did you mean: perfhud \($0)" } ?? ""
  }

  private static func run(
    _ request: Request, context: LaunchContext, _ words: ArgumentList
  ) -> Int32 {
    if !request.explains, perfhud_is_taking_over() == 0,
      let notice = request.notice(context: context)
    {
      Console.say(notice)
    }
    let mask = Pty.signalMask()
    do {
      return try Session.run(request, environment: context.environment)
    } catch let error as MissingMeans {
      perfhud_abandon_split()
      if !request.budgets.list.isEmpty { return refuse(request, "\(error)") }
      return runBare(request.mode.command, error, mask: mask)
    } catch let error as PtyError
      where error.exitStatus == ExitStatus.commandFailure && request.budgets.list.isEmpty
    {
      let missing = MissingMeans(reason: error.cause.reason, advice: error.cause.advice)
      return runBare(request.mode.command, missing, mask: mask)
    } catch let error as PtyError {
      Console.say(error.description + (error.exitStatus == 127 ? advice(for: words) : ""))
      return error.exitStatus
    } catch {
      Console.say("\(error)")
      return request.mode.command == nil ? ExitStatus.failure : ExitStatus.commandFailure
    }
  }

  /// Ends with an error if there are budgets, since a command that cannot be measured must not seem to keep them.
  private static func refuse(_ request: Request, _ reason: String) -> Int32 {
    Console.say("\(reason): nothing was run, since its budgets could not be judged")
    return request.mode.command == nil ? ExitStatus.failure : ExitStatus.commandFailure
  }

  /// Runs a command in place of perfhud, which lacks what it needs to show or measure the command.
  ///
  /// - Returns: the exit status if there is no command, or it cannot be executed.
  private static func runBare(
    _ command: [[UInt8]]?, _ missing: MissingMeans, mask: sigset_t
  ) -> Int32 {
    guard let command else {
      Console.say(missing.description)
      return ExitStatus.failure
    }
    let reason = missing.reason + ": the command runs without perfhud"
    Console.remark(MissingMeans(reason: reason, advice: missing.advice).description)
    let error = DirectCommand.replaceProcess(with: command, mask: mask)
    Console.say(error.description)
    return error.exitStatus
  }

  private static func reset(_ words: ArgumentList) throws -> Int32 {
    guard words.own == ["--reset"], words.number == nil, words.command == nil else {
      throw UsageError("--reset takes no other option; repair this terminal with: perfhud reset")
    }
    return try ResetCommand().perform(.current())
  }

  /// Prints help and completion scripts on standard output, and a mistake as one line of perfhud's own.
  private static func answer(_ error: Error, _ words: ArgumentList) -> Int32 {
    let command = CommandLineArguments.self
    let isClean = command.exitCode(for: error) == .success
    guard !isClean else {
      var text = command.fullMessage(for: error)
      if !text.hasSuffix("\n") { text += "\n" }
      do throws(RunError) {
        try Console.print(text)
        return ExitStatus.done
      } catch {
        Console.say(error.description)
        return ExitStatus.failure
      }
    }
    let message = command.message(for: error)
    var line = message.split(separator: "\n").first.map(String.init) ?? message
    line =
      words.subcommand == nil
      ? OptionAdvice.improved(line, words: words.own)
      : OptionAdvice.ofValue(line, words.own) ?? line
    let name = words.subcommand.map { "perfhud \($0)" } ?? "perfhud"
    if !line.hasSuffix(" --help") {
      let isSentence = line.hasSuffix(".") || line.hasSuffix("?")
      line += "\(isSentence ? " See" : "; see"): \(name) --help"
    }
    Console.say(line + ProgramAdvice.text(for: words))
    return ExitStatus.usage
  }
}
