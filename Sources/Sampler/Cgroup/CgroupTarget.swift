import Glibc
import PerfHUDBase

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

/// The path with its symbolic links followed, such as `/sys/fs/cgroup/cpu`; the path itself if it leads
/// nowhere. Source: `realpath(3)`.
private func resolved(_ path: String) -> String {
  guard let found = unsafe realpath(path, nil) else { return path }
  defer { unsafe free(found) }
  return unsafe String(cString: found)
}
