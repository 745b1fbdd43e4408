/// The source of an event: the program itself, or a source named by `--phase-from`.
public enum EventOrigin: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// The program or `perfhud emit`: over the socket, in the output or in a file.
  case app
  /// The terminal's title.
  case title
  /// Marks of a shell integration (OSC 133).
  case shell
  /// A shell's foreground job.
  case job
  /// A pattern matched against a log file.
  case pattern
  /// The user, by a key.
  case key

  /// The rank. If several sources name a phase, the highest rank wins.
  public var rank: Int {
    switch self {
    case .app, .pattern: 4
    case .shell: 3
    case .job: 2
    case .title: 1
    case .key: 0
    }
  }

  /// The name, as used by `--phase-from`.
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
