import CProcess

/// The version of perfhud. The packages read it from here too (`scripts/version.sh`).
enum Version {
  static let number = "0.2.0"

  /// What `perfhud --version` prints.
  static var line: String { line(build: unsafe String(cString: perfhud_build())) }

  /// - Parameter build: the commit and its day; empty if unknown.
  static func line(build: String) -> String {
    build.isEmpty ? "perfhud \(number)" : "perfhud \(number) (\(build))"
  }
}
