import SystemPackage

/// A system call that failed, with what it was about and what the user can do.
public struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The C call, for instance `open`.
  public let call: String
  /// The object of the call: a path, a process. Made harmless for a terminal.
  public let subject: String
  /// The kernel's reason.
  public let code: Errno
  /// The next step for the user; empty if there is none.
  public let advice: String

  public init(call: String, subject: String, code: Errno, advice: String = "") {
    self.call = call
    self.subject = SafeText.clean(subject)
    self.code = code
    self.advice = advice
  }

  /// One line: what failed, on what, why, and what to do.
  public var description: String { advice.isEmpty ? reason : "\(reason); \(advice)" }

  /// The same line without the advice.
  public var reason: String { "cannot \(call) \(subject): \(code.description)" }
}
