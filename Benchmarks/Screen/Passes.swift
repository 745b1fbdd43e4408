// The hot loops, for scripts/check-instructions.sh, which counts their instructions.

import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// Runs one loop this number of times.
///
/// - Parameters:
///   - kind: `feed`, the screen model below a HUD; `paint`, the same through the compositor, which erases and paints the
///     HUD; `draw`, a complete redraw of a view of 120x40; `sample`, a sample of this process, which runs all the time.
///   - passes: How often.
///   - grid: The HUD that the compositor paints.
/// - Throws: ``SamplerError`` if the process cannot be sampled.
func pass(_ kind: String, _ passes: Int, _ grid: borrowing CellGrid) throws {
  switch kind {
  case "feed":
    var hudRegion = HUDRegion(hud)
    hudRegion.stopsAtUpdateEnd = true
    for input in BenchInput.all(length: 100_000) {
      var screen = Screen(size, options: options())
      feed(repeated(input.bytes, passes), &screen, hudRegion)
    }
  case "paint":
    for input in BenchInput.all(length: 100_000) {
      composite(input.bytes, grid, passes: passes)
    }
  case "draw":
    let run = makeRun()
    var view = HUD(size: size, state: HUDState(family: .pane))
    for _ in 0..<passes {
      view.invalidateAll()
      view.draw(run, now: run.latest?.time ?? run.header.start)
    }
  case "sample":
    var sampler = try ProcessSampler(pid: getpid())
    for _ in 0..<passes where sampler.sample().pid == 0 { exit(1) }
  default: exit(1)
  }
}

/// So often the same output, for one screen: to make a screen anew each time would count more than a third of all.
private func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count * count)
  for _ in 0..<count { result += bytes }
  return result
}

/// A minute of a process whose values go up and down.
private func makeRun() -> Run {
  let start = Instant(nanoseconds: 1_000_000_000_000)
  var run = Run(
    RunHeader(
      start: start, wallClockOffset: 1_700_000_000_000_000_000, interval: 100_000_000,
      tickPeriod: 16_666_667, command: "bench"))
  var sample = Sample()
  sample.pid = 4711
  sample.state = .running
  sample.threads = .value(4)
  sample.usableProcessors = .value(4)
  var cpu: UInt64 = 0
  for number in 1...600 {
    cpu += UInt64(number % 97) * 1_000_000
    sample.time = start.advanced(byNanoseconds: Int64(number) * 100_000_000)
    sample.sequence = UInt32(number)
    sample.cpuNanoseconds = .value(cpu)
    sample.residentBytes = .value(UInt64(200 + number % 100) << 20)
    sample.anonymousBytes = .value(UInt64(100 + number % 100) << 20)
    run.apply(.sample(sample))
  }
  return run
}
