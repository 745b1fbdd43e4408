import Glibc
import Testing

/// Home, runtime directory and temporary directory of all programs that a test process starts: no test touches
/// those of the user, or of another test process. They are removed when this process ends.
public enum IsolatedDirectories {
  /// The directory that contains them. Others may go through it: some tests change users.
  public static let path: String = make()

  public static var runtime: String { path + "/runtime" }

  /// What a program finds in its environment unless a test says otherwise; `nil` removes a variable.
  static let variables: [String: String?] = [
    "HOME": path + "/home", "XDG_RUNTIME_DIR": runtime, "TMPDIR": path + "/tmp",
    "TMUX_TMPDIR": path + "/tmp", "XDG_CONFIG_HOME": nil, "XDG_STATE_HOME": nil,
    "XDG_CACHE_HOME": nil, "XDG_DATA_HOME": nil, "TMUX": nil, "TMUX_PANE": nil, "DISPLAY": nil,
    "WAYLAND_DISPLAY": nil, "PERFHUD": nil, "PERFHUD_SOCKET": nil, "PERFHUD_CONFIG": nil,
  ]

  private static func make() -> String {
    var name = Array("/tmp/perfhud-tests-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&name) != nil else {
      Issue.record("no directory for the tests in /tmp")
      return "/nonexistent"
    }
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    unsafe chmod(path, 0o755)
    for (folder, mode) in [("home", 0o755), ("runtime", 0o700), ("tmp", 0o1777)]
      as [(String, mode_t)]
    {
      unsafe mkdir(path + "/" + folder, mode)
      unsafe chmod(path + "/" + folder, mode)
    }
    atexit { _ = try? Tool.run(["rm", "-rf", IsolatedDirectories.path]) }
    return path
  }
}
