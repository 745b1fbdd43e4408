import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// The share of a core in the kernel, at the end of the CPU row of a full-screen view.
@Suite struct SystemCPUScreenTests {
  /// The row of a program that uses part of a core for 20 s, and some of it in the kernel.
  ///
  /// - Parameter system: a part of the CPU time; `nil` if it is unknown.
  private func row(
    _ columns: Int, cpu: Double = 0.6, system: Double? = 0.2, processors: Double = 4,
    state: HUDState = HUDState(), change: @escaping @Sendable (inout Sample) -> Void = { _ in },
    key: Character? = nil
  ) -> String {
    var process = MadeUpProcess()
    process.change = { sample in
      let elapsed = sample.time.seconds(since: MadeUpProcess.start)
      let statTime = sample.statTime.seconds(since: MadeUpProcess.start)
      sample.cpuNanoseconds = .value(UInt64(max(0, elapsed * cpu * 1e9)))
      sample.systemNanoseconds =
        system.map { .value(UInt64(max(0, statTime * cpu * $0 * 100)) * 10_000_000) }
        ?? .absent(.unsupported)
      sample.usableProcessors = .value(processors)
      change(&sample)
    }
    process.pass(seconds: 20)
    let keys = key.flatMap { $0.unicodeScalars.first }.map { [Key.character($0)] } ?? []
    let text = screen(columns, 24, process.run, state: state, keys: keys).text
    return text.split(separator: "\n").map { String($0) }.first { $0.hasPrefix("CPU ") } ?? ""
  }

  @Test(arguments: [80, 100, 120, 200])
  func `where there is room, the kernel share follows the CPU time`(columns: Int) {
    #expect(row(columns).contains(#/100% = 1 core +cpu time 1[12]\.\ds  kernel 1[123]\.\d %/#))
  }

  @Test func `at 80 columns it replaces the CPU time if both do not fit`() {
    let row = row(80, cpu: 3, processors: 4)
    #expect(row.contains(#/400% = 4 cores  kernel (59|60|61)\.\d %/#) && !row.contains("time"))
    #expect(self.row(80, cpu: 3, system: nil).contains(#/400% = 4 cores  cpu time (59|60|1m)/#))
  }

  @Test func `the row in Japanese has カーネル`() {
    var state = HUDState()
    state.language = .japanese
    #expect(row(80, state: state).contains(#/100% = 1 コア  カーネル 1[123]\.\d %/#))
    #expect(row(120, state: state).contains(#/CPU時間 1[12]\.\ds  カーネル 1[123]\.\d %/#))
  }

  @Test(arguments: [(0.0, "kernel 0 %"), (1, "kernel 100 %")] as [(Double, String)])
  func `a round share has no decimals`(system: Double, text: String) {
    #expect(row(80, cpu: 1, system: system).contains(text))
  }

  @Test func `a narrow pane keeps the peak and leaves the kernel share out`() {
    for columns in [44, 52] {
      let row = row(columns)
      #expect(!row.contains("kernel"), "\(columns): \(row)")
    }
  }

  @Test func `without a kernel time the row is as before`() {
    #expect(row(80, system: nil).contains(#/100% = 1 core  cpu time 1[12]\.\ds *$/#))
  }

  @Test func `key I divides it by the processors too`() {
    #expect(row(120, key: "I").contains(#/kernel 3\.\d %/#))
  }

  @Test func `what some processes used is unknown: a lower bound`() {
    let row = row(120) { sample in
      sample.processes = 2
      sample.leftOutProcesses = 1
    }
    #expect(row.contains(#/kernel ≥1[123]\.\d %/#))
  }
}
