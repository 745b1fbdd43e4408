import Base
import Glibc
import PerfHUDClient

/// A program that gives perfhud something to show: it goes through a quiet phase, a busy one and one
/// that takes memory and gives it back, for ever or for as many rounds as the argument says. It says
/// what it does, so that the HUD's figures can be held against it.
///
/// It ends with its parent's terminal or by a signal, and holds at most 200 MiB.
@main
enum Demo {
  static func main() {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? Int.max
    say("A program to look at: quiet, busy and greedy in turn. Ctrl-C ends it.")
    var round = 0
    while round < rounds {
      say("quiet: 4 % of a core for 4 s")
      PerfHUD.phase("quiet", icon: "◦", color: .blue)
      quiet(seconds: 4)
      say("busy: 60 % of a core for 5 s")
      PerfHUD.phase("busy", icon: "▲", color: .orange)
      busy(seconds: 5, share: 0.6)
      say("greedy: takes 160 MiB in ten steps, and holds them for 3 s")
      PerfHUD.phase("greedy", icon: "●", color: .red)
      grow(mebibytes: 160, seconds: 6)
      say("gives them back")
      round += 1
    }
  }

  /// A line on standard output; nothing where that is no terminal, since lines are read there.
  private static func say(_ line: String) {
    guard isatty(STDOUT_FILENO) == 1 else { return }
    print(line)
  }

  /// Little of anything.
  static func quiet(seconds: Double) {
    busy(seconds: seconds, share: 0.04)
  }

  /// Uses a share of one processor, in turns of 50 ms.
  static func busy(seconds: Double, share: Double) {
    let end = Instant.now().advanced(bySeconds: seconds)
    while Instant.now() < end {
      let turn = Instant.now()
      spin(until: turn.advanced(bySeconds: 0.05 * share))
      pause(until: turn.advanced(bySeconds: 0.05))
    }
  }

  /// Takes memory in ten steps, holds it, and returns it at once.
  static func grow(mebibytes: Int, seconds: Double) {
    // Blocks of this size are mapped one by one, so the allocator returns them when they are freed.
    var blocks: [[UInt8]] = []
    for _ in 0..<10 {
      PerfHUD.action("take", detail: "\(mebibytes / 10) MiB")
      blocks.append(Array(repeating: 1, count: (mebibytes / 10) << 20))
      busy(seconds: seconds / 20, share: 0.2)
    }
    busy(seconds: seconds / 2, share: 0.1)
  }

  private static func spin(until end: Instant) {
    while Instant.now() < end {}
  }

  private static func pause(until end: Instant) {
    let left = end.nanoseconds(since: Instant.now())
    if left > 0 { usleep(UInt32(left / 1000)) }
  }
}
