import Glibc

/// The keys that make the terminal of a command send signals.
extension Pty {
  /// The signal that the terminal sends, in its current modes, for the last byte that stands for one: `SIGINT` (Ctrl-C)
  /// or `SIGQUIT` (Ctrl-\\); `nil` if no byte does.
  ///
  /// Source: `tcgetattr(3)`, `ISIG`, `VINTR` and `VQUIT`.
  package func signalKey(in bytes: [UInt8]) -> Int32? {
    guard bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
    var modes = termios()
    guard unsafe tcgetattr(masterDescriptor, &modes) == 0, modes.c_lflag & tcflag_t(ISIG) != 0
    else { return nil }
    let keys = unsafe withUnsafeBytes(of: &modes.c_cc) { unsafe Array($0) }
    let (interrupt, quit) = (keys[Int(VINTR)], keys[Int(VQUIT)])
    // 0 means that a key is disabled.
    guard let key = bytes.last(where: { $0 != 0 && ($0 == interrupt || $0 == quit) }) else {
      return nil
    }
    return key == interrupt ? SIGINT : SIGQUIT
  }
}
