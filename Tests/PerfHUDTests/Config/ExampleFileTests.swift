import HUD
import PerfHUDBase
import TestSupport
import Testing

@testable import PerfHUD

/// `examples/perfhud.conf`.
@Suite struct ExampleFileTests {
  private static let head = "# "

  private func example() throws -> [String] {
    let bytes = try readFile(Repository.path("examples/perfhud.conf"))
    return String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The lines that are settings or sections behind their sign for a comment.
  private func active(_ lines: [String]) -> [String] {
    lines.map { line in
      guard line.hasPrefix(Self.head) else { return line }
      let rest = Array(line.dropFirst(Self.head.count).utf8)
      switch ConfigLine.kind(of: rest[...]) {
      case .setting(let setting):
        let key = String(decoding: rest[setting.key], as: UTF8.self)
        return Settings.keys.contains(key) ? String(decoding: rest, as: UTF8.self) : line
      case .section: return String(decoding: rest, as: UTF8.self)
      case .nothing, .mistake: return line
      }
    }
  }

  @Test func `as it is, it changes nothing`() throws {
    var settings = Settings()
    try ConfigFile.apply(try example().joined(separator: "\n"), path: "p", to: &settings)
    #expect(settings == Settings() && settings.notices.isEmpty)
  }

  @Test
  func `without the signs for comments, each setting has its default, or a value that is read`()
    throws
  {
    let lines = active(try example())
    let text = lines.joined(separator: "\n")
    for program in ["vim", "make", "none"] {
      var settings = Settings()
      try ConfigFile.apply(text, path: "p", to: &settings, program: { [program] })
      #expect(settings.notices.isEmpty, "\(settings.notices)")
      for key in Settings.keys {
        #expect(settings.source(of: key) == .file, "\(key) is missing")
        guard program == "none", let standard = SettingDefinition.named(key)?.standard else {
          continue
        }
        #expect(settings.text(of: key) == standard, "\(key)")
      }
    }
    #expect(lines.filter { $0.hasPrefix("[") } == ["[vim]", "[make]"])
  }

  @Test func `no line is a setting by accident`() throws {
    // An equals sign in a sentence would become a mistake once the sign is removed.
    for line in try example() where line.hasPrefix(Self.head) && line.contains(" = ") {
      #expect(active([line]) != [line], "\(line)")
    }
  }
}
