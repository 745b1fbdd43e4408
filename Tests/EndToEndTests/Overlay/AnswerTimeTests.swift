import TestSupport
import Testing

/// The time from a key to its frame against a program that takes its time.
@Suite struct AnswerTimeTests {
  @Test func `a program that answers after 40 ms reads no less`() throws {
    let tmux = try Tmux(
      columns: 80, rows: 24,
      command: try Overlay.wrap([
        "sh", "-c",
        """
        stty raw -echo; printf '\\033[2J\\033[24;1H'
        while dd bs=1 count=1 >/dev/null 2>&1; do sleep 0.04; printf x; done
        """,
      ]), environment: try Overlay.environment())
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    var shown: [String] = []
    for _ in 0..<5 {
      try tmux.sendText("a")
      shown = try tmux.waitFor(deadline: Perfhud.deadline) { rows in
        rows[23].filter { $0 == "x" }.count > shown.last.map { $0.filter { $0 == "x" }.count } ?? 0
      }
    }
    let rows = try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains(" key ") }
    }
    let row = try #require(rows.first { $0.contains(" key ") })
    let words = row.split(separator: " ").map(String.init)
    let index = try #require(words.firstIndex(of: "key"))
    let milliseconds = try #require(Double(words[index + 1]))
    #expect(milliseconds >= 40, "\(row)")
  }
}
