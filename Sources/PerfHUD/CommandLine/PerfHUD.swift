import ArgumentParser
import Base
import CLinux
import Glibc
import HUD
import Metrics
import Recording
import Sampler
import Terminal

/// The program: command line → request → run → exit status.
@main
enum PerfHUD {
  static func main() {
    exit(ExitStatus.of(arguments: Array(arguments().dropFirst())))
  }

  /// `CommandLine.arguments` reads them from `/proc/self`, which may lead nowhere, and mends what is
  /// not UTF-8, which would be another file.
  private static func arguments() -> [[UInt8]] {
    var list: UnsafePointer<UnsafeMutablePointer<CChar>>?
    let count = unsafe perfhud_arguments(&list)
    guard let list = unsafe list else { return [] }
    return (0..<Int(count)).map { index in
      let length = unsafe strlen(list[index])
      return (0..<length).map { unsafe UInt8(bitPattern: list[index][$0]) }
    }
  }
}

/// The exit statuses of perfhud where it has not that of a command (sysexits.h for 64; 125 to 127 as
/// of env(1)).
enum ExitStatus {
  static let done: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 64
  /// perfhud itself failed where it was to run a command. One that cannot be executed is 126, one that
  /// was not found 127: `PtyError`.
  static let commandFailure: Int32 = 125

  /// Does what the arguments say and returns the exit status.
  ///
  /// - Parameter arguments: the words behind the name of the program, as bytes.
  static func of(arguments: [[UInt8]]) -> Int32 {
    let words = ArgumentList(arguments)
    if words.own.first == "widgets" { return widgets(words) }
    if let first = words.own.first, ["emit", "help", "config"].contains(first) {
      return subcommand(arguments.map { String(decoding: $0, as: UTF8.self) })
    }
    // Before the parser takes the options of a command for its own.
    if let first = words.own.first, !first.isEmpty, !first.hasPrefix("-") {
      say(Request.misplaced(first, nil).description)
      return usage
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
      say(error.description)
      return usage
    }
    for notice in request.settings.notices { remark(notice) }
    return run(request, context: context)
  }

  private static func widgets(_ words: ArgumentList) -> Int32 {
    guard words.command == nil else {
      say("widgets takes no command; print the gallery with: perfhud widgets")
      return usage
    }
    do {
      var command = try WidgetsCommand.parseAsRoot(Array(words.own.dropFirst()))
      try command.run()
      return done
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
      return done
    } catch {
      return answer(error, of: EmitCommand.self, named: "perfhud emit")
    }
  }

  private static func config(_ words: [String]) -> Int32 {
    do {
      var command = try ConfigCommand.parseAsRoot(words)
      guard let action = command as? any ConfigAction else {
        try command.run()
        return done
      }
      return try action.perform(.current())
    } catch let error as UsageError {
      say(error.description)
      return usage
    } catch {
      return answer(error, of: ConfigCommand.self, named: "perfhud config")
    }
  }

  private static func run(_ request: Request, context: LaunchContext) -> Int32 {
    if !request.explains, let notice = request.notice(context: context) { say(notice) }
    do {
      return try Session.run(request, environment: context.environment)
    } catch let error as PtyError {
      say(error.description)
      return error.exitStatus
    } catch {
      say("\(error)")
      return request.mode.command == nil ? failure : commandFailure
    }
  }

  private static func reset(_ words: ArgumentList) -> Int32 {
    guard words.own.count == 1, words.command == nil else {
      say("--reset stands alone; repair this terminal with: perfhud --reset")
      return usage
    }
    do {
      try TerminalReset.run(environment: .current())
      return done
    } catch {
      say(error.description)
      return failure
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
      put(text, on: STDOUT_FILENO)
      return done
    }
    let message = command.message(for: error)
    let line = message.split(separator: "\n").first.map(String.init) ?? message
    let isSentence = line.hasSuffix(".") || line.hasSuffix("?")
    say("\(line)\(isSentence ? " See" : "; see"): \(name) --help")
    return usage
  }

  /// One line on standard error.
  static func say(_ text: String) {
    put("perfhud: \(SafeText.clean(text))\n", on: STDERR_FILENO)
  }

  /// One line on standard error on what perfhud goes on without; it is left out where nobody makes room for
  /// it within a second.
  static func remark(_ text: String) {
    var entry = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    guard unsafe poll(&entry, 1, 1000) > 0 else { return }
    // There is room for a page, whatever is written to; a scalar has four bytes at most.
    say(SafeText.clean(text, limit: 1000))
  }

  static func put(_ text: String, on descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress, $0.count)
      }
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
