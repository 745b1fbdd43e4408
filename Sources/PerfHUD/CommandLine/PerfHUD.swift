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

  /// Does what the words ask for and returns the exit status.
  private static func status(of words: ArgumentList) -> Int32 {
    if words.own.first == "widgets" { return widgets(words) }
    if let first = words.own.first, ["emit", "help", "config"].contains(first) {
      return subcommand(words.texts)
    }
    // Before the parser takes the options of a command for its own.
    if let first = words.own.first, !first.isEmpty, !first.hasPrefix("-") {
      ExitStatus.say(Request.misplaced(first, nil).description)
      return ExitStatus.usage
    }
    let parsed: CommandLineArguments
    do {
      parsed = try CommandLineArguments.parse(words.own)
    } catch {
      return answer(error)
    }
    if parsed.reset { return reset(words) }
    let context = LaunchContext.current()
    let request: Request
    do {
      request = try Request(parsed, command: words.command, context: context)
    } catch {
      ExitStatus.say(error.description)
      return ExitStatus.usage
    }
    for notice in request.settings.notices { ExitStatus.remark(notice) }
    return run(request, context: context)
  }

  private static func widgets(_ words: ArgumentList) -> Int32 {
    guard words.command == nil else {
      ExitStatus.say("widgets takes no command; print the gallery with: perfhud widgets")
      return ExitStatus.usage
    }
    do {
      var command = try WidgetsCommand.parseAsRoot(Array(words.own.dropFirst()))
      try command.run()
      return ExitStatus.done
    } catch {
      return answer(error, of: WidgetsCommand.self, named: "perfhud widgets")
    }
  }

  private static func subcommand(_ words: [String]) -> Int32 {
    let isHelp = words.first == "help"
    if words.dropFirst(isHelp ? 1 : 0).first == "config" {
      return config(isHelp ? words.dropFirst(2) + ["--help"] : Array(words.dropFirst()))
    }
    do {
      // `perfhud help emit phase` asks for what `perfhud emit phase --help` does.
      let asksHelp = words.first == "help"
      if asksHelp, words.dropFirst().first != "emit" {
        return answer(CleanExit.helpRequest(CommandLineArguments.self))
      }
      let rest = asksHelp ? words.dropFirst(2) + ["--help"] : words.dropFirst()
      var command = try EmitCommand.parseAsRoot(EmitCommand.protectNumbers(Array(rest)))
      if let event = command as? any EmittedEvent {
        try event.target.send(try event.event())
      } else {
        try command.run()
      }
      return ExitStatus.done
    } catch {
      return answer(error, of: EmitCommand.self, named: "perfhud emit")
    }
  }

  private static func config(_ words: [String]) -> Int32 {
    do {
      var command = try ConfigCommand.parseAsRoot(words)
      guard let action = command as? any ConfigAction else {
        try command.run()
        return ExitStatus.done
      }
      return try action.perform(.current())
    } catch let error as UsageError {
      ExitStatus.say(error.description)
      return ExitStatus.usage
    } catch {
      return answer(error, of: ConfigCommand.self, named: "perfhud config")
    }
  }

  private static func run(_ request: Request, context: LaunchContext) -> Int32 {
    if !request.explains, let notice = request.notice(context: context) { ExitStatus.say(notice) }
    let mask = Pty.signalMask()
    do {
      return try Session.run(request, environment: context.environment)
    } catch let error as MissingMeans {
      return runBare(request.mode.command, error, mask: mask)
    } catch let error as PtyError where error.exitStatus == ExitStatus.commandFailure {
      let missing = MissingMeans(reason: error.cause.reason, advice: error.cause.advice)
      return runBare(request.mode.command, missing, mask: mask)
    } catch let error as PtyError {
      ExitStatus.say(error.description)
      return error.exitStatus
    } catch {
      ExitStatus.say("\(error)")
      return request.mode.command == nil ? ExitStatus.failure : ExitStatus.commandFailure
    }
  }

  /// Runs a command in place of perfhud, which has not the means to show or measure it.
  ///
  /// - Returns: the exit status where there is no command, or it cannot be executed.
  private static func runBare(
    _ command: [[UInt8]]?, _ missing: MissingMeans, mask: sigset_t
  ) -> Int32 {
    guard let command else {
      ExitStatus.say(missing.description)
      return ExitStatus.failure
    }
    let reason = missing.reason + ": the command runs without perfhud"
    ExitStatus.remark(MissingMeans(reason: reason, advice: missing.advice).description)
    let error = DirectCommand.replaceProcess(with: command, mask: mask)
    ExitStatus.say(error.description)
    return error.exitStatus
  }

  private static func reset(_ words: ArgumentList) -> Int32 {
    guard words.own.count == 1, words.command == nil else {
      ExitStatus.say("--reset takes no other option; repair this terminal with: perfhud --reset")
      return ExitStatus.usage
    }
    do {
      try TerminalReset.run(environment: .current())
      return ExitStatus.done
    } catch {
      ExitStatus.say(error.description)
      return ExitStatus.failure
    }
  }

  /// Help, version and completion scripts go to standard output; a mistake is one line of ours.
  private static func answer(
    _ error: Error, of command: any ParsableCommand.Type = CommandLineArguments.self,
    named name: String = "perfhud"
  ) -> Int32 {
    let isClean = command.exitCode(for: error) == .success
    guard !isClean else {
      var text = command.fullMessage(for: error)
      if !text.hasSuffix("\n") { text += "\n" }
      ExitStatus.put(text, on: STDOUT_FILENO)
      return ExitStatus.done
    }
    let message = command.message(for: error)
    let line = message.split(separator: "\n").first.map(String.init) ?? message
    let isSentence = line.hasSuffix(".") || line.hasSuffix("?")
    ExitStatus.say("\(line)\(isSentence ? " See" : "; see"): \(name) --help")
    return ExitStatus.usage
  }
}
