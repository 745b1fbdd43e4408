import Glibc
import PerfHUDBase
import PerfHUDClient
import PerfHUDEvents

// What an event costs the program that sends it, and a receiver for it:
//
//     bench-events send COUNT        actions as fast as they go; prints ns of CPU for each
//     bench-events phases COUNT      the same of phases, which carry the memory of the program
//     bench-events receive SECONDS   listens at PERFHUD_SOCKET's place; prints what it has counted
//
// `receive` prints the path of its socket first.

func cpuNanoseconds() -> UInt64 { readClock(CLOCK_PROCESS_CPUTIME_ID) ?? 0 }

func send(_ count: Int, arePhases: Bool) {
  PerfHUD.action("warm-up")
  let before = cpuNanoseconds()
  if arePhases {
    // Two names in turns: the name of the open phase is sent as well, but begins none.
    for number in 0..<count { PerfHUD.phase(number % 2 == 0 ? "canvas" : "gallery") }
  } else {
    for _ in 0..<count { PerfHUD.action("pen.move") }
  }
  let after = cpuNanoseconds()
  print(Double(after - before) / Double(count), PerfHUD.isConnected ? "heard" : "not heard")
  for _ in 0..<1000 where !PerfHUD.flush() { usleep(1000) }
}

func receive(seconds: Double) throws {
  var socket = try EventSocket(.command, in: .current())
  print(socket.path)
  fflush(nil)
  let end = Instant.now().advanced(bySeconds: seconds)
  var poller = Poller()
  _ = poller.add(socket.raw)
  var actions: UInt64 = 0
  while Instant.now() < end {
    poller.wait(until: end, now: .now())
    let now = Instant.now()
    while socket.receive(
      now: now, wallClockOffset: wallClockOffset(), { event, _ in actions += UInt64(event.count) })
    {}
  }
  let counts = socket.counts
  print("lines \(counts.received) actions \(actions) lost \(counts.lost) bad \(counts.refused)")
}

let words = CommandLine.arguments
if words.count == 3, ["send", "phases"].contains(words[1]), let count = Int(words[2]) {
  send(count, arePhases: words[1] == "phases")
} else if words.count == 3, words[1] == "receive", let seconds = Double(words[2]) {
  try receive(seconds: seconds)
} else {
  print("usage: bench-events send COUNT | phases COUNT | receive SECONDS")
  exit(64)
}
