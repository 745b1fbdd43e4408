import PerfHUDBase
import Sampler

/// The names by which a section of the configuration file can refer to the shown program.
enum ProgramName {
  /// The base name of the command, or of the shell; for a named process its name and the base name of its first
  /// argument. Empty if the process is chosen later, and for a cgroup.
  static func names(
    _ arguments: CommandLineArguments, _ command: [[UInt8]]?, _ context: LaunchContext
  ) -> [String] {
    if let pid = arguments.target.pid { return Int32(pid).map { names(of: $0) } ?? [] }
    if let pattern = arguments.target.name { return names(matching: pattern) }
    if arguments.target.pick || arguments.target.cgroup != nil { return [] }
    guard let command else { return [base(context.shell)] }
    return command.first.map { [base(String(decoding: $0, as: UTF8.self))] } ?? []
  }

  /// The kernel truncates the name of a process to 15 bytes; its first argument is complete.
  private static func names(of pid: Int32) -> [String] {
    guard let facts = try? ProcessFacts(pid: pid) else { return [] }
    return names("\(facts.name.text)", facts.commandLine)
  }

  /// The names of the newest matching process; the pattern itself if there is none.
  private static func names(matching pattern: String) -> [String] {
    do {
      var finder = try ProcessFinder(pattern)
      let found = try finder.all()
      guard let process = found.first else { return [pattern] }
      return names("\(process.name.text)", process.commandLine)
    } catch {
      return [pattern]
    }
  }

  private static func names(_ name: String, _ commandLine: String) -> [String] {
    let first = commandLine.split(separator: " ").first.map { base(String($0)) }
    return [name] + (first.map { [$0] } ?? [])
  }

  /// The last part of a path.
  static func base(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
