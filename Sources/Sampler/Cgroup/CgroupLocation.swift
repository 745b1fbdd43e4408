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
  func directory(of controller: String) -> String? { directories(of: controller).first }

  /// The same, followed by the directories of its ancestors up to the highest that is mounted.
  func directories(of controller: String) -> [String] {
    hierarchies.first { !$0.isUnified && $0.controllers.contains(controller) }?.directories ?? []
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
