import Glibc

/// The programs of this package, as they were built for the tests.
public enum Products {
  /// The path of a program: beside the running test binary, unless the environment says otherwise.
  ///
  /// `PERFHUD_BINARY` is the path of `perfhud` itself; `PERFHUD_BINARY_DIR` is the folder of all.
  /// - Throws: when it is not there; the text says how to build it.
  public static func path(_ name: String) throws(ToolError) -> String {
    var path = try directory() + "/" + name
    if name == "perfhud", let binary = unsafe getenv("PERFHUD_BINARY") {
      path = unsafe String(cString: binary)
    }
    guard unsafe access(path, X_OK) == 0 else {
      throw ToolError("no program \(path); build it with: swift build --product \(name)")
    }
    return path
  }

  static func directory() throws(ToolError) -> String {
    if let directory = unsafe getenv("PERFHUD_BINARY_DIR") {
      return unsafe String(cString: directory)
    }
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe readlink("/proc/self/exe", bytes.baseAddress!, bytes.count)
    }
    guard count > 0 else { throw ToolError("cannot read /proc/self/exe") }
    let program = String(decoding: buffer[..<count], as: UTF8.self)
    return String(program[..<(program.lastIndex(of: "/") ?? program.startIndex)])
  }
}
