import Sampler

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
