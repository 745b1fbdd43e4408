import Glibc
import TestSupport
import Testing

/// Phases of programs that know nothing of perfhud, in a real tmux.
@Suite struct PhaseTests {
  private func under(
    _ command: [String], _ options: String..., home: TemporaryDirectory? = nil
  ) throws -> Tmux {
    // Shells leave files in their home.
    let changes =
      home.map { ["HOME": $0.path, "XDG_CONFIG_HOME": nil, "XDG_DATA_HOME": nil] } ?? [:]
    let tmux = try Tmux(
      columns: 80, rows: 24, command: try Overlay.wrap(command, options: options),
      environment: try Overlay.environment(changes))
    try tmux.waitFor("CPU", deadline: Perfhud.deadline)
    return tmux
  }

  /// Waits until the upper edge of the HUD names the phase, and returns its letter.
  @discardableResult
  private func waitForPhase(_ tmux: Tmux, _ name: String) throws -> Character? {
    var letter: Character?
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      let edge = rows.first {
        $0.contains("╭ ") && ($0.contains(" \(name) ─") || $0.contains(" \(name) ·"))
      }
      letter = edge?.split(separator: " \(name) ", maxSplits: 1).first?.last
      return edge != nil
    }
    return letter
  }

  @Test func `a program on the alternate screen that names nothing has no phase`() throws {
    let tmux = try under(["sh", "-c", "read a; exec less /etc/passwd"])
    try tmux.sendKeys("Enter")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains(#/╭ less ─+ \d+s ╮/#) }
    }
  }

  @Test func `each title is a phase, and the same title the same one`() throws {
    let tmux = try under([
      "sh", "-c",
      "for t in gallery canvas gallery; do printf '\\033]2;%s\\007' $t; read a; done",
    ])
    var letters: [Character?] = []
    for phase in ["gallery", "canvas", "gallery"] {
      letters.append(try waitForPhase(tmux, phase))
      try tmux.sendKeys("Enter")
    }
    #expect(letters == ["A", "B", "A"])
  }

  @Test func `a source that was not chosen begins no phase`() throws {
    let tmux = try under(
      [
        "sh", "-c",
        "printf '\\033]2;canvas\\007'; read a; printf '\\033]133;A\\007'; read a",
      ],
      "--phase-from", "shell")
    try tmux.sendKeys("Enter")
    try waitForPhase(tmux, "prompt")
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
    let home = try TemporaryDirectory()
    let tmux = try under(shell.command, home: home)
    let prompt = try waitForPhase(tmux, "prompt")
    try tmux.sendText("X=1 sleep \(getpid())\(index)00\n")
    let sleep = try waitForPhase(tmux, "sleep")
    // The shell marks the command before it runs it, and a key in between would interrupt neither.
    try waitUntil("sleep runs") {
      (try? Tool.run(["pgrep", "-fx", "sleep \(getpid())\(index)00"]).status) == .exit(0)
    }
    try tmux.sendKeys("C-c")
    #expect(try waitForPhase(tmux, "prompt") == prompt)
    try tmux.sendText("less /etc/passwd\n")
    let less = try waitForPhase(tmux, "less")
    #expect(less != sleep && less != prompt)
    // It discards what is typed before it reads.
    try tmux.waitFor("root:x:0:0", deadline: Perfhud.deadline)
    try tmux.sendKeys("q")
    #expect(try waitForPhase(tmux, "prompt") == prompt)
  }
}
