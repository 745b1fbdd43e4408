import Glibc

/// A directory for the files of one test; removed with all that is in it.
public final class TemporaryDirectory {
  public let path: String

  public init() throws(ToolError) {
    let made = try Tool.run(["mktemp", "-d", "/tmp/perfhud-e2e-XXXXXX"])
    guard let name = made.lines.first else { throw ToolError("no directory: \(made.stderr)") }
    path = name
    // Also programs that run as another user write here.
    unsafe chmod(name, 0o777)
  }

  deinit { _ = try? Tool.run(["rm", "-rf", path]) }

  public func file(_ name: String) -> String { path + "/" + name }
}
