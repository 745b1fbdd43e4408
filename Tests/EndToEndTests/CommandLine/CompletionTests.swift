import TestSupport
import Testing

/// The completion scripts in the shells that they are for.
@Suite(.waiting) struct CompletionTests {
  private func script(_ shell: String) throws -> TemporaryDirectory {
    try requireTool(shell)
    let directory = try TemporaryDirectory()
    let output = try Perfhud.run("--generate-completion-script", shell)
    try #require(output.status == .exit(0))
    try TestFile.write(output.stdoutBytes, to: directory.file("completion"))
    // The scripts call the program by the first word of the line.
    let link = try Tool.run(["ln", "-s", try Perfhud.path(), directory.file("perfhud")])
    try #require(link.status == .exit(0))
    return directory
  }

  @Test func `bash offers the number of a process after --pid`() throws {
    let load = try Load()
    let directory = try script("bash")
    let line = """
      PATH='\(directory.path)':$PATH; . '\(directory.file("completion"))'
      COMP_WORDS=(perfhud --pid ''); COMP_CWORD=2; COMP_LINE='perfhud --pid '; COMP_POINT=14
      _perfhud perfhud '' --pid; printf '%s\\n' "${COMPREPLY[@]}"
      """
    let output = try Tool.run(["bash", "-c", line], timeout: Perfhud.deadline)
    #expect(output.lines.contains("\(load.pid)"), "\(output.stderr)")
  }

  /// fish completes only where it is interactive.
  @Test
  func `fish offers the number and the name of a process after --pid, and the name after --name`()
    throws
  {
    let load = try Load()
    let directory = try script("fish")
    let tmux = try Tmux(
      columns: 120, rows: 24,
      command: [
        "fish", "--no-config", "-C",
        "set -x PATH '\(directory.path)' $PATH; source '\(directory.file("completion"))'; "
          + "function fish_prompt; echo -n 'ready> '; end",
      ], environment: Perfhud.environment(["HOME": directory.path]))
    try tmux.waitFor("ready>", deadline: Perfhud.deadline)
    try tmux.sendText("complete -C 'perfhud --pid ' | string match '*-load'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.hasPrefix("\(load.pid) ") && $0.hasSuffix("perfhud-load") }
    }
    try tmux.sendText("complete -C 'perfhud --name ' | string match -r '^perfhud-lo.*'\n")
    try tmux.waitFor(deadline: Perfhud.deadline) { rows in
      rows.contains { $0.hasPrefix("perfhud-load") }
    }
  }
}
