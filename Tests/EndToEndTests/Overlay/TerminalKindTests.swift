import Glibc
import TestSupport
import Testing

/// Terminals of all kinds: the bytes that the HUD writes on a pty.
@Suite struct TerminalKindTests {
  private static let enter = "\u{1B}[?1049h"
  private static let leave = "\u{1B}[?1049l"

  /// Runs the HUD until it has drawn figures, quits it, and returns all that it has written.
  private func bytes(
    _ arguments: String..., environment: [String: String?]
  ) throws -> [UInt8] {
    let load = try Load()
    try load.command("name %C3%A9%E2%80%A6%E3%82%AD")
    let pty = try Pty(
      [try Perfhud.path(), "--pid", "\(load.pid)"] + arguments, columns: 80, rows: 24,
      environment: Perfhud.environment(["LC_ALL": nil].merging(environment) { $1 }))
    try pty.read(deadline: Perfhud.deadline) { String(decoding: $0, as: UTF8.self).contains("iB") }
    try pty.send("q")
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    return pty.output
  }

  @Test(arguments: [nil, "", "nonexistent"])
  func `the HUD draws with its own description of a terminal where TERM is`(term: String?) throws {
    let output = try bytes(environment: ["TERM": term])
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.contains(TerminalKindTests.enter) && text.contains(TerminalKindTests.leave))
    #expect(text.contains("MEM"))
  }

  @Test func `lines take the place of the HUD, with a notice, on TERM=dumb`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", environment: ["TERM": "dumb"])
    try pty.read(deadline: Perfhud.deadline) { $0.count { $0 == 0x0A } >= 3 }
    pty.signal(SIGINT)
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let lines = pty.text.split(separator: "\r\n")
    #expect(lines.first?.hasPrefix("perfhud: ") == true)
    #expect(lines.first?.contains("TERM=dumb") == true)
    #expect(lines.dropFirst().contains { $0.contains("CPU") && $0.contains("MEM") })
    #expect(!pty.text.contains("\u{1B}"))
  }

  @Test(arguments: ["linux", "vt100", "screen", "rxvt", "xterm", "ansi"])
  func `the HUD draws and leaves on a TERM of`(term: String) throws {
    let text = String(decoding: try bytes(environment: ["TERM": term]), as: UTF8.self)
    #expect(text.contains("MEM") && text.contains("CPU"))
  }

  @Test(arguments: ["vt100", "linux"])
  func `quitting leaves the cursor below the last row, and no mark of a pause, on a TERM of`(
    term: String
  ) throws {
    let text = String(decoding: try bytes(environment: ["TERM": term]), as: UTF8.self)
    #expect(!text.contains("$<"))
    #expect(!text.contains(TerminalKindTests.leave))
    // To the last row, which is wiped, and to the next; then the cursor may be shown.
    let end = #/\e\[(\d+);1H\e\[K\r\n(\e\[\?[0-9;]+[a-z])*$/#
    let row = try #require(text.firstMatch(of: end), "\(quote(text.utf8.suffix(100)))").1
    #expect(Int(row) ?? 0 >= 24)
  }

  @Test func `quitting leaves the second screen on a TERM of xterm`() throws {
    let text = String(decoding: try bytes(environment: ["TERM": "xterm"]), as: UTF8.self)
    #expect(text.ranges(of: TerminalKindTests.leave).count == 1)
    #expect(!text.contains("$<"))
    #expect(!text.hasSuffix("\n"))
  }

  @Test(arguments: [
    ["LANG": "C"], ["LANG": "en_US.ISO-8859-1"], ["LANG": nil], ["LC_ALL": "POSIX"],
  ])
  func `no byte beyond ASCII is written with`(environment: [String: String?]) throws {
    let output = try bytes(environment: environment)
    #expect(output.allSatisfy { $0 < 0x80 })
  }

  @Test func `Japanese cannot be written without UTF-8: the words are English`() throws {
    let output = try bytes("--lang", "ja", environment: ["LANG": "C"])
    #expect(output.allSatisfy { $0 < 0x80 })
    #expect(String(decoding: output, as: UTF8.self).contains("threads"))
  }

  @Test(arguments: [
    ("xterm", "XTERM_VERSION", "XTerm(379)", "16777216 (XTERM_VERSION), "),
    ("screen", "XTERM_VERSION", "XTerm(379)", "8, "),
    ("xterm", "COLORTERM", "truecolor", "16777216 (COLORTERM), "),
  ])
  func `--explain shows the number of colors and the variable that it follows from`(
    term: String, name: String, value: String, text: String
  ) throws {
    let explained = try Perfhud.run(
      "--explain", "true", environment: ["TERM": term, name: value])
    #expect(explained.stdout.contains("colors        \(text)theme auto"))
  }

  @Test func `NO_COLOR leaves colors out; without it there are some`() throws {
    #expect(hasColor(try bytes(environment: [:])))
    #expect(!hasColor(try bytes(environment: ["NO_COLOR": "1"])))
    // no-color.org: an empty value does not count.
    #expect(hasColor(try bytes(environment: ["NO_COLOR": ""])))
  }

  @Test func `the palette and the title that the user has chosen stay`() throws {
    let text = String(decoding: try bytes(environment: [:]), as: UTF8.self)
    // To ask for the background changes nothing.
    let question = "\u{1B}]11;?\u{1B}\\"
    #expect(text.contains(question))
    #expect(!text.replacing(question, with: "").contains("\u{1B}]"))
  }

  /// Whether an SGR sequence chooses a color; 39 and 49 go back to those of the terminal.
  private func hasColor(_ bytes: [UInt8]) -> Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return text.matches(of: #/\e\[([0-9;]*)m/#).contains { match in
      match.1.split(separator: ";").contains { parameter in
        guard let number = Int(parameter) else { return false }
        return (30...38).contains(number) || (40...48).contains(number)
          || (90...107).contains(number)
      }
    }
  }

  @Test func `a terminal without a size is drawn on as 80x24`() throws {
    let load = try Load()
    let pty = try Perfhud.pty("--pid", "\(load.pid)", columns: 0, rows: 0)
    try pty.read(deadline: Perfhud.deadline, until: " hel")
    #expect(pty.text.contains("\u{1B}[24;"))
  }
}
