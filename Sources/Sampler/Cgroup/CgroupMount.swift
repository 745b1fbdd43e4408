import CLinux
import PerfHUDBase

/// One line of `/proc/PID/cgroup`: the cgroup of the process in one hierarchy.
struct CgroupMembership: Equatable {
  /// The controllers of a v1 hierarchy; empty for the unified one.
  var controllers: [String]
  var isUnified: Bool
  /// Relative to the root of this process's cgroup namespace.
  var path: String

  /// Parses `id:controllers:path` lines; skips lines of any other form.
  static func parse(_ text: String) -> [CgroupMembership] {
    text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].hasPrefix("/") else { return nil }
      return CgroupMembership(
        controllers: parts[1].split(separator: ",").map(String.init),
        isUnified: parts[0] == "0" && parts[1].isEmpty, path: String(parts[2]))
    }
  }
}

/// One mounted cgroup hierarchy. Source: `/proc/self/mountinfo`.
struct CgroupMount: Equatable {
  var controllers: [String]
  var isUnified: Bool
  /// The cgroup that is mounted: `/`, or a deeper one in a container.
  var root: String
  /// The directory where it is mounted.
  var point: String

  /// Parses mountinfo and keeps the lines of type cgroup and cgroup2.
  static func parse(_ text: String) -> [CgroupMount] {
    text.split(separator: "\n").compactMap { line in
      let fields = line.split(separator: " ", omittingEmptySubsequences: false)
      guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 3 < fields.count,
        fields[dash + 1] == "cgroup" || fields[dash + 1] == "cgroup2"
      else { return nil }
      return CgroupMount(
        controllers: fields[dash + 3].split(separator: ",").map(String.init),
        isUnified: fields[dash + 1] == "cgroup2",
        root: unescape(fields[3]), point: unescape(fields[4]))
    }
  }

  /// The directories of the cgroup and of its ancestors that this mount shows, the cgroup's first; none if the cgroup
  /// is outside the mounted subtree.
  func directories(of path: String) -> [String] {
    var below = Substring(path)
    if root != "/" {
      guard path == root || path.hasPrefix(root + "/") else { return [] }
      below = path.dropFirst(root.count)
    }
    let names = below.split(separator: "/")
    // `..` leads out of the cgroup namespace, to directories that have no name here.
    guard !names.contains("..") else { return [] }
    return (0...names.count).reversed().map { depth in
      names.prefix(depth).reduce(point) { "\($0)/\($1)" }
    }
  }

  /// Decodes space, tab, newline and backslash, which are `\` and three octal digits in mountinfo.
  private static func unescape(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = field.utf8
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3).map { $0 &- UInt8(ascii: "0") }
      if byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ $0 < 8 }) {
        bytes.append(digits[0] << 6 | digits[1] << 3 | digits[2])
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
