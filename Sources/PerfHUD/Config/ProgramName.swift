import PerfHUDBase
import Sampler

/// The names by which a section of the configuration file can mean the program that is shown.
enum ProgramName {
  /// The base name of the command, or of the shell; of a process that was named its name and the base name of its
  /// first argument. None where the process is chosen later, and for a cgroup.
  static func names(
    _ arguments: CommandLineArguments, _ command: [[UInt8]]?, _ context: LaunchContext
  ) -> [String] {
    if let pid = arguments.target.pid { return Int32(pid).map { names(of: $0) } ?? [] }
    if let pattern = arguments.target.name { return names(matching: pattern) }
    if arguments.target.pick || arguments.target.cgroup != nil { return [] }
    guard let command else { return [base(context.shell)] }
    return command.first.map { [base(String(decoding: $0, as: UTF8.self))] } ?? []
  }

  /// The kernel cuts the name of a process off after 15 bytes; its first argument has all of it.
  private static func names(of pid: Int32) -> [String] {
    guard let facts = try? ProcessFacts(pid: pid) else { return [] }
    return names("\(facts.name.text)", facts.commandLine)
  }

  /// The names of the newest process that matches; the pattern itself while there is none.
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
