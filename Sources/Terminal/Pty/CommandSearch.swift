import CProcess
import Glibc
import SystemPackage

/// Whether a command can be started at all, found before anything else is prepared for it, such as the file of a
/// recording.
package enum CommandSearch {
  /// - Throws: the error with which the command would fail to start. Some errors are only known when it starts.
  ///
  /// Source: execvp(3), stat(2), faccessat(2).
  package static func check(_ command: [[UInt8]]) throws(PtyError) {
    guard let name = command.first else { return }
    if let code = problem(name) {
      throw PtyError(
        command: String(decoding: name, as: UTF8.self), step: PERFHUD_PTY_EXEC, code: code)
    }
  }

  /// Whether a file can be executed.
  package static func isProgram(_ path: String) -> Bool { problem(path: Array(path.utf8)) == nil }

  private static func problem(_ name: [UInt8]) -> Errno? {
    if name.isEmpty { return .noSuchFileOrDirectory }
    if name.contains(UInt8(ascii: "/")) { return problem(path: name) }
    var isDenied = false
    for folder in folders() {
      let path = folder.isEmpty ? name : folder + Array("/".utf8) + name
      guard let code = problem(path: path) else { return nil }
      if code == .permissionDenied { isDenied = true }
    }
    return isDenied ? .permissionDenied : .noSuchFileOrDirectory
  }

  /// An empty name means the working directory.
  private static func folders() -> [[UInt8]] {
    let path =
      unsafe getenv("PATH").map {
        unsafe Array(UnsafeRawBufferPointer(start: $0, count: strlen($0)))
      } ?? Array("/bin:/usr/bin".utf8)
    return path.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
      .map { Array($0) }
  }

  /// Why a file cannot be executed, if it is missing, a directory or not executable; otherwise `nil`.
  private static func problem(path: [UInt8]) -> Errno? {
    let terminated = path.map { CChar(bitPattern: $0) } + [0]
    var status = stat()
    guard unsafe stat(terminated, &status) == 0 else {
      switch errno {
      case ENOENT: return .noSuchFileOrDirectory
      case ENOTDIR: return .notDirectory
      case EACCES: return .permissionDenied
      default: return nil
      }
    }
    if status.st_mode & S_IFMT != S_IFREG { return .permissionDenied }
    if unsafe faccessat(AT_FDCWD, terminated, X_OK, AT_EACCESS) == 0 { return nil }
    return errno == EACCES ? .permissionDenied : nil
  }
}
