import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// Replaces files in one step, so that nobody reads a partly written one.
enum AtomicFile {
  /// Writes a file beside the old one, then renames it. If the path is a symbolic link, its target is replaced, not the
  /// link. A device or a pipe is written to, never replaced. Owner, group and permissions of an old file stay; a new
  /// file is accessible only to the user.
  ///
  /// - Parameters:
  ///   - isShared: a new file is readable by everyone, and need not survive a crash of the machine.
  ///   - isSynced: whether to wait until it is on disk, which may take long.
  ///   - replaces: whether a file may exist. If not, an existing file or link is an error (`EEXIST`).
  ///   - makesFolder: creates missing folders; otherwise a missing folder is an error (`ENOENT`).
  /// - Throws: also if the owner cannot be kept. The old file then stays as it is.
  ///
  /// Source: `rename(2)`, `fchown(2)`, `fsync(2)`, `readlink(2)`.
  static func write(
    _ bytes: [UInt8], to path: String, isShared: Bool = false, isSynced: Bool = true,
    replaces: Bool = true, makesFolder: Bool = false
  ) throws(SystemError) {
    if replaces, let old = facts(of: path), old.st_mode & S_IFMT != S_IFREG {
      return try pass(bytes, to: path)
    }
    let path = replaces ? destination(of: path) : path
    if makesFolder { makeFolder(of: path, mode: 0o700) }
    let folder = folder(of: path)
    guard unsafe folder.isEmpty || access(folder, F_OK) == 0 else {
      throw SystemError(call: "open", subject: path, code: Errno(rawValue: errno))
    }
    let draft = path + ".\(getpid())"
    _ = unsafe unlink(draft)
    do throws(SystemError) {
      try fill(draft, bytes, like: facts(of: path), isShared: isShared, isSynced: isSynced)
      guard unsafe replaces ? rename(draft, path) == 0 : move(draft, toFree: path) else {
        throw SystemError(call: "rename", subject: path, code: Errno(rawValue: errno))
      }
    } catch {
      _ = unsafe unlink(draft)
      throw error
    }
  }

  /// Writes to something that is no plain file.
  private static func pass(_ bytes: [UInt8], to path: String) throws(SystemError) {
    let file = try Descriptor(open: path, .writeOnly)
    do throws(Errno) {
      try file.writeAll(bytes)
    } catch {
      throw SystemError(call: "write", subject: path, code: error)
    }
  }

  /// Renames a file to an unused name; returns `false` and sets `errno` if the name is used. On a file system that
  /// cannot do this in one step, the file has both names for a moment.
  ///
  /// Source: `renameat2(2)` with `RENAME_NOREPLACE`, `link(2)`.
  private static func move(_ draft: String, toFree path: String) -> Bool {
    if unsafe perfhud_rename_to_free(draft, path) == 0 { return true }
    guard errno == EINVAL || errno == ENOSYS, unsafe link(draft, path) == 0 else { return false }
    _ = unsafe unlink(draft)
    return true
  }

  /// The target of a chain of symbolic links, whether or not a file exists there.
  static func destination(of path: String) -> String {
    var path = path
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    for _ in 0..<40 {
      let count = unsafe buffer.withUnsafeMutableBytes { space in
        guard let start = space.baseAddress else { return 0 }
        return unsafe readlink(path, start.assumingMemoryBound(to: CChar.self), space.count)
      }
      guard count > 0 else { return path }
      let target = String(decoding: buffer[..<count], as: UTF8.self)
      path = target.hasPrefix("/") ? target : folder(of: path) + target
    }
    return path
  }

  /// Everything up to and including the last slash; empty if there is none.
  private static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[...slash])
  }

  private static func makeFolder(of path: String, mode: mode_t) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in folder(of: path).split(separator: "/") {
      made += part
      _ = unsafe mkdir(made, mode)
      made += "/"
    }
  }

  private static func facts(of path: String) -> stat? {
    var facts = stat()
    return unsafe stat(path, &facts) == 0 ? facts : nil
  }

  private static func fill(
    _ path: String, _ bytes: [UInt8], like old: stat?, isShared: Bool, isSynced: Bool
  ) throws(SystemError) {
    let file = try Descriptor(
      open: path, .writeOnly, options: [.create, .exclusiveCreate], permissions: .ownerReadWrite)
    do throws(Errno) {
      try file.writeAll(bytes)
    } catch {
      throw SystemError(call: "write", subject: path, code: error)
    }
    if let old {
      // The mode comes last, because a change of the owner clears some of its bits.
      guard fchown(file.raw, old.st_uid, old.st_gid) == 0 else {
        throw SystemError(call: "keep the owner of", subject: path, code: Errno(rawValue: errno))
      }
      guard fchmod(file.raw, old.st_mode & 0o777) == 0 else {
        throw SystemError(call: "write", subject: path, code: Errno(rawValue: errno))
      }
    }
    if isShared {
      // The user's umask does not apply here.
      if old == nil { _ = fchmod(file.raw, 0o644) }
      return
    }
    guard !isSynced || fsync(file.raw) == 0 else {
      throw SystemError(call: "write", subject: path, code: Errno(rawValue: errno))
    }
  }
}
