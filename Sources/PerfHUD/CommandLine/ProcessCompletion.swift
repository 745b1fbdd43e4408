import ArgumentParser
import Glibc
import Sampler

/// Shell completions for `--pid` and `--name`: the user's processes, newest first.
enum ProcessCompletion {
  /// Shells do not show more than this at once.
  private static let limit = 200

  /// The candidates for `--pid`: `4242:vim` for zsh, with a tab for fish, the number alone for bash.
  static func pids(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    processes().map { pid, name in line(pid: pid, name: name, shell: CompletionShell.requesting) }
  }

  /// The candidates for `--name`.
  static func names(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    var seen: Set<String> = []
    return processes().map(\.name).filter { isPlain($0) && seen.insert($0).inserted }
  }

  static func line(pid: Int32, name: String, shell: CompletionShell?) -> String {
    // bash expands the words that it is given.
    guard isPlain(name) else { return "\(pid)" }
    return switch shell {
    case .zsh: "\(pid):\(name)"
    case .fish: "\(pid)\t\(name)"
    default: "\(pid)"
    }
  }

  /// Whether no shell would expand anything in a name.
  static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix("-")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "._-+".utf8.contains(byte)
        }
      }
  }

  private static func processes() -> [(pid: Int32, name: String)] {
    var scanner = ProcessScanner()
    let user = geteuid()
    let found = (try? scanner.scan()) ?? []
    return found.filter { user == 0 || $0.user == user }
      .sorted { $0.target.startTicks > $1.target.startTicks }
      .prefix(limit).map { ($0.target.pid, $0.name.text) }
  }
}
