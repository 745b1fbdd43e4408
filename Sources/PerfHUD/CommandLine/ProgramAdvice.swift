import Glibc
import PerfHUDBase
import Terminal

/// What to type if the first word is a subcommand of perfhud but the program of the same name was meant: `tmux attach`,
/// `compare a.png b.png`.
enum ProgramAdvice {
  /// - Parameter path: the directories of programs, as in `PATH`.
  /// - Returns: what is wrong, and the command line with `--`; empty if there is no such program.
  static func text(for words: ArgumentList, path: String? = nil) -> String {
    guard let name = words.subcommand, let start = words.subcommandIndex,
      let path = path ?? searchPath(), isProgram(name, path: path)
    else { return "" }
    let line = ["perfhud"] + words.own[..<start] + ["--"] + words.own[start...]
    return "; to run the program \(name): \(ShellWords.joined(line.map { Array($0.utf8) }))"
  }

  /// Source: getenv(3).
  private static func searchPath() -> String? {
    unsafe getenv("PATH").map { unsafe String(cString: $0) }
  }

  private static func isProgram(_ name: String, path: String) -> Bool {
    path.split(separator: ":").contains { CommandSearch.isProgram("\($0)/\(name)") }
  }
}
