import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import PerfHUDClient
@testable import PerfHUDEvents

/// `PerfHUD` is one for the whole process, and so is the socket that it finds.
@Suite(.serialized) final class PerfHUDClientTests {
  private let root: String
  private let places: SocketDirectories

  /// As if the environment named a directory of the test's own.
  init() throws {
    root = try #require(Tool.run(["mktemp", "-d", "/tmp/perfhud-client-XXXXXX"]).lines.first)
    let places = SocketDirectories(runtime: root, temporary: nil)
    self.places = places
    PerfHUD.sender.withLock { sender, _ in
      sender = EventSender(socketPath: nil, directories: places)
    }
  }

  deinit { _ = try? Tool.run(["rm", "-rf", root]) }

  @Test func `without a HUD each call does nothing; with one each is an event`() throws {
    callAll()
    #expect(!PerfHUD.isConnected && PerfHUD.flush())

    var socket = try EventSocket(.process(getpid()), in: places)
    // It is looked for once a second.
    try waitUntil("the HUD is found") {
      PerfHUD.frame()
      return PerfHUD.isConnected
    }
    _ = hear(&socket)
    callAll()
    var lines = hear(&socket)
    for index in lines.indices {
      lines[index] = String(lines[index].split(separator: " seq=")[0])
    }
    // The memory of this process, which holds more than a MiB and has faulted in at least that.
    let report = try #require(lines[0].firstMatch(of: #/ rss=(\d+) mem=(\d+) faulted=(\d+)$/#))
    let numbers = try [report.1, report.2, report.3].map { try #require(Double($0)) }
    #expect(numbers[0] >= numbers[1] && numbers[1] > 1_048_576 && numbers[2] > numbers[1] / 2)
    lines[0].removeSubrange(report.range)
    #expect(
      lines == [
        "phase canvas icon=🎨 color=orange", "action pen", "action pen n=3 detail=fast", "frame",
        "frame ms=16.6", "toast two%20words", "loading images progress=1",
      ])
    PerfHUD.loadingDone()
    PerfHUD.value("cache", 1.5, unit: "MiB")
    PerfHUD.value("bad", .nan)
    PerfHUD.toast("")
    lines = hear(&socket)
    #expect(lines.count == 2 && lines[0].hasPrefix("loading-done "))
    #expect(lines.last?.hasPrefix("value cache 1.5 unit=MiB ") == true)

    #expect(socket.counts.lost == 0)
  }

  /// In a process of its own: the allocator's figures are those of all threads.
  @Test func `what was freed and is held is reported, and is no more after it was given back`()
    async
  {
    await #expect(processExitsWith: .success) { try PerfHUDClientTests().reportHeldMemory() }
  }

  private func reportHeldMemory() throws {
    var socket = try connected()
    let size = 20_000
    // As numbers: only the allocator looks at what they lead to.
    var blocks: [UInt] = []
    for _ in 0..<1000 { unsafe blocks.append(UInt(bitPattern: malloc(size))) }
    _ = AllocatorMemory.trim()
    _ = hear(&socket)
    // The first bytes stay, so that the rest of each block is a hole.
    for index in blocks.indices {
      unsafe blocks[index] = UInt(
        bitPattern: realloc(UnsafeMutableRawPointer(bitPattern: blocks[index]), 16))
    }
    defer {
      for block in blocks { unsafe free(UnsafeMutableRawPointer(bitPattern: block)) }
    }
    // The allocator takes some bytes of each.
    let freed = Double(1000 * (size - 100))
    let (held, left) = AllocatorMemory.trim()
    #expect(Double(held) > 0.8 * freed && Double(left) < 0.2 * freed)
    let lines = hear(&socket)
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("value allocator.retained ") })
    #expect(lines.first?.hasPrefix("value allocator.retained \(held) unit=B ") == true)
  }

  @Test func `what threads send at once is heard or known to be lost, and not mixed`() throws {
    var socket = try EventSocket(.process(getpid()), in: places)
    try waitUntil("the HUD is found") {
      PerfHUD.loadingDone()
      return PerfHUD.isConnected
    }
    var threads: [pthread_t] = []
    for _ in 0..<4 {
      var thread = pthread_t()
      unsafe pthread_create(
        &thread, nil,
        { _ in
          for _ in 0..<5000 { PerfHUD.action("thread") }
          return nil
        }, nil)
      threads.append(thread)
    }
    var actions: UInt64 = 0
    func hearActions() {
      while socket.receive(
        now: .now(), wallClockOffset: 0,
        { event, _ in
          if event.name == Event.Name("thread") { actions += UInt64(event.count) }
        })
      {}
    }
    for thread in threads {
      // What is not read makes the senders keep it, never wait.
      pthread_join(thread, nil)
    }
    try waitUntil("everything is sent") {
      hearActions()
      return PerfHUD.flush()
    }
    // A call that would wait for another thread for longer than 50 ms gives up; what follows tells of it.
    PerfHUD.loadingDone()
    hearActions()
    #expect(actions + socket.counts.lost == 20_000 && actions > 10_000)
    #expect(socket.counts.refused == 0)
  }

  private func callAll() {
    PerfHUD.phase("canvas", icon: "🎨", color: .orange)
    PerfHUD.action("pen")
    PerfHUD.action("pen", count: 3, detail: "fast")
    PerfHUD.action("pen", count: 0)
    PerfHUD.frame()
    PerfHUD.frame(milliseconds: 16.6)
    PerfHUD.toast("two words")
    PerfHUD.loading("images", progress: 7)
  }

  /// A HUD, and the sender connected with it; what was said for that is taken.
  func connected() throws -> EventSocket {
    var socket = try EventSocket(.process(getpid()), in: places)
    try waitUntil("the HUD is found") {
      PerfHUD.loadingDone()
      return PerfHUD.isConnected
    }
    _ = hear(&socket)
    return socket
  }

  func hearAll(_ socket: inout EventSocket, _ body: (Event) -> Void) {
    while socket.receive(now: .now(), wallClockOffset: 0, { event, _ in body(event) }) {}
  }

  func hearActions(_ socket: inout EventSocket, _ name: String) -> UInt64 {
    var count: UInt64 = 0
    hearAll(&socket) { if $0.name == Event.Name(name) { count += UInt64($0.count) } }
    return count
  }

  func hear(_ socket: inout EventSocket) -> [String] {
    var lines: [String] = []
    while socket.receive(
      now: .now(), wallClockOffset: 0,
      { event, _ in
        var bytes: [UInt8] = []
        EventCodec.encode(event, to: &bytes)
        lines.append(String(decoding: bytes, as: UTF8.self))
      })
    {}
    return lines
  }
}
