import PerfHUDBase

/// Names of signals as in `kill -l` of a shell, with their prefix. Source: signal(7), for all architectures that Swift
/// supports.
enum SignalName {
  private static let names: [StaticString] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
    "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
  ]

  /// For instance `SIGTERM`; `signal 40` for a signal without a name.
  static func text(_ number: Int32) -> String {
    var text = ShortText()
    append(number, to: &text)
    return text.description
  }

  static func append(_ number: Int32, to text: inout ShortText) {
    let index = Int(number) - 1
    if names.indices.contains(index) {
      text.append("SIG")
      text.append(names[index])
    } else {
      text.append("signal ")
      text.append(decimal: Int(number))
    }
  }
}
