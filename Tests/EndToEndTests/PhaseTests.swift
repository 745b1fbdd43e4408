import TestSupport
import Testing

/// Phases of programs that know nothing of perfhud, in a real tmux.
@Suite struct PhaseTests {
  private func under(_ command: [String], _ options: String...) throws -> Tmux {
    let tmux = try Tmux(
      columns: 80, rows: 24, command: try Overlay.wrap(command, options: options),
      environment: try Overlay.environment())
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    return tmux
  }

  /// Waits until the upper edge of the HUD names the phase.
  private func waitForPhase(_ tmux: Tmux, _ text: String) throws {
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains("┌ ") && $0.contains(" \(text) ┐") }
    }
  }

  @Test func `a program on the alternate screen is in another phase than before and after`()
    throws
  {
    let tmux = try under(["sh", "-c", "read a; less /etc/passwd; read b"])
    try tmux.sendKeys("Enter")
    try waitForPhase(tmux, "A alternate screen")
    try tmux.sendKeys("q")
    try waitForPhase(tmux, "B main screen")
  }

  @Test func `each title is a phase, and the same title the same one`() throws {
    let tmux = try under([
      "sh", "-c",
      "for t in gallery canvas gallery; do printf '\\033]2;%s\\007' $t; read a; done",
    ])
    for phase in ["A gallery", "B canvas", "A gallery"] {
      try waitForPhase(tmux, phase)
      try tmux.sendKeys("Enter")
    }
  }

  @Test func `a source that was not chosen begins no phase`() throws {
    let tmux = try under(
      ["sh", "-c", "printf '\\033]2;canvas\\007'; read a; printf '\\033[?1049h'; read a"],
      "--phase-from", "screen")
    try tmux.sendKeys("Enter")
    try waitForPhase(tmux, "A alternate screen")
  }

  /// Shells with the marks of OSC 133, as their integrations set them.
  private static let shells: [(name: String, command: [String])] = [
    (
      "bash",
      [
        "bash", "--norc", "-c",
        """
        exec bash --rcfile <(printf '%s\n' \
        'PS1="\\[\\e]133;D\\a\\e]133;A\\a\\]$ \\[\\e]133;B\\a\\]"' 'PS0="\\e]133;C\\a"') -i
        """,
      ]
    ),
    (
      "zsh",
      [
        "zsh", "-f", "-c",
        """
        d=$(mktemp -d); printf '%s\n' \
        'PROMPT=$'"'"'%{\\e]133;D\\a\\e]133;A\\a%}$ %{\\e]133;B\\a%}'"'" \
        'preexec() { print -n "\\e]133;C\\a" }' > $d/.zshrc; ZDOTDIR=$d exec zsh -i
        """,
      ]
    ),
    (
      "fish",
      [
        "fish", "--no-config", "-C",
        """
        function fish_prompt; printf '\\e]133;D\\a\\e]133;A\\a$ \\e]133;B\\a'; end
        function mark --on-event fish_preexec; printf '\\e]133;C\\a'; end
        """,
      ]
    ),
  ]

  @Test(arguments: [0, 1, 2])
  func `each command of a shell that marks its commands is a phase`(index: Int) throws {
    let shell = PhaseTests.shells[index]
    let tmux = try under(shell.command)
    try waitForPhase(tmux, "A prompt")
    try tmux.sendText("X=1 sleep 600\n")
    try waitForPhase(tmux, "B sleep")
    try tmux.sendKeys("C-c")
    try waitForPhase(tmux, "A prompt")
    try tmux.sendText("less /etc/passwd\n")
    try waitForPhase(tmux, "C less")
    try tmux.sendKeys("q")
    try waitForPhase(tmux, "A prompt")
  }
}
