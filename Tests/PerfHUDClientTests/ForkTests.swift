import Glibc
import PerfHUDEvents
import Synchronization
import TestSupport
import Testing

@testable import PerfHUDClient

/// fork(2), which Swift hides: a program in C may fork and use this library all the same.
private func fork() -> pid_t {
  typealias Fork = @convention(c) () -> pid_t
  guard let symbol = unsafe dlsym(nil, "fork") else { return -1 }
  return unsafe unsafeBitCast(symbol, to: Fork.self)()
}

extension PerfHUDClientTests {
  /// Sends until all is out, and ends without the exit handlers of the tests.
  private func endChild(_ deadline: Int = 12_000) -> Never {
    for _ in 0..<deadline where !PerfHUD.flush() { usleep(5000) }
    _exit(PerfHUD.flush() ? 0 : 1)
  }

  private func end(of child: pid_t) -> Int32? {
    var status: Int32 = 0
    return unsafe waitpid(child, &status, WNOHANG) == child ? status : nil
  }

  @Test func `a child of fork counts its own events, and sends none of its parent's`() throws {
    var socket = try connected()
    var count: UInt64 = 0
    // So many that some wait in the parent when it forks.
    for _ in 0..<1000 { PerfHUD.action("parent") }
    let child = fork()
    if child == 0 {
      for _ in 0..<1000 { PerfHUD.action("child") }
      endChild()
    }
    try #require(child > 0)
    for _ in 0..<1000 { PerfHUD.action("parent") }
    var status: Int32?
    var children: UInt64 = 0
    try waitUntil("the child has ended") {
      hearAll(&socket) { event in
        if event.name == Event.Name("parent") { count += UInt64(event.count) }
        if event.name == Event.Name("child") { children += UInt64(event.count) }
      }
      if status == nil { status = end(of: child) }
      return PerfHUD.flush() && status != nil
    }
    hearAll(&socket) { event in
      if event.name == Event.Name("parent") { count += UInt64(event.count) }
      if event.name == Event.Name("child") { children += UInt64(event.count) }
    }
    #expect(status == 0)
    #expect(count == 2000 && children == 1000)
    #expect(socket.counts.lost == 0 && socket.counts.refused == 0)
  }

  @Test func `a child that was forked while a thread was sending does not hang`() throws {
    var socket = try connected()
    // The thread has the lock nearly all the time.
    let isDone = ForkFlag()
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(isDone).toOpaque()
    unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        let isDone = unsafe Unmanaged<ForkFlag>.fromOpaque(context).takeRetainedValue()
        while !isDone.value.load(ordering: .relaxed) { PerfHUD.action("thread") }
        return nil
      }, context)
    for _ in 0..<20 {
      let child = fork()
      if child == 0 {
        // Dies by SIGALRM if it hangs.
        alarm(20)
        PerfHUD.action("child")
        _exit(0)
      }
      var status: Int32?
      try waitUntil("the child has ended") {
        hearAll(&socket) { _ in }
        status = end(of: child)
        return status != nil
      }
      #expect(status == 0)
    }
    isDone.value.store(true, ordering: .relaxed)
    pthread_join(thread, nil)
  }

  @Test func `an event that cannot have the lock is counted as missing, and waits for nobody`()
    throws
  {
    var socket = try connected()
    // As a signal handler does that comes in while its own thread has it.
    PerfHUD.sender.withLock { _, _ in PerfHUD.action("within") }
    PerfHUD.action("after")
    let lines = hear(&socket)
    #expect(lines.count == 1 && lines[0].hasPrefix("action after "))
    #expect(socket.counts.lost == 1)
  }
}

private final class ForkFlag: Sendable {
  let value = Atomic<Bool>(false)
}
