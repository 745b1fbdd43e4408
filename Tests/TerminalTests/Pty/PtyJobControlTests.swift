import CProcess
import Glibc
import PerfHUDBase
import Terminal
import TestSupport
import Testing

private let controlC = "\u{03}"
private let controlZ = "\u{1A}"

extension PtyTests {
  @Suite struct JobControl {
    @Test func `Ctrl-Z stops a program that knows nothing of it, and it goes on`() throws {
      var command = try CommandOnPty("sleep", "100")
      let process = command.pty.commandProcess
      command.type(controlZ)
      #expect(try command.waitForStatus() == .stopped(signal: SIGTSTP))
      #expect(Proc.state(of: process) == "T")
      command.pty.continueForeground()
      #expect(try command.waitForStatus() == .continued)
      #expect(Proc.state(of: process) != "T")
      command.type(controlC)
      #expect(try command.waitForStatus() == .signaled(number: SIGINT, core: false))
      // It echoed as a terminal does.
      #expect(try command.drain() == Array("^Z^C".utf8))
    }

    @Test func `Ctrl-Z stops a shell together with its program`() throws {
      // Not until the program runs: a child of vfork that is stopped before exec holds up its shell,
      // under every terminal.
      var command = try CommandOnPty("sh", "-c", "sh -c 'echo ready; read line'; exit 5")
      try command.read(until: "ready")
      for _ in 0..<3 {
        command.type(controlZ)
        #expect(try command.waitForStatus() == .stopped(signal: SIGTSTP))
        command.pty.continueForeground()
        #expect(try command.waitForStatus() == .continued)
      }
      command.pty.signalForeground(SIGTERM)
      #expect(try command.waitForStatus() == .signaled(number: SIGTERM, core: false))
    }

    @Test func `a stop by kill is reported, and the status after it`() throws {
      var command = try CommandOnPty("sh", "-c", "kill -STOP $$; echo on; exit 4")
      #expect(try command.waitForStatus() == .stopped(signal: SIGSTOP))
      command.pty.continueForeground()
      #expect(try command.waitForStatus() == .continued)
      #expect(try command.waitForStatus() == .exited(code: 4))
      #expect(try command.drain() == Array("on\r\n".utf8))
    }

    @Test func `the keys' signals can be sent without keys`() throws {
      var command = try CommandOnPty("sleep", "100")
      command.pty.signalForeground(SIGTSTP)
      #expect(try command.waitForStatus() == .stopped(signal: SIGTSTP))
      command.pty.continueForeground()
      #expect(try command.waitForStatus() == .continued)
      command.pty.signalForeground(SIGINT)
      #expect(try command.waitForStatus() == .signaled(number: SIGINT, core: false))
    }

    @Test func `a shell inside stops and continues its own jobs; nothing is reported`() throws {
      var command = try CommandOnPty(
        ["bash", "--norc", "--noprofile", "-i"],
        environment: ["PS1": "prompt> ", "HISTFILE": "/dev/null"])
      let shell = command.pty.commandProcess
      try command.read(until: "prompt> ")
      command.type("sleep 100\r")
      // Before exec it still ignores what bash ignores.
      try command.wait("the job") { Proc.name(of: $0.pty.foregroundGroup) == "sleep" }
      command.type(controlZ)
      try command.read(until: "Stopped")
      try command.wait("the shell") { $0.pty.foregroundGroup == shell }
      command.type("fg\r")
      try command.wait("the job") { Proc.name(of: $0.pty.foregroundGroup) == "sleep" }
      command.type(controlC)
      try command.wait("the shell") { $0.pty.foregroundGroup == shell }
      command.type("echo status $?; exit 7\r")
      #expect(try command.waitForStatus() == .exited(code: 7))
      _ = try command.drain()
      #expect(command.text.contains("status 130"))
    }

    @Test func `a command that lost the terminal to a job of its own gets it back`() throws {
      let script = """
        use POSIX; $| = 1; $SIG{TTOU} = 'IGNORE';
        if (!fork) { setpgid(0, 0); tcsetpgrp(0, $$); exit }
        wait; print "read\\n"; $line = <STDIN>; print "got $line"; exit 6
        """
      var command = try CommandOnPty("perl", "-e", script)
      #expect(try command.waitForStatus() == .stopped(signal: SIGTTIN))
      command.pty.continueForeground()
      #expect(try command.waitForStatus() == .continued)
      command.type("line\r")
      #expect(try command.waitForStatus() == .exited(code: 6))
      _ = try command.drain()
      #expect(command.text.contains("got line"))
    }

    @Test func `a background job lives on after the end of the command`() throws {
      var job: pid_t = 0
      do {
        var command = try CommandOnPty("sh", "-c", "sleep 100 & echo job $!; exit 3")
        #expect(try command.waitForStatus() == .exited(code: 3))
        let text = String(decoding: try command.drain(), as: UTF8.self)
        job = pid_t(text.dropFirst(4).prefix { $0.isNumber }) ?? 0
        #expect(job > 1)
        // It still has the terminal open, so this is no end of file.
        let more = command.readOnce()
        #expect(more == nil)
        try waitUntil("the job sleeps") {
          Proc.name(of: job) == "sleep" && Proc.state(of: job) == "S"
        }
      }
      defer { kill(job, SIGKILL) }
      // The holder is gone, and with it the terminal: a hang-up would have been sent by now, and is
      // given time to do its work.
      for _ in 0..<20 {
        usleep(5000)
        #expect(Proc.state(of: job) == "S")
      }
    }

    @Test func `at the end of its life the command is hung up`() throws {
      let process: pid_t
      let holder: pid_t
      do {
        let command = try CommandOnPty("sleep", "100")
        process = command.pty.commandProcess
        holder = command.pty.holderProcess
      }
      #expect(waitpid(holder, nil, WNOHANG) == -1 && errno == ECHILD)
      try waitUntil("the end of the command") { Proc.state(of: process).map { $0 == "Z" } ?? true }
    }

    /// What the kernel does when the process that owns the pty is killed: its descriptors are
    /// closed, and nobody is told.
    @Test(arguments: ["exec sleep 100", "sleep 100; exit 1", "kill -STOP $$; sleep 100"])
    func `without its owner the holder ends, and so does the command`(script: String) throws {
      // Such a handler would keep the holder alive if it were a copy of its owner in this too.
      let before = signal(SIGHUP, { _ in })
      defer { signal(SIGHUP, before) }
      var started = perfhud_pty()
      var size = winsize()
      var mask = CommandOnPty.noSignals
      var words: [UnsafeMutablePointer<CChar>?] = unsafe []
      for word in ["sh", "-c", script] { unsafe words.append(strdup(word)) }
      unsafe words.append(nil)
      defer { for index in unsafe words.indices { unsafe free(words[index]) } }
      let result = unsafe words.withUnsafeMutableBytes { bytes in
        // The list ends with nil, which is an empty list too: no variables.
        let list = unsafe bytes.assumingMemoryBound(to: UnsafeMutablePointer<CChar>.self)
        let none = unsafe list.baseAddress! + list.count - 1
        return unsafe perfhud_pty_start(
          list.baseAddress!, none, [-1, -1, -1], nil, &size, &mask, &started)
      }
      try #require(result == 0)
      if script.hasPrefix("kill") {
        try waitUntil("the stop") { Proc.state(of: started.command) == "T" }
      }
      close(started.master)
      close(started.reports)
      try waitUntil("the end of the holder") { Proc.state(of: started.holder) == "Z" }
      var status: Int32 = 0
      #expect(unsafe waitpid(started.holder, &status, 0) == started.holder)
      #expect(status & 0x7F == SIGHUP)
      try waitUntil("the end of the command") {
        Proc.state(of: started.command).map { $0 == "Z" } ?? true
      }
    }

    @Test func `a holder that is killed is reported, and the command is hung up`() throws {
      var command = try CommandOnPty("sleep", "100")
      let process = command.pty.commandProcess
      kill(command.pty.holderProcess, SIGKILL)
      #expect(try command.waitForStatus() == .lost)
      try waitUntil("the end of the command") { Proc.state(of: process).map { $0 == "Z" } ?? true }
      #expect(try command.drain().isEmpty)
    }

    @Test func `a holder that is stopped does not hold up the end`() throws {
      var command = try CommandOnPty("true")
      #expect(try command.waitForStatus() == .exited(code: 0))
      let holder = command.pty.holderProcess
      kill(holder, SIGSTOP)
      try waitUntil("the stop") { Proc.state(of: holder) == "T" }
      // Its owner goes here.
    }

    @Test func `what is meant for perfhud does not end the holder`() throws {
      var command = try CommandOnPty("sh", "-c", "read line; exit 2")
      for signal in [SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTOU, SIGPIPE] {
        kill(command.pty.holderProcess, signal)
      }
      command.type("\r")
      #expect(try command.waitForStatus() == .exited(code: 2))
    }
  }
}
