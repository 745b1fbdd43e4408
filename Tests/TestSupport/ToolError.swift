import PerfHUDBase

/// Why a program that a test needs could not be run or did not do what the test waits for.
public struct ToolError: Error, CustomStringConvertible {
  /// What went wrong, with what the program has written so far.
  public let description: String

  public init(_ description: String) { self.description = description }
}

/// How a program ended.
public enum ExitStatus: Hashable, Sendable {
  /// It called `exit` with this status.
  case exit(Int)
  /// A signal ended it.
  case signal(Int)

  /// Source: the status word of `waitpid(2)`.
  init(waitStatus: Int32) {
    let signal = waitStatus & 0x7F
    self = signal == 0 ? .exit(Int(waitStatus >> 8 & 0xFF)) : .signal(Int(signal))
  }
}
