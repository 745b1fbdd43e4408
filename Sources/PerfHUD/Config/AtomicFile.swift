import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// Replaces files in one step, so that nobody reads half of one.
enum AtomicFile {
  /// Writes a file anew: beside it, then in its place. What a symbolic link leads to is replaced, not the
  /// link; owner, group and permissions of the old file stay, a new one is the user's alone. Folders are
  /// made.
  ///
  /// - Parameters:
  ///   - isShared: a new one is for everybody to read, and need not survive a crash of the machine.
  ///   - isSynced: it is on the disk when this returns, which may take long.
  ///   - replaces: whether there may be a file; if not, one that is there is an error (`EEXIST`), a link too.
  /// - Throws: also where the owner cannot stay; the old file is left as it is.
  ///
  /// Source: `rename(2)`, `fchown(2)`, `fsync(2)`, `readlink(2)`.
  static func write(
    _ bytes: [UInt8], to path: String, isShared: Bool = false, isSynced: Bool = true,
    replaces: Bool = true
  ) throws(SystemError) {
    let path = replaces ? destination(of: path) : path
    makeFolder(of: path, mode: isShared ? 0o755 : 0o700)
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

  /// Gives a file a name that is free; `false` with `errno` if it is not. A file system that cannot do it in one step
  /// has both names for a moment.
  ///
  /// Source: `renameat2(2)` with `RENAME_NOREPLACE`, `link(2)`.
  private static func move(_ draft: String, toFree path: String) -> Bool {
    if unsafe perfhud_rename_to_free(draft, path) == 0 { return true }
    guard errno == EINVAL || errno == ENOSYS, unsafe link(draft, path) == 0 else { return false }
    _ = unsafe unlink(draft)
    return true
  }

  /// Where a chain of symbolic links ends, whether or not there is a file.
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

  /// Everything up to the last slash, with it; empty for a name alone.
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
      // The mode comes last: a change of the owner takes bits from it.
      guard fchown(file.raw, old.st_uid, old.st_gid) == 0 else {
        throw SystemError(call: "keep the owner of", subject: path, code: Errno(rawValue: errno))
      }
      guard fchmod(file.raw, old.st_mode & 0o777) == 0 else {
        throw SystemError(call: "write", subject: path, code: Errno(rawValue: errno))
      }
    }
    if isShared {
      // The mask of the user does not hold here.
      if old == nil { _ = fchmod(file.raw, 0o644) }
      return
    }
    guard !isSynced || fsync(file.raw) == 0 else {
      throw SystemError(call: "write", subject: path, code: Errno(rawValue: errno))
    }
  }
}
