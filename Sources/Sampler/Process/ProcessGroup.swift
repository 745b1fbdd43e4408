import Glibc
import PerfHUDBase

/// A process group whose processes are sampled together: a job of a shell, or the shell without its
/// jobs.
public struct ProcessGroup: BitwiseCopyable, Sendable, Equatable {
  /// The number of the group: the pid of the process that leads it, or has led it.
  public var number: Int32
  /// Whether descendants in other groups count too. Those of a shell are its jobs.
  public var includesOtherGroups: Bool

  public init(_ number: Int32, includesOtherGroups: Bool) {
    self.number = number
    self.includesOtherGroups = includesOtherGroups
  }

  /// The process that represents the group: its leader, or after the leader's end the oldest living one.
  ///
  /// Complexity: reads one file; without the leader one for each process of the machine.
  /// - Parameter root: where /proc is mounted.
  /// - Returns: `nil` if no process of the group lives.
  ///
  /// Source: field 5 of `/proc/PID/stat`.
  func representative(root: String) -> Int32? {
    if lives(number, root: root) != nil { return number }
    var oldest: (pid: Int32, startTicks: UInt64)?
    NumberedFiles.forEach(in: root) { pid in
      guard let startTicks = lives(pid, root: root) else { return }
      if startTicks < oldest?.startTicks ?? .max { oldest = (pid, startTicks) }
    }
    return oldest?.pid
  }

  /// The start time of a process that belongs to the group and has not ended; otherwise `nil`.
  private func lives(_ pid: Int32, root: String) -> UInt64? {
    guard let file = try? ProcFile(path: "\(root)/\(pid)/stat", capacity: StatFields.capacity),
      let stat = (try? file.read(as: StatFields.self)) ?? nil, stat.group == number
    else { return nil }
    return stat.hasEnded ? nil : stat.startTicks
  }
}
