/// The processes above a process, the nearest first: its parent, the parent of that, and so on.
///
/// The first process of the system, or of its pid namespace, is left out. Ends early where a process has gone.
///
/// Source: `/proc/PID/stat`, field 4.
package struct ParentProcesses: Sequence, IteratorProtocol {
  private var pid: Int32
  private let root: String

  package init(of pid: Int32, root: String = "/proc") {
    self.pid = pid
    self.root = root
  }

  package mutating func next() -> Int32? {
    guard let file = try? ProcFile(path: "\(root)/\(pid)/stat", capacity: StatFields.capacity),
      let stat = (try? file.read(as: StatFields.self)) ?? nil, stat.parent > 1
    else { return nil }
    pid = stat.parent
    return pid
  }
}
