import Glibc
import Synchronization

/// The small programs of `Tests/Programs`, compiled when they are first needed.
public enum Programs {
  private static let compilations = Atomic<Int>(0)

  /// The path of a C program's binary, which lies beside the test binary.
  public static func compile(
    _ name: String, libraries: [String] = []
  ) throws(ToolError) -> String {
    let binary = try Products.directory() + "/perfhud-test-" + name
    let text = source(name + ".c")
    if let built = changed(binary), let written = changed(text), built > written { return binary }
    // Another test may compile it too: whoever is last puts the same file there.
    let number = compilations.add(1, ordering: .relaxed).newValue
    let own = "\(binary)-\(getpid())-\(number)"
    let compiled = try Tool.run(
      ["gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-o", own, text]
        + libraries.map { "-l" + $0 }, timeout: 60)
    guard compiled.status == .exit(0) else { throw ToolError("gcc: \(compiled.stderr)") }
    guard unsafe rename(own, binary) == 0 else { throw ToolError("cannot rename to \(binary)") }
    return binary
  }

  /// The path of a file of `Tests/Programs`.
  public static func source(_ name: String) -> String {
    Repository.path("Tests/Programs/\(name)")
  }

  /// When a file was written last, in seconds; `nil` if there is none.
  private static func changed(_ path: String) -> Int? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mtim.tv_sec : nil
  }
}
