import CLinux
import CMallocCount
import Glibc
import PerfHUDBase
import SystemPackage
import TestSupport
import Testing

@testable import PerfHUDEvents

/// A directory of its own for the sockets of a test, and what was heard.
final class Listening {
  let root: String
  let places: SocketDirectories
  private(set) var heard: [String] = []
  private(set) var times: [Instant] = []

  init() throws {
    root = try #require(Tool.run(["mktemp", "-d", "/tmp/perfhud-events-XXXXXX"]).lines.first)
    places = SocketDirectories(runtime: nil, temporary: root)
  }

  deinit { _ = try? Tool.run(["rm", "-rf", root]) }

  var directory: String { root + "/perfhud-\(geteuid())" }

  func socket(_ name: EventSocket.Name = .process(getpid())) throws(SystemError) -> EventSocket {
    try EventSocket(name, in: places)
  }

  func sender() -> EventSender { EventSender(socketPath: nil, directories: places) }

  /// Takes all that waits.
  func hear(_ socket: inout EventSocket) {
    while socket.receive(
      now: .now(), wallClockOffset: wallClockOffset(),
      {
        heard.append(encode($0))
        times.append($1)
      })
    {}
  }

  /// Sends bytes as they are.
  func send(_ text: String, to path: String) throws {
    let raw = perfhud_datagram_socket(0)
    defer { close(raw) }
    #expect(unsafe perfhud_connect_path(raw, path) == 0)
    let bytes = Array(text.utf8)
    #expect(unsafe perfhud_send(raw, bytes, bytes.count) == bytes.count)
  }
}

func action(_ name: String, _ count: UInt32 = 1) -> Event {
  var event = Event(.action)
  event.name = Event.Name(name)
  event.count = count
  return event
}

@Suite struct EventSocketTests {
  @Test func `the socket has mode 0600 in a directory of mode 0700, and goes with its owner`()
    throws
  {
    let listening = try Listening()
    var path = ""
    do {
      let socket = try listening.socket()
      path = socket.path
      #expect(path == listening.directory + "/\(getpid()).sock")
      #expect(try Tool.run(["stat", "-c", "%a %F", path]).lines == ["600 socket"])
      #expect(try Tool.run(["stat", "-c", "%a", listening.directory]).lines == ["700"])
    }
    #expect(unsafe access(path, F_OK) != 0)
  }

  @Test func `the first event that is understood shows others that events have come`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    try listening.send("no event", to: socket.path)
    listening.hear(&socket)
    #expect(!EventSocket.hasReceived(socket.path))
    try listening.send("action a", to: socket.path)
    listening.hear(&socket)
    #expect(EventSocket.hasReceived(socket.path))
    #expect(try Tool.run(["stat", "-c", "%a", socket.path]).lines == ["700"])
    #expect(!EventSocket.hasReceived(socket.path + ".other"))
  }

  @Test func `a process with an empty environment looks in the directory of its user`() throws {
    let listening = try Listening()
    _ = try Tool.run(["mkdir", listening.root + "/42"])
    try TestFile.write([], to: listening.root + "/42/environ")
    let found = try #require(SocketDirectories.surroundings(of: 42, root: listening.root))
    #expect(found.directories == SocketDirectories(runtime: nil, temporary: nil))
    #expect(found.socketAbove == nil)
    #expect(SocketDirectories.of(process: 42, root: listening.root) == found.directories)
    #expect(
      SocketDirectories.surroundings(of: 43, root: listening.root) == nil, "it cannot be read")
  }

  @Test func `a runtime directory of one's own is preferred, one of another is not`() throws {
    let listening = try Listening()
    let own = SocketDirectories(runtime: listening.root, temporary: "/nonexistent")
    let socket = try EventSocket(.command, in: own)
    #expect(socket.path.hasPrefix(listening.root + "/perfhud/hud-\(getpid())-"))
    let foreign = SocketDirectories(
      runtime: "/proc", temporary: listening.root, user: geteuid() &+ 1)
    #expect(foreign.directories == [listening.root + "/perfhud-\(geteuid() &+ 1)"])
  }

  @Test func `events come with the time at which they were sent`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    let before = Instant.now()
    try listening.send("action a\naction b n=3\n\n# no event\nframe", to: socket.path)
    let after = Instant.now()
    // What is read later is not later.
    usleep(20_000)
    listening.hear(&socket)
    #expect(listening.heard == ["action a", "action b n=3", "frame"])
    #expect(socket.counts.received == 3 && socket.counts.bad == 0)
    // The two clocks are read one after the other.
    let slack: Int64 = 2_000_000
    for time in listening.times {
      #expect(time.nanoseconds(since: before) > -slack && after.nanoseconds(since: time) > -slack)
    }
  }

  @Test func `bad and unknown lines are counted, and the others of the datagram taken`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    try listening.send("phase\nfuture thing\naction a\naction a n=0", to: socket.path)
    listening.hear(&socket)
    #expect(listening.heard == ["action a"])
    #expect(socket.counts.bad == 2 && socket.counts.unknown == 1)
  }

  @Test func `a datagram that is too long loses its end, which is counted`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    let lines = String(repeating: "action a\n", count: EventSocket.datagramLimit / 9 + 1)
    try listening.send(lines, to: socket.path)
    listening.hear(&socket)
    #expect(listening.heard.count == EventSocket.datagramLimit / 9)
    #expect(socket.counts.bad == 1)
  }

  @Test func `numbers that are missing are counted as lost`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    for number in [1, 2, 5, 6, 10] {
      try listening.send("action a seq=\(number)", to: socket.path)
      listening.hear(&socket)
    }
    #expect(socket.counts.lost == 5 && socket.counts.received == 5)
    // Another program in the same process begins anew.
    try listening.send("action a seq=1", to: socket.path)
    listening.hear(&socket)
    #expect(socket.counts.lost == 5)
  }

  @Test func `the greatest number twice leaves the count of lost events at its greatest`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    var before: UInt64 = 0
    for number in [UInt64.max, 1, .max, 0, .max - 1, .max, 2] {
      try listening.send("frame seq=\(number)", to: socket.path)
      listening.hear(&socket)
      #expect(socket.counts.lost >= before)
      before = socket.counts.lost
    }
    #expect(before == .max && socket.counts.received == 7)
  }

  @Test func `of more senders than fit the one heard least recently is forgotten`() {
    var table = SenderTable()
    for pid in 0..<Int32(SenderTable.capacity) {
      #expect(table.gap(before: 3, of: pid + 1) == 2)
    }
    #expect(table.gap(before: 4, of: 1) == 0)
    // Sender 2 goes for it; whether it has lost anything before cannot be told then.
    #expect(table.gap(before: 9, of: 100) == 0)
    #expect(table.gap(before: 9, of: 2) == 0)
    #expect(table.gap(before: 12, of: 2) == 2)
    #expect(table.gap(before: 6, of: 1) == 1)
    #expect(table.gap(before: .max, of: 1) == UInt64.max - 7)
    #expect(table.gap(before: 5, of: 1) == 0)
  }

  @Test func `senders of one process lose nothing by turns, and what is lost is counted`() {
    var table = SenderTable()
    for number in UInt64(1)...100 { #expect(table.gap(before: number, of: 7) == 0) }
    for number in UInt64(1)...50 {
      #expect(table.gap(before: number, of: 7) == 0)
      #expect(table.gap(before: 100 + number, of: 7) == 0)
    }
    #expect(table.gap(before: 54, of: 7) == 3)
    #expect(table.gap(before: 155, of: 7) == 4)
    // Counts that begin anew again and again take no place of another process.
    #expect(table.gap(before: 1, of: 8) == 0)
    for _ in 0..<100 { #expect(table.gap(before: 1, of: 7) == 0) }
    #expect(table.gap(before: 4, of: 8) == 2)
  }

  @Test func `a plain file in its place is called that, and no other perfhud`() throws {
    let listening = try Listening()
    let path = try listening.socket().path
    #expect(try Tool.run(["touch", path]).status == .exit(0))
    let error = #expect(throws: SystemError.self) { _ = try listening.socket() }
    #expect(error?.code == .fileExists)
    #expect(error?.description.contains("it is no socket") == true)
    #expect(try Tool.run(["cat", path]).status == .exit(0), "it was removed")
  }

  @Test func `root makes directory and socket with the user and the group of the process`() throws {
    guard geteuid() == 0 else { return }  // Only root can be somebody else.
    let listening = try Listening()
    unsafe chmod(listening.root, 0o777)
    let places = SocketDirectories(runtime: nil, temporary: listening.root, user: 4242, group: 4243)
    let socket = try EventSocket(.command, in: places)
    for path in [listening.root + "/perfhud-4242", socket.path] {
      #expect(try Tool.run(["stat", "-c", "%u:%g", path]).lines == ["4242:4243"])
    }
    // Its own rights are back.
    #expect(try Tool.run(["touch", listening.root + "/own"]).status == .exit(0))
    let made = unsafe open(listening.root + "/mine", O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    close(made)
    #expect(
      try Tool.run(["stat", "-c", "%u:%g", listening.root + "/mine"]).lines == ["0:\(getegid())"])
    // Root's groups open no directory for it.
    unsafe chmod(listening.root, 0o770)
    #expect(throws: SystemError.self) { _ = try EventSocket(.process(1), in: places) }
  }

  @Test func `what another user sends is dropped and counted`() throws {
    guard geteuid() == 0 else { return }  // Only root can be somebody else.
    let listening = try Listening()
    // Of an ordinary user, so that root and that user are heard and a third is not.
    let places = SocketDirectories(runtime: nil, temporary: listening.root, user: 4242)
    unsafe chmod(listening.root, 0o777)
    var socket = try EventSocket(.command, in: places)
    #expect(try Tool.run(["stat", "-c", "%u", socket.path]).lines == ["4242"])
    // Let everybody in, to see that the kernel's word on the sender is what counts.
    unsafe chmod(listening.root + "/perfhud-4242", 0o755)
    unsafe chmod(socket.path, 0o666)
    let script =
      "import socket,os,sys; s=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM);"
      + "os.setuid(int(sys.argv[2])); s.sendto(b'action a', sys.argv[1])"
    for user in ["4242", "4243", "0"] {
      let output = try Tool.run(["python3", "-c", script, socket.path, user])
      #expect(output.status == .exit(0), "\(output.stderr)")
    }
    listening.hear(&socket)
    #expect(socket.counts.received == 2 && socket.counts.foreign == 1)
  }

  @Test func `a symbolic link, a file and a foreign directory in its place are refused`() throws {
    let listening = try Listening()
    _ = try Tool.run(["mkdir", "-m", "700", listening.root + "/mine"])
    #expect(unsafe symlink(listening.root + "/mine", listening.directory) == 0)
    #expect(throws: SystemError.self) { _ = try listening.socket() }
    #expect(listening.places.existing().isEmpty)
    #expect(try Tool.run(["ls", listening.root + "/mine"]).stdout == "")

    unsafe unlink(listening.directory)
    try TestFile.write([], to: listening.directory)
    #expect(throws: SystemError.self) { _ = try listening.socket() }

    unsafe unlink(listening.directory)
    #expect(unsafe mkdir(listening.directory, 0o755) == 0)
    do {
      _ = try listening.socket()
      Issue.record("a directory that others may enter was used")
    } catch {
      #expect("\(error)".contains("chmod 700"))
    }
    guard geteuid() == 0 else { return }
    unsafe chmod(listening.directory, 0o700)
    unsafe chown(listening.directory, 4242, 4242)
    do {
      _ = try listening.socket()
      Issue.record("a directory of another user was used")
    } catch {
      #expect("\(error)".contains("belongs to user 4242"))
    }
  }

  @Test func `a link in place of the socket is not followed`() throws {
    let listening = try Listening()
    _ = try listening.socket()
    let victim = listening.root + "/victim"
    try TestFile.write([1], to: victim)
    let place = listening.directory + "/\(getpid()).sock"
    #expect(unsafe symlink(victim, place) == 0)
    #expect(throws: SystemError.self) { _ = try listening.socket() }
    #expect(TestFile.size(victim) == 1)
  }

  @Test func `a socket that a crash has left is taken, one in use is not`() throws {
    let listening = try Listening()
    let first = try listening.socket()
    #expect(throws: SystemError.self) { _ = try listening.socket() }
    #expect(unsafe access(first.path, F_OK) == 0)

    // As after a crash: bound, and closed without being removed.
    let stale = listening.directory + "/1.sock"
    let raw = perfhud_datagram_socket(1)
    #expect(unsafe perfhud_bind_path(raw, stale) == 0)
    close(raw)
    let second = try listening.socket(.command)
    #expect(unsafe access(stale, F_OK) != 0)
    #expect(unsafe access(first.path, F_OK) == 0)
    #expect(second.path != first.path)
  }

  @Test func `a path of more than 107 bytes is an error, not a cut name`() throws {
    let listening = try Listening()
    let long = listening.root + "/" + String(repeating: "x", count: 90)
    #expect(unsafe mkdir(long, 0o700) == 0)
    let places = SocketDirectories(runtime: nil, temporary: long)
    #expect(throws: SystemError.self) { _ = try EventSocket(.command, in: places) }
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0, "a sanitizer replaces malloc"))
  func `sending and receiving allocate nothing`() throws {
    let listening = try Listening()
    var socket = try listening.socket()
    var sender = listening.sender()
    sender.send(action("a"))
    var received = 0
    let event = action("b")
    var before: UInt64 = 0
    for round in 0...100 {
      // In the first round the runtime makes what it knows of the types.
      if round == 1 { before = perfhud_malloc_count() }
      for _ in 0..<30 { sender.send(event) }
      socket.receive(now: .now(), wallClockOffset: 0) { _, _ in received += 1 }
    }
    #expect(perfhud_malloc_count() - before == 0)
    #expect(received > 100)
  }
}
