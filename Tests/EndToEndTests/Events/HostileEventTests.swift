import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Events whose sender means harm, or has a bug.
@Suite struct HostileEventTests {
  /// Sends lines to the socket that it finds, each as a datagram.
  private static let sender = """
    import os, socket, sys
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.connect(sys.argv[1] if len(sys.argv) > 1 else os.environ["PERFHUD_SOCKET"])
    big = 2 ** 64 - 1
    for number in [big, 1, big, big - 1, 0, big]:
        s.send(b"frame seq=%d" % number)
        s.send(b"action a n=%d" % (number or 1))
        s.send(b"phase p%d rss=%d mem=%d faulted=%d" % ((number,) * 4))
    for number in [b"1e308", b"-1e308", b"1e-320", b"99999999999999999999"]:
        s.send(b"value v " + number)
        s.send(b"value allocator.retained " + number)
        s.send(b"frame ms=" + number)
        s.send(b"loading l progress=" + number)
    s.send(b"phase last")
    """

  @Test func `datagrams with the greatest numbers do not end perfhud over a command`() throws {
    let output = try Perfhud.run("--batch", "--summary", "--", "python3", "-c", Self.sender)
    #expect(output.status == .exit(0), "\(output.stderr)")
    #expect(output.stderr.contains("lost"))
  }

  @Test func `nor one that is attached`() throws {
    let load = try Load()
    let lines = try BatchRun("--pid", "\(load.pid)")
    _ = try lines.next()
    let socket = "\(IsolatedDirectories.runtime)/perfhud/\(load.pid).sock"
    let sent = try Tool.run(["python3", "-c", Self.sender, socket])
    #expect(sent.status == .exit(0), "\(sent.stderr)")
    _ = try lines.next { line throws(ToolError) in try line.text("phase") == "last" }
    lines.signal(SIGTERM)
    _ = try lines.wait()
  }
}
