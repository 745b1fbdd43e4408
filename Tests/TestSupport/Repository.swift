/// The files of this repository, found from where this source file was compiled.
public enum Repository {
  /// The absolute path of a file, given relative to the root of the repository.
  public static func path(_ relative: String) -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return "/\(root)/\(relative)"
  }

  /// The absolute path of a file, given relative to the folder of a test target.
  ///
  /// - Parameter testFile: a source file of the target, at any depth below `Tests/NAMETests`.
  public static func testPath(_ relative: String, testFile: String) -> String {
    var folders = testFile.split(separator: "/").dropLast()
    while let last = folders.last, !last.hasSuffix("Tests") { folders.removeLast() }
    return "/\(folders.joined(separator: "/"))/\(relative)"
  }
}
