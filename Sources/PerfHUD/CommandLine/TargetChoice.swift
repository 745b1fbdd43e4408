import Glibc
import Metrics
import PerfHUDBase
import Sampler

/// Determines what to sample from what the user has named.
final class TargetChoice {
  /// The first process; `nil` while waiting for one, and for a cgroup.
  private(set) var pid: Int32?
  /// Finds the next process when this one has ended.
  var finder: ProcessFinder?
  let cgroup: CgroupTarget?
  /// The processes from which the user may choose; empty if there is no choice.
  private var found: [FoundProcess] = []
  /// The name that was given; empty if none was.
  private var pattern = ""
  let joinsDescendants: Bool
  /// The number of matching processes.
  var matches = 1
  /// The name of the process to wait for while there is nothing to sample; made harmless.
  var followed: String?

  /// What to do if several processes match.
  enum Several {
    /// Let the user choose: `matches` says that there are several.
    case offer
    /// Take the newest: a HUD can show that.
    case takeNewest
    /// List them: batch output, which a program may read, must not depend on what else is running.
    case refuse
  }

  /// Looks for what the user has named.
  ///
  /// - Throws: `SamplerError`, `RunError`: one line that says what to do, after a list of the candidates if there are
  ///   several.
  init(
    _ selection: LaunchMode.Selection, several: Several, joinsDescendants: Bool, follows: Bool
  ) throws {
    self.joinsDescendants = joinsDescendants
    switch selection {
    case .pid(let pid):
      self.pid = pid
      cgroup = nil
    case .cgroup(let text):
      let target = try CgroupTarget(text)
      pid = nil
      cgroup = target
      followed = follows ? SafeText.clean(target.path, limit: 200) : nil
    case .name(let pattern, let waits):
      let name = SafeText.clean(pattern, limit: 80)
      var finder = try TargetChoice.finder(pattern)
      let found = try finder.all(joinsDescendants: joinsDescendants)
      if found.isEmpty, !waits {
        throw RunError(
          "no process is called '\(name)' and no command line matches it; wait for one with: "
            + "perfhud --name \(TargetChoice.quoted(name)) --wait")
      }
      if found.count > 1, several == .refuse { throw TargetChoice.refusal(found, name) }
      self.found = several == .offer ? found : []
      self.pattern = pattern
      pid = found.first?.target.pid
      cgroup = nil
      matches = max(1, found.count)
      followed = name
      if found.count > 1, several == .takeNewest, let first = found.first {
        Console.remark(
          "\(found.count) processes match '\(name)'; showing the newest: \(first.target.pid) "
            + first.commandLine)
      }
      self.finder = consume finder
    }
  }

  private static func finder(_ pattern: String) throws(RunError) -> ProcessFinder {
    do throws(LinePattern.Mistake) {
      return try ProcessFinder(pattern)
    } catch {
      let name = SafeText.clean(pattern, limit: 80)
      throw RunError("name '\(name)' is not a regular expression: \(error)")
    }
  }

  /// Whether the user should choose one of several.
  var isOffered: Bool { found.count > 1 && matches > 1 }

  /// Takes the process that the user has chosen.
  func choose(_ target: Target) throws {
    pid = target.pid
    matches = 1
    var finder = try anotherFinder()
    _ = try finder.all(joinsDescendants: joinsDescendants)
    self.finder = consume finder
  }

  /// Another finder of the same processes.
  func anotherFinder() throws(RunError) -> ProcessFinder { try TargetChoice.finder(pattern) }

  /// The error if several match and the user cannot choose, after a list of them.
  func refusal() -> RunError { TargetChoice.refusal(found, SafeText.clean(pattern, limit: 80)) }

  private static func refusal(_ found: [FoundProcess], _ name: String) -> RunError {
    Console.put(TargetChoice.list(found), on: STDERR_FILENO)
    return RunError("\(found.count) processes match '\(name)'; choose one of them with: --pid N")
  }

  /// The text quoted as one word of a shell command.
  private static func quoted(_ text: String) -> String {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/-:@+%"
    let isPlain = text.utf8.allSatisfy { $0 >= 0x80 || plain.utf8.contains($0) }
    return isPlain ? text : "'\(text)'"
  }

  private static let listLimit = 20

  /// PID, age and command line of each, newest first.
  private static func list(_ found: [FoundProcess]) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
    var text = right("PID", 9) + "     AGE  COMMAND\n"
    for process in found.prefix(listLimit) {
      text += right("\(process.target.pid)", 9)
      text += " " + right(NumberFormat.duration(seconds: process.target.age()).trimmed, 7)
      text += "  " + SafeText.clean(process.commandLine, limit: 120) + "\n"
    }
    if found.count > listLimit { text += "          … and \(found.count - listLimit) more\n" }
    return text
  }
}

extension ShortText {
  fileprivate var trimmed: String {
    String(decoding: (0..<count).map { self[$0] }.drop { $0 == 0x20 }, as: UTF8.self)
  }
}
