import Glibc
import PerfHUDBase

/// Facts about one process that hardly ever change, for people: read now and then while its list is on the screen.
///
/// Texts are harmless for a terminal. What another user's process does not show is `nil`.
public struct ProcessDetails: Sendable, Equatable {
  /// The effective user. Source: `Uid` of `/proc/PID/status`.
  public var user: UInt32?
  /// The name of that user, or the number if there is no name.
  public var userName: String?
  /// Field 4 of `/proc/PID/stat`; 0 for a process whose parent lives in another pid namespace.
  public var parent: Int32 = 0
  /// The name of the parent, if there is one.
  public var parentName = ProcessName()
  /// From -20 to 19; a process with a greater one gives way to others. Source: `getpriority(2)`, of its main thread.
  public var nice: Int32?
  /// The number of open files, sockets and pipes. Source: the names in `/proc/PID/fd`.
  public var openFiles: Int?
  /// The number that it may have; `nil` if unlimited too. Source: the soft limit of `Max open files` in
  /// `/proc/PID/limits`.
  public var openFilesLimit: UInt64?
  /// The processors that its main thread may use, as in `0-3,8`. Source: `Cpus_allowed_list` of `/proc/PID/status`.
  public var processors: String?
  /// The working directory. Source: `readlink(2)` of `/proc/PID/cwd`.
  public var directory: String?
  /// The file that it runs. Source: `readlink(2)` of `/proc/PID/exe`.
  public var program: String?
  /// Whether that file has been deleted or replaced since the start: the process does not run what is there now.
  public var isProgramDeleted = false
  /// The path of its cgroup in the unified hierarchy, else in the first one. Source: `/proc/PID/cgroup`.
  public var cgroup: String?

  /// Nothing known.
  public init() {}

  private static let deletedSuffix = Array(" (deleted)".utf8)

  /// Reads the details of a process. Takes some 100 µs, and longer with thousands of open files.
  ///
  /// `nil` if the process has ended.
  ///
  /// - Parameter root: where /proc is mounted.
  public init?(_ target: Target, root: String = "/proc") {
    let path = "\(root)/\(target.pid)"
    guard let stat = StatFields(path: path + "/stat"), stat.startTicks == target.startTicks else {
      return nil
    }
    parent = stat.parent
    if let other = StatFields(path: "\(root)/\(parent)/stat") { parentName = other.name }
    readStatus(path)
    var count = 0
    if NumberedFiles.forEach(in: path + "/fd", { _ in count += 1 }) { openFiles = count }
    openFilesLimit = ProcessDetails.openFilesLimit(path)
    directory = ProcessDetails.link(path + "/cwd").map { SafeText.clean(bytes: $0) }
    if var link = ProcessDetails.link(path + "/exe") {
      let suffix = ProcessDetails.deletedSuffix
      isProgramDeleted = link.suffix(suffix.count).elementsEqual(suffix)
      if isProgramDeleted { link.removeLast(suffix.count) }
      program = SafeText.clean(bytes: link)
    }
    cgroup = ProcessDetails.cgroup(path)
    if ProcMount.showsOurNamespace(root: root) {
      errno = 0
      let value = getpriority(Int32(PRIO_PROCESS.rawValue), id_t(target.pid))
      if errno == 0 { nice = value }
    }
    // Another process may have got the pid meanwhile.
    guard StatFields(path: path + "/stat")?.startTicks == target.startTicks else { return nil }
  }

  private mutating func readStatus(_ path: String) {
    guard let bytes = try? readFile(path + "/status") else { return }
    for line in bytes.split(separator: 0x0A) {
      if let value = ProcessDetails.value(of: "Uid:", in: line) {
        // The real user comes first.
        let fields = value.split(whereSeparator: { $0 == 0x09 || $0 == 0x20 })
        guard fields.count > 1 else { continue }
        user = UInt32(String(decoding: fields[1], as: UTF8.self))
      } else if let value = ProcessDetails.value(of: "Cpus_allowed_list:", in: line) {
        let fields = value.split(whereSeparator: { $0 == 0x09 || $0 == 0x20 })
        processors = fields.first.map { SafeText.clean(bytes: $0, limit: 64) }
      }
    }
  }

  private static func value(
    of label: StaticString, in line: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    let text = label.description.utf8
    return line.starts(with: text) ? line.dropFirst(text.count) : nil
  }

  private static func openFilesLimit(_ path: String) -> UInt64? {
    guard let bytes = try? readFile(path + "/limits") else { return nil }
    for line in bytes.split(separator: 0x0A) {
      guard let value = value(of: "Max open files", in: line) else { continue }
      let first = value.split(separator: 0x20).first
      return first.flatMap { UInt64(String(decoding: $0, as: UTF8.self)) }
    }
    return nil
  }

  /// Where a symbolic link leads; `nil` if that may not be read.
  private static func link(_ path: String) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { space in
      guard let start = space.baseAddress else { return 0 }
      return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), space.count)
    }
    guard count > 0 else { return nil }
    buffer.removeLast(buffer.count - count)
    return buffer
  }

  private static func cgroup(_ path: String) -> String? {
    guard let bytes = try? readFile(path + "/cgroup") else { return nil }
    let memberships = CgroupMembership.parse(String(decoding: bytes, as: UTF8.self))
    let membership = memberships.first(where: \.isUnified) ?? memberships.first
    return membership.map { SafeText.clean($0.path) }
  }
}
