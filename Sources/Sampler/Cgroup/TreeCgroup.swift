import Glibc
import PerfHUDBase

/// `usage_usec` of a v2 cgroup's cpu.stat, or a v1 cpuacct.usage, in nanoseconds.
struct CgroupUsageFields: ProcFields {
  var nanoseconds: UInt64

  init?(_ bytes: RawSpan) {
    var cursor = FieldCursor()
    let isUnified = cursor.take("usage_usec", in: bytes)
    guard let number = cursor.nextUnsigned(in: bytes) else { return nil }
    nanoseconds = isUnified ? number &* 1000 : number
  }
}

/// A cgroup that contains nothing but the tree: its CPU time is exact, whichever process waits for which.
///
/// The tree owns the cgroup if all its processes are in it, perfhud is not, no cgroup is below it, and everything else
/// in it was started after the root: an orphan, or a process that was put beside the tree later. This is checked once a
/// second. Between two checks that agree, the CPU time of the cgroup counts, otherwise that of the tree. The cgroup of
/// a login session, which contains older processes, does not belong to the tree.
///
/// Source: cpu.stat (v2) or cpuacct.usage (v1), and cgroup.procs.
struct TreeCgroup: ~Copyable, Sendable {
  private static let lookInterval: Int64 = 1_000_000_000

  private let usage: ProcFile
  private let processes: Descriptor
  private let directory: Descriptor
  private var isOwned = false
  private var lastLook: Instant?
  /// At the previous sample: the CPU time according to the cgroup and to the tree, and the number of ended processes
  /// that the tree's sum lacks in part.
  private var lastUsage: UInt64?
  private var lastTree: UInt64 = 0
  private var lastLosses: UInt32 = 0
  private var total: UInt64?
  private var losses: UInt32 = 0
  /// Whether the last value was that of the cgroup.
  private(set) var isExact = false

  /// - Returns: `nil` if the process is in the root cgroup only.
  init?(pid: Int32, root: String) {
    let prefix = root.hasSuffix("/proc") ? String(root.dropLast(5)) : root
    guard let text = try? readFile("\(root)/\(pid)/cgroup"),
      let mountText = try? readFile("\(root)/self/mountinfo", limit: 1 << 24),
      let path = TreeCgroup.path(
        memberships: CgroupMembership.parse(String(decoding: text, as: UTF8.self)),
        mounts: CgroupMount.parse(String(decoding: mountText, as: UTF8.self)))
    else { return nil }
    let name = path.isUnified ? "cpu.stat" : "cpuacct.usage"
    let directory = prefix + path.directory
    guard let usage = try? ProcFile(path: "\(directory)/\(name)", capacity: 1024) else {
      return nil
    }
    let raw = unsafe open("\(directory)/cgroup.procs", O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let own = unsafe open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard own >= 0 else {
      close(raw)
      return nil
    }
    self.usage = usage
    processes = Descriptor(owning: raw)
    self.directory = Descriptor(owning: own)
  }

  /// The directory below the mount of the hierarchy that counts CPU time; the v2 one first.
  static func path(
    memberships: [CgroupMembership], mounts: [CgroupMount]
  ) -> (directory: String, isUnified: Bool)? {
    for isUnified in [true, false] {
      for membership in memberships
      where membership.isUnified == isUnified
        && (isUnified || membership.controllers.contains("cpuacct"))
      {
        for mount in mounts
        where mount.isUnified == isUnified
          && (isUnified || mount.controllers.contains("cpuacct"))
        {
          let directories = mount.directories(of: membership.path)
          if directories.count > 1 { return (directories[0], isUnified) }
        }
      }
    }
    return nil
  }

  /// Whether it is time to check again which processes are in the cgroup.
  func isLookDue(now: Instant) -> Bool {
    lastLook.map { now.nanoseconds(since: $0) >= TreeCgroup.lookInterval } ?? true
  }

  /// Whether there are cgroups below this one. Source: the link count of the directory, which is 2 plus one for each
  /// subdirectory.
  private var hasInner: Bool {
    var status = stat()
    return unsafe fstat(directory.raw, &status) != 0 || status.st_nlink > 2
  }

  /// Passes each process of the cgroup to `body` until `body` returns false.
  ///
  /// - Returns: whether `body` never returned false and there is no cgroup below this one.
  mutating func look(
    now: Instant, buffer: UnsafeMutableRawBufferPointer, _ body: (Int32) -> Bool
  ) -> Bool {
    lastLook = now
    guard !hasInner else { return false }
    var offset = 0
    while true {
      // The kernel returns whole lines, at most a page at a time.
      let count = unsafe pread(processes.raw, buffer.baseAddress, buffer.count, offset)
      guard count > 0 else { return count == 0 && offset > 0 }
      let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes
      var cursor = FieldCursor()
      while let pid = cursor.nextUnsigned(in: bytes) {
        guard body(Int32(truncatingIfNeeded: pid)) else { return false }
        cursor.skipLine(in: bytes)
      }
      offset += count
    }
  }

  mutating func setOwned(_ isOwned: Bool) { self.isOwned = isOwned }

  /// The CPU time of the tree, and the number of ended processes whose CPU time is partly unknown. Exact while the tree
  /// owns the cgroup.
  ///
  /// - Parameters:
  ///   - tree: its CPU time as the sum over its processes.
  ///   - losses: the number of ended processes that this sum lacks in part.
  mutating func update(tree: UInt64, losses: UInt32) -> (nanoseconds: UInt64, losses: UInt32) {
    let now = isOwned ? ((try? usage.read(as: CgroupUsageFields.self)) ?? nil)?.nanoseconds : nil
    if let total {
      if let now, let lastUsage {
        isExact = true
        self.total = total &+ (now &- min(lastUsage, now))
      } else {
        isExact = false
        self.total = total &+ (tree &- min(lastTree, tree))
        self.losses &+= losses &- lastLosses
      }
    } else {
      total = tree
      self.losses = losses
    }
    lastUsage = now
    lastTree = tree
    lastLosses = losses
    return (total ?? tree, self.losses)
  }
}
