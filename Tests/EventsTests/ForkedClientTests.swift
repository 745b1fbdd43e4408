import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import PerfHUDEvents

/// Programs that fork after they have spoken to the HUD.
@Suite struct ForkedClientTests {
  private static let count = 500
  private static let python = """
    import os, sys, threading, time
    sys.path.insert(0, sys.argv[1])
    import perfhud
    count = int(sys.argv[2])
    def send_all(name):
        for _ in range(count): perfhud.action(name)
        for _ in range(5000):
            if perfhud.flush(): break
            time.sleep(0.001)
    for _ in range(count): perfhud.action("before")
    is_done = False
    def speak():
        while not is_done: perfhud.frame()
    thread = threading.Thread(target=speak)
    thread.start()
    for _ in range(4):
        child = os.fork()
        if child == 0:
            send_all("child")
            os._exit(0)
        if os.waitpid(child, 0)[1] != 0: sys.exit(2)
    is_done = True
    thread.join()
    send_all("after")
    """

  /// The program's actions by name, and what was lost that is no frame.
  private func hear(_ command: [String]) throws -> (actions: [String: UInt64], lost: UInt64) {
    let listening = try Listening()
    var socket = try listening.socket(.command)
    let tool = try RunningTool(command, environment: ["PERFHUD_SOCKET": socket.path])
    var actions: [String: UInt64] = [:]
    func take() {
      while socket.receive(
        now: .now(), wallClockOffset: 0,
        { event, _ in
          if event.kind == .action { actions[event.name.text, default: 0] += UInt64(event.count) }
        })
      {}
    }
    // What the queue does not take the program keeps: it ends when all has gone out.
    let end = Instant.now().advanced(bySeconds: 60)
    while actions["after", default: 0] < UInt64(ForkedClientTests.count), Instant.now() < end {
      var poller = Poller()
      _ = poller.add(socket.raw)
      poller.wait(until: .now().advanced(bySeconds: 0.1), now: .now())
      take()
    }
    #expect(try tool.wait(deadline: 30) == .exit(0), "\(tool.stderr)")
    take()
    #expect(socket.counts.refused == 0)
    return (actions, socket.counts.lost)
  }

  private func check(_ heard: (actions: [String: UInt64], lost: UInt64)) {
    let count = UInt64(ForkedClientTests.count)
    #expect(heard.actions == ["before": count, "child": 4 * count, "after": count])
    // Frames of the thread find no room; a number that jumped would be far more.
    #expect(heard.lost < 100_000_000)
  }

  @Test func `children of a C program count their own events, and none hangs`() throws {
    let program = try Programs.compile("fork", libraries: ["pthread"])
    check(try hear([program, "\(ForkedClientTests.count)"]))
  }

  @Test func `children of a Python program count their own events, and none hangs`() throws {
    let folder = Programs.source("").split(separator: "/").dropLast(2).joined(separator: "/")
    check(
      try hear([
        "python3", "-W", "ignore", "-c", ForkedClientTests.python, "/\(folder)/clients",
        "\(ForkedClientTests.count)",
      ]))
  }
}
