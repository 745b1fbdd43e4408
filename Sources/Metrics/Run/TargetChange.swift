import PerfHUDBase
import Sampler

/// Another target is followed from now on: a job of the shell has come to the foreground, or the shell
/// itself; or what is followed by its name has been started again.
public struct TargetChange: BitwiseCopyable, Sendable, Equatable {
  /// The name of the leading process of the target, as the kernel has it.
  public var name: ProcessName
  /// The pid of that process.
  public var pid: Int32
  /// Whether a job came to the foreground: a mark on the graph. Not where the shell takes over, or the
  /// same job goes on without the process that had led it.
  public var isMark: Bool
  /// Whether it is the same program, started again after its end.
  public var isRestart: Bool

  public init(name: ProcessName, pid: Int32, isMark: Bool, isRestart: Bool = false) {
    self.name = name
    self.pid = pid
    self.isMark = isMark
    self.isRestart = isRestart
  }
}

/// A moment with a name on the graph.
public struct NamedMark: BitwiseCopyable, Sendable, Equatable {
  public let time: Instant
  public let name: ProcessName
  /// Whether the program was started again then; else a job came to the foreground.
  public var isRestart = false
}

/// What a process runs, once that has changed: it has executed another program, or given itself another name.
public struct ProgramChange: Sendable, Equatable {
  /// The name that the kernel keeps.
  public var name: ProcessName
  /// The command line, made harmless.
  public var command: String

  public init(name: ProcessName, command: String) {
    self.name = name
    self.command = command
  }
}
