import Testing

@testable import PerfHUD

@Suite struct ProcessCompletionTests {
  @Test func `only a name in which no shell expands anything is offered`() {
    for name in ["vim", "python3.11", "kworker-x", "g++", "a_b"] {
      #expect(ProcessCompletion.isPlain(name), "\(name)")
    }
    for name in ["", "-x", "$(reboot)", "a b", "a'b", "`id`", "a:b", "a\tb", "*", "é"] {
      #expect(!ProcessCompletion.isPlain(name), "\(name)")
    }
  }

  @Test func `a process is its number and its name, as far as the shell shows one`() {
    #expect(ProcessCompletion.line(pid: 42, name: "vim", shell: nil) == "42")
    #expect(ProcessCompletion.line(pid: 42, name: "vim", shell: .bash) == "42")
    #expect(ProcessCompletion.line(pid: 42, name: "vim", shell: .zsh) == "42:vim")
    #expect(ProcessCompletion.line(pid: 42, name: "vim", shell: .fish) == "42\tvim")
    #expect(ProcessCompletion.line(pid: 42, name: "$(id)", shell: .zsh) == "42")
  }
}
