import Glibc
import PerfHUDBase

/// The directories of a cgroup: one in each hierarchy that has it, with those of its ancestors.
struct CgroupLocation: Sendable, Equatable {
  struct Hierarchy: Sendable, Equatable {
    /// The controllers of a v1 hierarchy that matter here; empty for the unified hierarchy.
    var controllers: [String]
    var isUnified: Bool
    /// The cgroup's own directory first, then those of its ancestors up to the highest that is mounted.
    var directories: [String]
  }

  var hierarchies: [Hierarchy] = []

  /// The cgroup of a process.
  ///
  /// - Parameters:
  ///   - memberships: the lines of its `/proc/PID/cgroup`.
  ///   - prefix: the prefix of absolute paths.
  init(of memberships: [CgroupMembership], mounts: [CgroupMount], prefix: String) {
    for membership in memberships {
      for mount in mounts where mount.isUnified == membership.isUnified {
        let controllers = membership.controllers.filter(mount.controllers.contains)
        guard mount.isUnified || !controllers.isEmpty else { continue }
        let directories = mount.directories(of: membership.path)
        guard !directories.isEmpty else { continue }
        hierarchies.append(
          Hierarchy(
            controllers: controllers, isUnified: mount.isUnified,
            directories: directories.map { prefix + $0 }))
      }
    }
  }

  /// A cgroup by its path from the root of the hierarchies, in all of them that have it.
  init(path: String, mounts: [CgroupMount], prefix: String) {
    for mount in mounts {
      let directories = mount.directories(of: path).map { prefix + $0 }
      guard let own = directories.first, isDirectory(own) else { continue }
      hierarchies.append(
        Hierarchy(
          controllers: mount.isUnified ? [] : mount.controllers, isUnified: mount.isUnified,
          directories: directories))
    }
  }

  init() {}

  /// The cgroup's own directory in the unified hierarchy.
  var unified: String? { hierarchies.first(where: \.isUnified)?.directories.first }

  /// The cgroup's own directory in the v1 hierarchy of a controller.
  func directory(of controller: String) -> String? {
    hierarchies.first { !$0.isUnified && $0.controllers.contains(controller) }?.directories.first
  }
}

/// Whether there is a directory at the path. Source: `lstat(2)`.
func isDirectory(_ path: String) -> Bool {
  var status = stat()
  return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// The inode number of a directory; 0 if there is no directory. Source: `lstat(2)`.
func inode(of path: String) -> UInt64 {
  var status = stat()
  return unsafe lstat(path, &status) == 0 ? UInt64(status.st_ino) : 0
}

/// The path with its symbolic links followed, such as `/sys/fs/cgroup/cpu`; the path itself if it leads
/// nowhere. Source: `realpath(3)`.
private func resolved(_ path: String) -> String {
  guard let found = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(found) }
  return unsafe String(cString: found)
}

/// A cgroup to be sampled: found once, by its path or by the name of a systemd unit.
public struct CgroupTarget: Sendable, Equatable {
  /// From the root of the hierarchies: `/system.slice/web.service`.
  public let path: String
  let location: CgroupLocation

  /// The last part of the path, as the kernel would keep a name of 15 bytes.
  public var name: ProcessName {
    var name = ProcessName()
    for byte in (path == "/" ? "/" : path.split(separator: "/").last ?? "/").utf8 {
      name.append(byte)
    }
    return name
  }

  /// Whether it exists now, in any hierarchy.
  var exists: Bool { location.hierarchies.contains { isDirectory($0.directories[0]) } }

  /// Finds a cgroup.
  ///
  /// - Parameters:
  ///   - text: a directory of a mounted hierarchy, a path from the root of the hierarchies, with or without the leading
  ///     slash, or the name of a systemd unit, whose `.service`, `.scope` or `.slice` may be left out.
  ///   - root: where /proc is mounted.
  /// - Throws: `SamplerError`: `.noCgroups`, `.noSuchCgroup`, `.severalCgroups`.
  public init(_ text: String, root: String = "/proc") throws(SamplerError) {
    let prefix = root.hasSuffix("/proc") ? String(root.dropLast(5)) : root
    let bytes = (try? readFile("\(root)/self/mountinfo", limit: 1 << 24)) ?? []
    let mounts = CgroupMount.parse(String(decoding: bytes, as: UTF8.self))
    guard !mounts.isEmpty else { throw SamplerError.noCgroups }
    func location(_ path: String) -> CgroupLocation? {
      let location = CgroupLocation(path: path, mounts: mounts, prefix: prefix)
      return location.hierarchies.isEmpty ? nil : location
    }
    let given = prefix.isEmpty && text.hasPrefix("/") ? resolved(text) : text
    let parts = given.split(separator: "/").filter { $0 != "." }
    guard !parts.contains(".."), !text.isEmpty else { throw SamplerError.noSuchCgroup(text) }
    let plain = "/" + parts.joined(separator: "/")
    let inside = mounts.first { plain == $0.point || plain.hasPrefix($0.point + "/") }
    if let inside {
      let below = plain.dropFirst(inside.point.count)
      let path = (inside.root == "/" ? "" : inside.root) + below
      if let found = location(path.isEmpty ? "/" : path) {
        self.path = path.isEmpty ? "/" : path
        self.location = found
        return
      }
    }
    let isUnit = !text.contains("/")
    if let found = location(plain) {
      path = plain
      self.location = found
      return
    }
    guard isUnit else { throw SamplerError.noSuchCgroup(text) }
    var paths = CgroupTarget.search(text, mounts: mounts, prefix: prefix)
    guard let first = paths.popFirst() else { throw SamplerError.noSuchCgroup(text) }
    guard paths.isEmpty else { throw SamplerError.severalCgroups(text, [first] + Array(paths)) }
    guard let found = location(first) else { throw SamplerError.noSuchCgroup(text) }
    path = first
    self.location = found
  }

  private static let suffixes = [".service", ".scope", ".slice"]
  /// The maximum number of directories that are searched: more than any machine has units.
  private static let searchLimit = 20_000

  /// The paths of all cgroups with the name of a unit.
  private static func search(
    _ unit: String, mounts: [CgroupMount], prefix: String
  ) -> ArraySlice<String> {
    let hasSuffix = suffixes.contains { unit.hasSuffix($0) }
    let names = Set(hasSuffix ? [unit] : [unit] + suffixes.map { unit + $0 })
    // systemd has its units in the unified hierarchy if there is one, else in the hierarchy named `systemd`.
    let order =
      mounts.filter(\.isUnified) + mounts.filter { $0.controllers.contains("name=systemd") }
      + mounts.filter { !$0.isUnified }
    var left = searchLimit
    for mount in order {
      var found: [String] = []
      var waiting = [""]
      while let path = waiting.popLast(), left > 0 {
        left -= 1
        for name in subdirectories(of: prefix + mount.point + path) {
          let below = "\(path)/\(name)"
          if names.contains(name) {
            found.append((mount.root == "/" ? "" : mount.root) + below)
          } else {
            waiting.append(below)
          }
        }
      }
      if !found.isEmpty { return found.sorted()[...] }
    }
    return []
  }
}

/// The names of the directories in a directory. Source: `opendir(3)`, `readdir(3)`.
func subdirectories(of path: String) -> [String] {
  guard let directory = unsafe opendir(path) else { return [] }
  defer { unsafe closedir(directory) }
  var names: [String] = []
  while let entry = unsafe readdir(directory) {
    let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
        unsafe String(cString: $0)
      }
    }
    guard name != ".", name != ".." else { continue }
    let type = unsafe entry.pointee.d_type
    // Where the file system does not report the type, ask for the type of each entry.
    if type == UInt8(DT_DIR) || (type == UInt8(DT_UNKNOWN) && isDirectory("\(path)/\(name)")) {
      names.append(name)
    }
  }
  return names
}
