import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import PerfHUDEvents

@Suite struct EventSenderTests {
  @Test func `without a HUD nothing is sent and nothing kept`() throws {
    let listening = try Listening()
    var sender = listening.sender()
    sender.send(action("a"))
    let isIdle = !sender.isConnected && !sender.hasKept
    #expect(isIdle && sender.sent == 0 && sender.dropped == 0)
  }

  @Test func `a HUD that is attached later is found, and one that comes back too`() throws {
    let listening = try Listening()
    var sender = listening.sender()
    sender.send(action("early"))
    for round in 0..<2 {
      do {
        var socket = try listening.socket()
        // It looks once a second.
        try waitUntil("the sender finds the socket") {
          sender.send(action("a"))
          return sender.isConnected
        }
        listening.hear(&socket)
        #expect(socket.counts.received == 1 && socket.counts.lost == 0, "round \(round)")
      }
      // A child that another test is just starting may keep the socket open for a moment.
      try waitUntil("the sender notices that it has gone") {
        sender.send(action("late"))
        return !sender.isConnected
      }
    }
  }

  @Test func `PERFHUD_SOCKET comes before the socket of the process`() throws {
    let listening = try Listening()
    var own = try listening.socket()
    var above = try listening.socket(.command)
    var sender = EventSender(socketPath: above.path, directories: listening.places)
    sender.send(action("a"))
    listening.hear(&own)
    #expect(listening.heard.isEmpty)
    listening.hear(&above)
    #expect(listening.heard == ["action a seq=1"])
  }

  @Test func `actions that find the queue full are added up, and all arrive`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    var sender = listening.sender()
    for _ in 0..<1000 { sender.send(action("a")) }
    for _ in 0..<500 { sender.send(action("b", 2)) }
    let hasKept = sender.hasKept
    #expect(hasKept && sender.dropped == 0)
    try waitUntil("everything is sent") {
      listening.hear(&socket)
      return sender.flush()
    }
    listening.hear(&socket)
    #expect(socket.counts.lost == 0 && socket.counts.received == sender.sent)
    #expect(try total("a", listening.heard) == 1000)
    #expect(try total("b", listening.heard) == 1000)
  }

  private func total(_ name: String, _ lines: [String]) throws -> UInt64 {
    try lines.reduce(0) { sum, line in
      let bytes = Array(line.utf8)
      let event = try unsafe EventCodec.decode(bytes.span.bytes)
      return sum + (event?.name == Event.Name(name) ? UInt64(event?.count ?? 0) : 0)
    }
  }

  @Test func `what cannot be kept leaves a gap: received and lost are sent and dropped`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    var sender = listening.sender()
    // How many fit is a setting of the machine (net.unix.max_dgram_qlen).
    while sender.dropped < 900 { sender.send(Event(.frame)) }
    listening.hear(&socket)
    try waitUntil("the queue has room") {
      let before = sender.sent
      sender.send(Event(.loadingDone))
      listening.hear(&socket)
      return sender.sent > before
    }
    listening.hear(&socket)
    #expect(socket.counts.received == sender.sent)
    #expect(socket.counts.lost == sender.dropped)
  }

  @Test func `a burst that waited says how long ago it was, a longer flood does not`() throws {
    for (pause, hasTime) in [(30, true), (300, false)] as [(Int64, Bool)] {
      let listening = try Listening()
      var socket = try listening.socket()
      var sender = listening.sender()
      let start = Instant.now()
      while !sender.hasKept { sender.send(action("save"), now: start) }
      let later = start.advanced(byNanoseconds: pause * 1_000_000)
      sender.send(action("save"), now: later)
      listening.hear(&socket)
      let isSent = sender.flush(now: later.advanced(byNanoseconds: 30_000_000))
      #expect(isSent)
      listening.hear(&socket)
      let late = listening.heard.filter { $0.contains(" ago=") }
      #expect(late.count == (hasTime ? 1 : 0), "\(listening.heard)")
      #expect(late.allSatisfy { $0.contains("n=2 ago=60 seq") })
    }
  }

  @Test func `of phases that wait the last one counts`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    var sender = listening.sender()
    while !sender.hasKept { sender.send(action("fill")) }
    for name in ["one", "two", "three"] {
      var event = Event(.phase)
      event.name = Event.Name(name)
      sender.send(event)
    }
    try waitUntil("everything is sent") {
      listening.hear(&socket)
      return sender.flush()
    }
    listening.hear(&socket)
    let phases = listening.heard.filter { $0.hasPrefix("phase") }
    #expect(phases.count == 1 && phases.first?.hasPrefix("phase three ") == true)
    #expect(socket.counts.lost == 2)
  }

  @Test func `a child of fork counts its own events`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    // Python's sender is tested in EndToEndTests; here fork(2) is not to be had, so a second process
    // stands for it.
    try listening.send("action a seq=1\naction a seq=2", to: socket.path)
    let script =
      "import socket,sys; s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
      + "s.sendto(b'action a seq=1', sys.argv[1])"
    _ = try Tool.run(["python3", "-c", script, socket.path])
    try listening.send("action a seq=3", to: socket.path)
    listening.hear(&socket)
    #expect(socket.counts.received == 4 && socket.counts.lost == 0)
  }
}
