import PerfHUDBase
import TestSupport
import Testing

/// `--output FILE -- COMMAND` in a terminal: the HUD and the rows.
@Suite struct RowsBesideHUDTests {
  @Test func `the HUD is drawn and each sample is a row, with the frames of the command`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("rows")
    let pty = try Overlay.pty(
      "sh", "-c",
      "for i in $(seq 40); do printf '\\033[5;5H%s' $i; sleep 0.05; done; exit 3",
      options: ["--format", "jsonl", "--output", file])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(3), "\(quote(pty.output))")
    #expect(pty.text.contains("MEM"), "the HUD: \(quote(pty.output))")
    #expect(pty.text.contains("wall"), "the summary: \(quote(pty.output))")
    let text = String(decoding: try readFile(file), as: UTF8.self)
    let rows = try text.split(separator: "\n").map { try JSONLine(String($0)) }
    #expect(rows.count >= 5)
    let last = try #require(rows.last)
    #expect(try last.text("fps_source") == "terminal")
    #expect(try last.number("fps") != nil)
    #expect(try last.number("bytes_per_frame") != nil)
    // The reading of the first figures is no sample; the last one is made when the command ends.
    let times = try rows.dropLast().map { try $0.number("elapsed_s") ?? 0 }
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > 0.06 }, "\(times)")
  }

  @Test func `a file that takes no more leaves the command alone, and is named at the end`() throws
  {
    let pty = try Overlay.pty(
      "sh", "-c", "sleep 0.4; echo alive; exit 7",
      options: ["--output", "/dev/full", "--no-summary"])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(7), "\(quote(pty.output))")
    #expect(pty.text.contains("alive"))
    #expect(pty.text.contains("No space left on device"), "\(quote(pty.output))")
  }

  @Test func `a file that cannot be opened is an error before the command starts`() throws {
    let pty = try Overlay.pty(
      "sh", "-c", "echo started", options: ["--output", "/nonexistent/rows"])
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(125), "\(quote(pty.output))")
    #expect(pty.text.contains("/nonexistent/rows") && !pty.text.contains("started"))
  }
}
