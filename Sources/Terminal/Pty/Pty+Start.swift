import CProcess
import Glibc
import PerfHUDBase
import SystemPackage

/// Why a command could not be started, and the exit status that says so.
package struct PtyError: Error, Equatable, CustomStringConvertible {
  /// The call, what it was about, and the next step for the user.
  package let cause: SystemError
  /// 127 if the command was not found, 126 if it cannot be executed, 125 if there was no pty or no process for it. The
  /// same as in `env(1)` and `nohup(1)`.
  package let exitStatus: Int32

  /// One line.
  package var description: String { cause.description }

  init(command: String, step: Int32, code: Errno) {
    let command = command.isEmpty ? "''" : command
    switch step {
    case PERFHUD_PTY_EXEC:
      let isMissing = code == .noSuchFileOrDirectory
      exitStatus = isMissing ? 127 : 126
      cause = SystemError(
        call: "run", subject: command, code: code,
        advice: isMissing
          ? "check the name and PATH"
          : "it must be an executable file: check \(PtyError.look(at: command))")
    case PERFHUD_PTY_SPAWN:
      exitStatus = 125
      cause = SystemError(
        call: "start a process for", subject: command, code: code,
        advice: "check the limits with: ulimit -a")
    default:
      exitStatus = 125
      cause = SystemError(
        call: "open", subject: "a pty", code: code, advice: "check that /dev/pts is mounted")
    }
  }

  /// How to look at the file of a command.
  private static func look(at command: String) -> String {
    guard command.contains("/") else { return "the files of that name in PATH" }
    return "with: ls -ld \(ShellWords.joined([Array(command.utf8)]))"
  }
}

/// What a command on a `Pty` gets as its descriptors 0, 1 and 2.
package struct StandardDescriptors: Hashable, Sendable {
  /// A descriptor that is passed on unchanged; `nil` for the pty.
  package var input: Int32?
  package var output: Int32?
  package var error: Int32?

  /// The pty for each, unless specified otherwise.
  package init(input: Int32? = nil, output: Int32? = nil, error: Int32? = nil) {
    self.input = input
    self.output = output
    self.error = error
  }

  /// The pty in place of each of this process's descriptors that is a terminal; the others unchanged.
  ///
  /// Source: `isatty(3)`.
  package static func inherited() -> StandardDescriptors {
    func kept(_ descriptor: Int32) -> Int32? {
      TTY.isTerminal(descriptor) ? nil : descriptor
    }
    return StandardDescriptors(
      input: kept(STDIN_FILENO), output: kept(STDOUT_FILENO), error: kept(STDERR_FILENO))
  }
}

/// Prepares everything that must not be allocated between fork and exec, and starts the command.
func startOnPty(
  command: [[UInt8]], standard: StandardDescriptors, modes: termios?, size: winsize,
  environment: [String: String], mask: sigset_t
) throws(PtyError) -> perfhud_pty {
  let name = String(decoding: command.first ?? [], as: UTF8.self)
  // An empty name, if no command is given: no program has it.
  let words = command.isEmpty ? [[]] : command
  let descriptors = [standard.input ?? -1, standard.output ?? -1, standard.error ?? -1]
  let arguments = CStrings(words)
  let variables = CStrings.environment(with: environment)
  var size = size
  var mask = mask
  var modes = modes
  var started = perfhud_pty()
  let code = unsafe withOptionalPointer(to: &modes) { modes in
    let result = unsafe perfhud_pty_start(
      arguments.list, variables.list, descriptors, modes, &size, &mask, &started)
    return result == 0 ? 0 : errno
  }
  guard code == 0 else {
    throw PtyError(command: name, step: started.step, code: Errno(rawValue: code))
  }
  return started
}

/// Calls `body` with the address of the modes, or with `nil` if there are none.
private func withOptionalPointer<Result>(
  to modes: inout termios?, _ body: (UnsafePointer<termios>?) -> Result
) -> Result {
  guard var found = modes else { return body(nil) }
  return unsafe body(&found)
}

/// A C array of C strings that ends with a null pointer.
@safe struct CStrings: ~Copyable {
  let list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>
  private let owned: [UnsafeMutablePointer<CChar>]

  /// Copies of the bytes, each up to its first 0.
  init(_ texts: [[UInt8]]) { unsafe self.init(kept: [], copies: texts) }

  /// - Parameter kept: strings that outlive the array; they come before the copies.
  private init(kept: [UnsafeMutablePointer<CChar>], copies: [[UInt8]]) {
    unsafe owned = copies.map { bytes in
      let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
      for index in bytes.indices { unsafe copy[index] = CChar(bitPattern: bytes[index]) }
      unsafe copy[bytes.count] = 0
      return unsafe copy
    }
    let all = unsafe kept + owned
    let count = unsafe all.count + 1
    let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: count)
    unsafe pointers.initialize(repeating: nil, count: count)
    for index in unsafe all.indices { unsafe pointers[index] = all[index] }
    unsafe list = UnsafeMutableRawPointer(pointers).assumingMemoryBound(
      to: UnsafeMutablePointer<CChar>.self)
  }

  deinit {
    for index in unsafe owned.indices { unsafe owned[index].deallocate() }
    unsafe list.deallocate()
  }

  /// This process's environment, byte for byte, with the variables added or replaced.
  static func environment(with variables: [String: String]) -> CStrings {
    let added = variables.sorted { $0.key < $1.key }
    let prefixes = added.map { "\($0.key)=".utf8.map { CChar(bitPattern: $0) } }
    var kept: [UnsafeMutablePointer<CChar>] = unsafe []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let isReplaced = prefixes.contains { unsafe strncmp(entry, $0, $0.count) == 0 }
      if !isReplaced { unsafe kept.append(entry) }
      unsafe next += 1
    }
    return unsafe CStrings(kept: kept, copies: added.map { Array("\($0.key)=\($0.value)".utf8) })
  }
}
