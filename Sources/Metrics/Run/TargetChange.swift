import PerfHUDBase
import Sampler

/// Another target is followed from now on: a job of the shell has come to the foreground, or the shell itself; or a
/// program that is followed by its name has been started again.
package struct TargetChange: BitwiseCopyable, Sendable, Equatable {
  /// The name of the leading process of the target, as the kernel has it.
  package var name: ProcessName
  /// The pid of that process.
  package var pid: Int32
  /// Whether a job came to the foreground, which makes a mark on the graph. False if the shell takes over, or if the
  /// same job goes on without the process that had led it.
  package var isMark: Bool
  /// Whether it is the same program, started again after it had ended.
  package var isRestart: Bool

  package init(name: ProcessName, pid: Int32, isMark: Bool, isRestart: Bool = false) {
    self.name = name
    self.pid = pid
    self.isMark = isMark
    self.isRestart = isRestart
  }
}

/// A moment with a name on the graph.
package struct NamedMark: BitwiseCopyable, Sendable, Equatable {
  package let time: Instant
  package let name: ProcessName
  /// Whether the program was started again at this moment; otherwise a job came to the foreground.
  package var isRestart = false
}

/// What a process runs after a change: it has executed another program, or changed its name.
package struct ProgramChange: Sendable, Equatable {
  /// The name that the kernel keeps.
  package var name: ProcessName
  /// The command line, made harmless.
  package var command: String

  package init(name: ProcessName, command: String) {
    self.name = name
    self.command = command
  }
}
