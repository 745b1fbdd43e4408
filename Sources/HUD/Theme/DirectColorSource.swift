/// The environment variable that says that a terminal has 24-bit colors although its description has fewer.
package enum DirectColorSource: Sendable, Equatable {
  /// `COLORTERM` says so.
  case colorTerm
  /// `XTERM_VERSION` names a version of xterm that has them. xterm removes `COLORTERM`, and its own name for itself,
  /// `xterm`, has the description of a terminal with eight colors.
  case xtermVersion

  /// The first patch of xterm with 24-bit colors. Earlier ones, from 282 on, use the nearest color of their palette.
  private static let xtermPatch = 331

  /// Returns `nil` if neither variable promises 24-bit colors.
  ///
  /// Programs that were started in an xterm inherit `XTERM_VERSION`, so it says nothing about the terminal of a program
  /// within tmux or screen there. These set `TERM` to a name of their own, and so do most other terminals; those that
  /// call themselves `xterm` set `COLORTERM` too. A value of `COLORTERM` takes precedence.
  ///
  /// - Parameters:
  ///   - term: the value of `TERM`.
  ///   - colorTerm: the value of `COLORTERM`.
  ///   - xtermVersion: the value of `XTERM_VERSION`, such as `XTerm(379)`.
  ///
  /// Source: xterm(1), and the changes of patch 331 in xterm's log.
  package init?(term: String?, colorTerm: String?, xtermVersion: String?) {
    if let colorTerm, !colorTerm.isEmpty {
      guard colorTerm == "truecolor" || colorTerm == "24bit" else { return nil }
      self = .colorTerm
    } else {
      guard term?.hasPrefix("xterm") == true,
        let patch = xtermVersion.flatMap(DirectColorSource.patch),
        patch >= DirectColorSource.xtermPatch
      else { return nil }
      self = .xtermVersion
    }
  }

  /// The number in parentheses at the end of a version.
  private static func patch(of version: String) -> Int? {
    guard version.last == ")", let start = version.lastIndex(of: "(") else { return nil }
    let digits = version[version.index(after: start)...].dropLast()
    // Int also accepts a sign; reject it.
    return digits.first?.isNumber == true ? Int(digits) : nil
  }

  /// The name of the variable.
  package var variable: StaticString {
    switch self {
    case .colorTerm: "COLORTERM"
    case .xtermVersion: "XTERM_VERSION"
    }
  }
}
