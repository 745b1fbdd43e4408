import PerfHUDBase
import SystemPackage

/// The output of a program, piece by piece; `record.py` describes the form of the file.
struct ScreenRecording {
  struct Piece {
    var milliseconds: Int
    var bytes: [UInt8]
  }

  private(set) var pieces: [Piece] = []

  struct Damage: Error, CustomStringConvertible {
    let description: String
  }

  init(path: FilePath) throws {
    let bytes = try readAll(path)[...]
    var rest = bytes
    while rest.popFirst() != nil {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
        throw Damage(description: "\(path): no head")
      }
      let numbers = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ").compactMap {
        Int($0)
      }
      guard numbers.count == 2, end + 1 + numbers[1] < rest.endIndex else {
        throw Damage(description: "\(path): damaged at byte \(end)")
      }
      pieces.append(
        Piece(milliseconds: numbers[0], bytes: Array(rest[(end + 1)..<(end + 1 + numbers[1])])))
      rest = rest[(end + 2 + numbers[1])...]
    }
  }

  /// All pieces up to a time.
  func bytes(until milliseconds: Int = .max) -> [UInt8] {
    pieces.filter { $0.milliseconds <= milliseconds }.flatMap(\.bytes)
  }
}

/// The bytes of a file.
func readAll(_ path: FilePath) throws -> [UInt8] {
  let file = try FileDescriptor.open(path, .readOnly)
  return try file.closeAfter {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try unsafe chunk.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }
}

/// Writes a file anew.
func write(_ bytes: [UInt8], to path: FilePath) throws {
  let file = try FileDescriptor.open(
    path, .writeOnly, options: [.create, .truncate],
    permissions: [.ownerReadWrite, .groupRead, .otherRead])
  _ = try file.closeAfter { try file.writeAll(bytes) }
}
