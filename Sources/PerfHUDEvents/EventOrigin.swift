/// The source of an event: the program itself, or what `--phase-from` names.
public enum EventOrigin: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// The program or `perfhud emit`, over the socket, on the output or in a file.
  case app
  /// The title of its terminal.
  case title
  /// Marks of a shell integration (OSC 133).
  case shell
  /// The job in the foreground of a shell.
  case job
  /// A pattern over a log file.
  case pattern
  /// The user, by a key.
  case key

  /// The rank: where several sources name a phase, the greatest wins.
  public var rank: Int {
    switch self {
    case .app, .pattern: 4
    case .shell: 3
    case .job: 2
    case .title: 1
    case .key: 0
    }
  }

  /// The name, as `--phase-from` has it.
  public var name: StaticString {
    switch self {
    case .app: "app"
    case .title: "title"
    case .shell: "shell"
    case .job: "job"
    case .pattern: "pattern"
    case .key: "key"
    }
  }
}
