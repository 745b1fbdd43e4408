import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// The files of contrib/shell: each command of the shell becomes a phase.
@Suite(.waiting) struct ShellMarkFileTests {
  @Test(arguments: ["bash", "zsh", "fish"])
  func `a shell that reads its file has its commands as phases`(name: String) throws {
    try requireTool(name)
    let home = try TemporaryDirectory()
    let file = Repository.path("contrib/shell/perfhud.\(name)")
    let start: String
    switch name {
    case "bash": start = "PS1='ready> '\n. '\(file)'\n"
    case "zsh": start = "PROMPT='ready> '\n. '\(file)'\n"
    default:
      start =
        "function fish_prompt; echo -n 'ready> '; end\nset -g fish_greeting\nsource '\(file)'\n"
    }
    for path in [".bashrc", ".zshrc", "config.fish"] {
      try TestFile.write(Array(start.utf8), to: home.file(path))
    }
    let setup =
      "mkdir -p \"$HOME/.config/fish\"; cp \"$HOME/config.fish\" \"$HOME/.config/fish/\"; "
      + "SHELL=$(command -v \(name)); export SHELL; exec \"$perfhud\" --auto-show off"
    let tmux = try Tmux(
      columns: 100, rows: 24, command: ["sh", "-c", setup],
      environment: try Overlay.environment([
        "HOME": home.path, "ZDOTDIR": home.path, "PS1": nil, "PERFHUD": nil,
        "XDG_CONFIG_HOME": nil, "XDG_DATA_HOME": nil,
      ]))
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    // The title of the HUD: the shell, the letter and the name of the phase. The shell itself reads: there is no job.
    let reading = #/╭ \S+ · \S read ─/#
    let prompt = #/╭ \S+ · \S prompt ─/#
    try tmux.sendText("read -P '' answer 2>/dev/null || read answer\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains(reading) }
    }
    try tmux.sendText("x\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.contains(prompt) }
    }
  }
}
