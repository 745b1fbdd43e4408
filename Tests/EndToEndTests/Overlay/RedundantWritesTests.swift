import TestSupport
import Testing

/// What the overlay measures of a program that knows its own truth.
@Suite struct RewritesTests {
  private func large(_ script: String) throws -> Tmux {
    try Tmux(
      columns: 120, rows: 40,
      command: try Overlay.wrap(
        ["sh", "-c", "stty -echo; printf '\\033[2J'; \(script)"],
        options: ["--size", "large", "--no-step-aside", "--prefix", "none"]),
      environment: try Overlay.environment())
  }

  @Test(
    arguments: [
      // Of 20 cells a frame 5 are others than before, cleared in between or not.
      ("printf '\\033[38;1H%s%05d' aaaaaaaaaaaaaaa $i; i=$((11111-i))", "75%"),
      ("printf '\\033[2J\\033[38;1H%s%05d' aaaaaaaaaaaaaaa $i; i=$((11111-i))", "75%"),
      ("printf '\\033[38;1Hthe same'", "100%"),
    ])
  func `the share of cells that are written although they are there`(frame: String, shown: String)
    throws
  {
    // From 00000 to 11111 all five digits change.
    let tmux = try large("i=0; while sleep 0.05; do \(frame); done")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { row in
        let words = row.split(separator: " ")
        return words.firstIndex(of: "unchanged").map { words[$0 + 1] == shown } ?? false
      }
    }
  }
}
