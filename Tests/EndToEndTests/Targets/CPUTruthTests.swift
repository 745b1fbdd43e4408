import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// Since an unspecified point before boot, as CLOCK_MONOTONIC.
private func seconds(_ instant: Instant) -> Double { Double(instant.nanoseconds) * 1e-9 }

/// The CPU figure against loads that write down what they used.
@Suite(.serialized) struct CPUTruthTests {
  @Test(arguments: [(37, 1), (150, 2)])
  func `the mean of cpu_percent is what the load has used, for percent and threads of`(
    percent: Int, threads: Int
  ) throws {
    // The load knows what a switch or the host took from it, as far as the kernel knows it too.
    let (lines, truth, offset) = try playUntilSteady {
      try measure(percent, threads)
    } doubt: {
      $0.truth.doubt <= 0.01 ? nil : "load and kernel differ by \($0.truth.doubt)"
    }

    // The figure of a line holds from the line before it to its own time.
    var used = 0.0
    var first: Double?
    var last = 0.0
    var times = try lines.map { try #require(try $0.number("t")) - offset }
    // The load's last act, writing down its truth, is work as well: it is not part of it.
    times.removeAll { $0 > seconds(truth.span.upperBound) - 0.05 }
    for index in times.indices.dropFirst() where times[index - 1] > seconds(truth.span.lowerBound) {
      first = first ?? times[index - 1]
      last = times[index]
      used +=
        try #require(try lines[index].number("cpu_percent")) * (times[index] - times[index - 1])
    }
    let start = try #require(first)
    #expect(last - start > 2, "only \(last - start) s were measured")
    let mean = used / (last - start)
    let expected = truth.percent(
      from: Instant(nanoseconds: UInt64(start * 1e9)),
      to: Instant(nanoseconds: UInt64(last * 1e9)))
    #expect(abs(mean - expected) < 3 * Double(threads), "mean \(mean) %, truth \(expected) %")
    // 100 % is one core, and two threads can have more than one.
    let greatest = try lines.compactMap { try $0.number("cpu_percent") }.max() ?? 0
    #expect(expected < 105 || greatest > 100)
  }

  /// The lines of at least 2.5 s of a load, what it has used, and Unix time at monotonic zero.
  private func measure(
    _ percent: Int, _ threads: Int
  ) throws -> (lines: [JSONLine], truth: LoadTruth, offset: Double) {
    let directory = try TemporaryDirectory()
    let file = directory.file("truth")
    let duty = try RunningTool([
      try Products.path("perfhud-load"), "duty", "--percent", "\(percent)", "--threads",
      "\(threads)", "--seconds", "60", "--truth", file,
    ])
    #expect(try duty.readLine(deadline: Perfhud.deadline) == "ready \(duty.pid)")
    let run = try BatchRun("--pid", "\(duty.pid)")
    let offset = BatchRun.wallClockOffset()
    var lines = [try #require(try run.next())]
    let start = try #require(try lines[0].number("t"))
    while try lines[lines.count - 1].number("t") ?? 0 < start + 2.5 {
      lines.append(try #require(try run.next(), "\(run.stderr)"))
    }
    duty.signal(SIGTERM)
    lines += try run.rest()
    #expect(try duty.wait(deadline: Perfhud.deadline) == .exit(0))
    return (lines, try LoadTruth(file: file), offset)
  }

  @Test func `a burst of the load is seen in the samples of its time and not after`() throws {
    let load = try Load()
    let run = try BatchRun("--pid", "\(load.pid)")
    let idle = try #require(try run.next())
    let answer = try load.command("burn 400", deadline: Perfhud.deadline)
    let after = try run.next(after: answer[1])
    let busy = Double(answer[2]) * 1e-9
    let seen = try after.number("cpu_time_s")! - idle.number("cpu_time_s")!
    // What the load does besides: reading the command, writing the answer, page faults.
    #expect(seen >= busy * 0.97 && seen <= busy * 1.03 + 0.03, "\(seen) s of \(busy) s")
    // The sample after the next one lies wholly behind the burst.
    _ = try run.next()
    #expect(try run.next()?.number("cpu_percent") ?? 100 < 10)
  }
}
