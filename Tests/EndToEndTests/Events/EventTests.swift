import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// What programs say of themselves, up to the counts in the summary at the end of a command.
@Suite struct EventTests {
  @Test func `each kind that a script emits is received, and the socket is gone at the end`() throws
  {
    let directory = try TemporaryDirectory()
    let script = """
      "$perfhud" --batch --summary -- sh -c '
      "$perfhud" emit phase photo gallery --icon 🖼 --color orange
      "$perfhud" emit action pen.move --detail "at 10" --count 3
      "$perfhud" emit frame
      "$perfhud" emit toast saved
      "$perfhud" emit loading images --progress 0.5
      "$perfhud" emit loading --done
      "$perfhud" emit value cache -12.5 --unit MiB
      ls "$XDG_RUNTIME_DIR"/perfhud'
      """
    let output = try Perfhud.shell(script, environment: isolatedEnvironment(directory))
    #expect(output.status == .exit(0))
    #expect(eventCounts(output.stderr) == (7, 0, 0), "\(output.stderr)")
    #expect(output.lines.count == 1 && output.lines.first?.hasPrefix("hud-") == true)
    #expect(try Tool.run(["ls", directory.path + "/perfhud"]).lines == [])
  }

  @Test func `emit without a HUD is silent and succeeds; a mistake is status 64`() throws {
    let directory = try TemporaryDirectory()
    let environment = isolatedEnvironment(directory)
    let silent = try Perfhud.run("emit", "phase", "canvas", environment: environment)
    #expect(silent.status == .exit(0) && silent.stdout.isEmpty && silent.stderr.isEmpty)
    let process = try Perfhud.run(
      "emit", "frame", "--to", "\(getpid())", environment: environment)
    #expect(process.status == .exit(0) && process.stderr.isEmpty)
    let mistakes: [[String]] = [
      ["emit"], ["emit", "phases", "x"], ["emit", "phase"], ["emit", "phase", "a", "--color", "x"],
      ["emit", "action", "a", "--count", "0"], ["emit", "value", "a", "b"],
      ["emit", "loading", "a", "--done"], ["emit", "frame", "--to", "nobody"],
    ]
    for words in mistakes {
      let output = try Tool.run(
        [try Perfhud.path()] + words, environment: Perfhud.environment(environment))
      #expect(output.status == .exit(64), "\(words): \(output.stderr)")
      #expect(output.stderr.hasPrefix("perfhud: ") && output.stderr.contains("perfhud emit"))
      #expect(output.stderr.split(separator: "\n").count == 1)
    }
    let help = try Perfhud.run("emit", "phase", "--help")
    #expect(help.status == .exit(0) && help.stdout.contains("perfhud emit phase"))
  }

  @Test func `own sequences and the socket both reach the HUD over a command`() throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("out")
    let script = """
      printf 'a\\033]7337;perfhud;phase canvas\\033\\\\b\\033]7337;perfhud;nonsense\\007c\\n'
      PERFHUD_SOCKET= "$perfhud" emit action by-terminal
      "$perfhud" emit action by-socket
      """
    let quoted = script.replacing("'", with: "'\\''")
    let command = "\"$perfhud\" --no-step-aside -- sh -c '\(quoted)' 2> \(file)"
    let pty = try Pty(
      ["sh", "-c", command], columns: 80, rows: 24,
      environment: try Overlay.environment(isolatedEnvironment(directory)))
    #expect(try pty.wait(deadline: Perfhud.deadline) == .exit(0))
    let summary = try Tool.run(["cat", file]).stdout
    #expect(eventCounts(summary) == (3, 0, 1), "\(summary)")
    #expect(!pty.text.contains("7337"))
    #expect(pty.text.contains("abc"))
  }

  @Test func `lines that are appended to the file of --events are received`() throws {
    let directory = try TemporaryDirectory()
    let script = """
      "$perfhud" --batch --summary --interval 20ms --events "$XDG_RUNTIME_DIR/log" -- sh -c '
      echo "phase early" > "$XDG_RUNTIME_DIR/log"
      echo "phase late" >> "$XDG_RUNTIME_DIR/log"
      printf "action a\\nnonsense\\naction b\\n" >> "$XDG_RUNTIME_DIR/log"'
      """
    let output = try Perfhud.shell(script, environment: isolatedEnvironment(directory))
    #expect(eventCounts(output.stderr) == (4, 0, 1), "\(output.stderr)")
  }
}
