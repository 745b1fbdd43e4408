import Glibc
import PerfHUDBase
import Terminal
import TestSupport
import Testing

extension PtyTests {
  @Suite struct Flow {
    @Test(arguments: [UInt64.random(in: 0...UInt64.max), 1])
    func `1 MB of random bytes comes back through a raw terminal as it was`(seed: UInt64) throws {
      var random = SeededRandom(seed: seed)
      let sent = (0..<1 << 20).map { _ in UInt8.random(in: 0...255, using: &random) }
      var command = try CommandOnPty("sh", "-c", "stty raw -echo; printf ready; exec cat")
      try command.read(until: "ready")
      var next = 0
      let deadline = Instant.now().advanced(bySeconds: 30)
      while next < sent.count || command.output.count < 5 + sent.count {
        if next < sent.count, !command.pty.isInputFull {
          let end = min(next + Int.random(in: 1...9000, using: &random), sent.count)
          let count = unsafe command.pty.write(Array(sent[next..<end]).span.bytes)
          #expect(count == end - next)
          next += count
        }
        command.turn()
        try #require(Instant.now() < deadline, "\(command.output.count) bytes, seed \(seed)")
      }
      #expect(Array(command.output.dropFirst(5)) == sent, "seed \(seed)")
    }

    @Test func `what is typed before the command reads is kept, the queue is bounded`() throws {
      var command = try CommandOnPty(
        "sh", "-c", "stty raw -echo; kill -STOP $$; exec head -c 70000")
      #expect(try command.waitForStatus() == .stopped(signal: SIGSTOP))
      var random = SeededRandom(seed: 7)
      let piece = (0..<10000).map { _ in UInt8.random(in: 0...255, using: &random) }
      var taken = 0
      var writes = 0
      var expected: [UInt8] = []
      while !command.pty.isInputFull {
        let count = unsafe command.pty.write(piece.span.bytes)
        taken += count
        expected += piece.prefix(count)
        writes += 1
      }
      #expect(taken == writes * piece.count)
      // A caller that does not stop there loses nothing without knowing it.
      var refused = false
      while !refused {
        let count = unsafe command.pty.write(piece.span.bytes)
        refused = count < piece.count
        taken += count
        expected += piece.prefix(count)
      }
      #expect(taken <= Terminal.Pty.inputLimit + 64 << 10)
      // Nobody reads: a write that waits would not have come back.
      #expect(isNonblocking(command.pty.masterDescriptor))
      #expect(command.pty.hasWaitingInput == true)
      command.pty.continueForeground()
      #expect(try command.waitForStatus() == .continued)
      #expect(try command.waitForStatus() == .exited(code: 0))
      #expect(try command.drain() == Array(expected.prefix(70_000)))
    }

    @Test func `waiting for a command that does not read does not spin`() throws {
      var command = try CommandOnPty("sh", "-c", "stty raw -echo; echo ready; sleep 100")
      try command.read(until: "ready")
      let piece = [UInt8](repeating: 0x61, count: 10000)
      while !command.pty.isInputFull { _ = unsafe command.pty.write(piece.span.bytes) }
      var poller = Poller()
      let slot = poller.add(command.pty.masterDescriptor, events: Int32(POLLOUT))
      var wakeups = 0
      for _ in 0..<20 {
        let now = Instant.now()
        poller.wait(until: now.advanced(bySeconds: 0.01), now: now)
        if poller.isReady(slot) { wakeups += 1 }
        command.pty.flush()
      }
      #expect(wakeups <= 2)
    }

    @Test func `a flood waits for its reader and leaves less than the drain limit`() throws {
      var command = try CommandOnPty("yes")
      let process = command.pty.commandProcess
      var chunk = [UInt8](repeating: 0, count: 65536)
      var longest: UInt64 = 0
      for _ in 0..<200 {
        let start = try #require(readClock(CLOCK_THREAD_CPUTIME_ID))
        let count = unsafe chunk.withUnsafeMutableBytes { unsafe command.pty.read(into: $0) }
        longest = max(longest, try #require(readClock(CLOCK_THREAD_CPUTIME_ID)) - start)
        #expect(count == nil || (count ?? 0) > 0)
      }
      // A reading that follows the flood would not end.
      #expect(longest < 500_000_000)
      // Nobody reads: it sleeps, all of it.
      try waitUntil("the flood to stand") {
        (0..<5).allSatisfy { _ in
          usleep(1000)
          return Proc.state(of: process) == "S"
        }
      }
      command.pty.signalCommand(SIGKILL)
      try waitUntil("its end") { Proc.state(of: process) == "Z" }
      var status: PtyStatus?
      try waitUntil("the report") {
        status = command.pty.nextStatus()
        return status != nil
      }
      #expect(status == .signaled(number: SIGKILL, core: false))
      let left = try command.drain().count
      #expect(left > 0 && left < Terminal.Pty.drainLimit / 2)
    }

    @Test func `output right before the end is read to its last byte`() throws {
      for round in 0..<20 {
        var command = try CommandOnPty("sh", "-c", "sleep 100 & seq 1 5000; echo $!; exit 3")
        #expect(try command.waitForStatus() == .exited(code: 3))
        let text = String(decoding: try command.drain(), as: UTF8.self)
        let lines = text.split(separator: "\r\n")
        #expect(lines.count == 5001 && lines[4999] == "5000", "round \(round)")
        kill(pid_t(lines.last ?? "") ?? 0, SIGKILL)
      }
    }

    @Test func `reads of one call each bring all of a line in its order`() throws {
      var command = try CommandOnPty("sh", "-c", "stty raw -echo; seq 1 2000; exec sleep 60")
      var all: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 4095)
      try waitUntil("the last number") {
        let count = unsafe buffer.withUnsafeMutableBytes {
          unsafe command.pty.read(into: $0, isOneCall: true)
        }
        all += buffer[..<(count ?? 0)]
        return all.suffix(5) == Array("2000\n".utf8)[...]
      }
      #expect(all == Array((1...2000).map { "\($0)\n" }.joined().utf8))
    }

    @Test func `a flood in the background does not keep the end from being reached`() throws {
      var command = try CommandOnPty("sh", "-c", "yes & exit 3")
      #expect(try command.waitForStatus() == .exited(code: 3))
      _ = try command.drain()
      let drained = command.pty.isDrained
      #expect(drained)
    }

    @Test func `after the holder has gone the terminal reads as the end, and input is forgotten`()
      throws
    {
      var command = try CommandOnPty("true")
      #expect(try command.waitForStatus() == .exited(code: 0))
      kill(command.pty.holderProcess, SIGKILL)
      try command.wait("the end of the terminal") { $0.pty.isDrained }
      try waitUntil("the end of the terminal") { command.readOnce() == 0 }
      command.type("anything")
      #expect(command.pty.hasWaitingInput == false)
    }
  }
}
