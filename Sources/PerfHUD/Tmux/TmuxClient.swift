import Glibc
import PerfHUDBase

/// Asks the tmux server of this pane, by running `tmux`.
struct TmuxClient {
  /// The properties of a pane that perfhud needs.
  struct Pane: Equatable {
    /// For example `%3`.
    var id: String
    /// The process that tmux started in it.
    var process: Int32
    /// The pane whose program it shows; `nil` if it is not a side pane of perfhud.
    var sideOf: String?
    var isSide: Bool { sideOf != nil }
  }

  /// The tmux option of a side pane that contains the pane whose program it shows.
  static let sideOption = "@perfhud-side"
  private static let format = "#{pane_id} #{pane_pid} #{\(sideOption)}"

  private let ownPane: String?

  /// - Throws: outside tmux.
  ///
  /// Source: the variables TMUX and TMUX_PANE of tmux(1).
  init() throws(RunError) {
    guard unsafe getenv("TMUX") != nil else {
      throw RunError("this is not inside tmux; run it in a pane, or bind a key of tmux to it")
    }
    ownPane = unsafe getenv("TMUX_PANE").map { unsafe String(cString: $0) }
  }

  /// - Parameter id: the pane; `nil` for this process's pane, or else the active one.
  func pane(_ id: String?) throws(RunError) -> Pane {
    let target = (id ?? ownPane).map { ["-t", $0] } ?? []
    let line = try run(["display-message", "-p"] + target + [TmuxClient.format])
    guard let pane = TmuxClient.parse(line) else {
      throw RunError(
        "tmux knows no pane '\(SafeText.clean(id ?? "", limit: 40))'; list them with: tmux list-panes"
      )
    }
    return pane
  }

  /// The other panes of its window.
  func panes(besides pane: Pane) throws(RunError) -> [Pane] {
    let lines = try run(["list-panes", "-t", pane.id, "-F", TmuxClient.format])
    return lines.split(separator: "\n").compactMap { TmuxClient.parse(String($0)) }
      .filter { $0.id != pane.id }
  }

  static func parse(_ line: String) -> Pane? {
    let words = line.split(separator: " ")
    guard words.count >= 2, words[0].hasPrefix("%"), let process = Int32(words[1]), process > 0
    else { return nil }
    return Pane(
      id: String(words[0]), process: process, sideOf: words.count > 2 ? String(words[2]) : nil)
  }

  /// Runs tmux and waits for it.
  ///
  /// - Returns: its output without the last line end.
  /// - Throws: its error message if it fails.
  ///
  /// Source: `popen(3)`.
  @discardableResult
  func run(_ words: [String]) throws(RunError) -> String {
    let line = (["exec", "tmux"] + words.map(TmuxClient.quoted) + ["2>&1"]).joined(separator: " ")
    guard let stream = unsafe popen(line, "re") else {
      throw RunError("cannot start tmux: \(unsafe String(cString: strerror(errno)))")
    }
    var bytes: [UInt8] = []
    while true {
      let byte = unsafe getc(stream)
      if byte == EOF { break }
      bytes.append(UInt8(truncatingIfNeeded: byte))
    }
    let status = unsafe pclose(stream)
    let text = String(decoding: bytes, as: UTF8.self)
    guard status == 0 else {
      let reason = text.split(separator: "\n").first.map { SafeText.clean(String($0), limit: 200) }
      throw RunError("tmux \(words[0]) failed: \(reason ?? "no reason given")")
    }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }

  /// The text quoted as one word for a shell.
  static func quoted(_ text: String) -> String {
    let inner = text.split(separator: "'", omittingEmptySubsequences: false).joined(
      separator: "'\\''")
    return "'\(inner)'"
  }
}
