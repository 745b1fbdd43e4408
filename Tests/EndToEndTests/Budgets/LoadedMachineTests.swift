import TestSupport
import Testing

/// Budgets on a machine that others keep busy. These tests make the load themselves, so they have the machine for
/// themselves.
@Suite(.serialized) struct LoadedMachineTests {
  /// Runs a script beside more busy loops than there are processors.
  private func besideLoad(_ script: String) throws -> Tool.Output {
    try Perfhud.shell(
      """
      loops=
      for i in $(seq $((2 * $(nproc)))); do
        sh -c 'while :; do :; done' & loops="$loops $!"
      done
      \(script)
      status=$?
      kill $loops
      exit $status
      """)
  }

  @Test func `a wall time that no load explains fails beside one`() throws {
    // How long it waited is read once a second.
    let work = "import time\nwhile time.process_time() < 2: pass"
    let output = try besideLoad(
      "\"$perfhud\" --no-summary --budget 'wall <= 100ms' -- python3 -c '\(work)'")
    #expect(output.status == .exit(99), "\(output.stderr)")
    #expect(budgetLines(output).first?.contains("  fails: ") == true)
  }

  @Test func `beside a load no time budget fails, and none holds that would not without it`() throws
  {
    // It takes a second of CPU time, so it would not take longer than this by itself.
    let work = "import time\nwhile time.process_time() < 1: pass"
    let budgets = [
      "wall <= 1200ms", "cpu-time <= 10ms", "cpu.mean <= 1%", "cpu.peak <= 1%", "cpu.mean <= 90%",
    ].map { "--budget '\($0)'" }.joined(separator: " ")
    let output = try besideLoad(
      "\"$perfhud\" --no-summary \(budgets) --budget 'rss.peak <= 1GiB' -- python3 -c '\(work)'")
    let lines = budgetLines(output)
    #expect(output.status == .exit(0), "\(output.stderr)")
    #expect(lines.count == 6)
    for line in lines.prefix(5) { #expect(line.contains("  inconclusive: "), "\(line)") }
    #expect(lines.last?.contains("  holds: ") == true)
    let strict = try besideLoad(
      "\"$perfhud\" --strict --budget 'wall <= 1200ms' -- python3 -c '\(work)'")
    #expect(strict.status == .exit(98), "\(strict.stderr)")
    let failing = try besideLoad(
      "\"$perfhud\" --strict --budget 'wall <= 1200ms' --budget 'rss.peak <= 1KiB' "
        + "-- python3 -c '\(work)'")
    #expect(failing.status == .exit(99), "\(failing.stderr)")
  }
}
