/// The files of a process that stay open.
struct ProcessFiles: ~Copyable, Sendable {
  let statm: ProcFile
  let stat: ProcFile
  var status: OptionalFile
  let io: OptionalFile
  let schedstat: OptionalFile
  /// The children that the main thread has started: task/PID/children. Only where they are not sampled.
  let children: OptionalFile
  /// perfhud's own statm.
  let ownStatm: ProcFile?
  /// `/proc/loadavg`, if it describes our own pid namespace.
  let loadavg: ProcFile?
  /// The memory of a process whose main thread has ended, read through another thread.
  var threadStatm: ProcFile?

  /// - Throws: `SamplerError` if stat or statm cannot be opened.
  init(
    pid: Int32, in directory: borrowing ProcDirectory, isOurNamespace: Bool, root: String,
    hasChildren: Bool
  ) throws(SamplerError) {
    let stat = try directory.required("stat", StatFields.capacity, pid: pid, root: root)
    let statm = try directory.required("statm", 256, pid: pid, root: root)
    self.stat = stat
    self.statm = statm
    status = OptionalFile("status", in: directory, capacity: StatusFields.capacity)
    io = OptionalFile("io", in: directory, capacity: 512)
    schedstat = OptionalFile("schedstat", in: directory, capacity: 256)
    children =
      hasChildren
      ? OptionalFile("task/\(pid)/children", in: directory, capacity: ChildrenFields.capacity)
      : OptionalFile(path: nil, capacity: 0)
    ownStatm = try? ProcFile(path: "/proc/self/statm", capacity: 256)
    loadavg = isOurNamespace ? try? ProcFile(path: "\(root)/loadavg", capacity: 128) : nil
  }
}

extension ProcDirectory {
  fileprivate func required(
    _ name: String, _ capacity: Int, pid: Int32, root: String
  ) throws(SamplerError) -> ProcFile {
    do {
      return try file(name, capacity: capacity)
    } catch {
      throw SamplerError(error, pid: pid, root: root)
    }
  }
}
