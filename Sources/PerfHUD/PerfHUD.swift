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

  /// `CommandLine.arguments` reads them from `/proc/self`, which may lead nowhere.
  private static func arguments() -> [String] {
    var list: UnsafePointer<UnsafeMutablePointer<CChar>>?
    let count = unsafe perfhud_arguments(&list)
    guard let list = unsafe list else { return [] }
    return (0..<Int(count)).map { unsafe String(cString: list[$0]) }
  }
}

/// The exit statuses of perfhud (sysexits.h for 64).
enum ExitStatus {
  static let done: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 64

  /// Does what the arguments say and returns the exit status.
  static func of(arguments: [String]) -> Int32 {
    let parsed: CommandLineArguments
    do {
      parsed = try CommandLineArguments.parse(arguments)
    } catch {
      return answer(error)
    }
    do {
      let environment = Environment.current()
      let request = try Request(
        parsed, environment: environment, isTerminal: TTY.isTerminal(STDOUT_FILENO))
      for notice in request.settings.notices { say(notice) }
      return try Session.run(request, environment: environment)
    } catch let error as UsageError {
      say(error.description)
      return usage
    } catch {
      say("\(error)")
      return failure
    }
  }

  /// Help, version and completion scripts go to standard output; a mistake is one line of ours.
  private static func answer(_ error: Error) -> Int32 {
    let isClean = CommandLineArguments.exitCode(for: error) == .success
    guard !isClean else {
      var text = CommandLineArguments.fullMessage(for: error)
      if !text.hasSuffix("\n") { text += "\n" }
      put(text, on: STDOUT_FILENO)
      return done
    }
    let message = CommandLineArguments.message(for: error)
    let line = message.split(separator: "\n").first.map(String.init) ?? message
    say(line + (line.hasSuffix(".") ? " See" : "; see") + ": perfhud --help")
    return usage
  }

  /// One line on standard error.
  static func say(_ text: String) {
    put("perfhud: \(SafeText.clean(text))\n", on: STDERR_FILENO)
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
