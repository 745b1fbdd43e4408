import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal
import Testing

/// Numbers at the ends of their range, from programs and from /proc. A trap in any of the arithmetic ends the tests.
@Suite struct ExtremeValuesTests {
  private static let whole: [UInt64] = [
    0, 1, 0x7FFF_FFFF, 0xFFFF_FFFF, 1 << 53, UInt64(Int64.max), 1 << 63, .max - 1, .max,
  ]
  private static let decimals = [
    "0", "-0", "1e-320", "-1", "4e18", "-9.3e18", "1.8e19", "1e300", "-1e308",
    "1.7976931348623157e308",
  ]

  /// Lines with each number in each of their fields.
  private static let lines: [String] = {
    var lines: [String] = []
    for number in whole.map({ "\($0)" }) + ["99999999999999999999999999"] {
      lines += [
        "phase a\(number) rss=\(number) mem=\(number) faulted=\(number) seq=\(number)",
        "phase b rss=0 mem=0 faulted=0",
        "phase c rss=\(number) mem=1 faulted=\(number)",
        "action a n=\(number)", "action a\(number) n=\(number) seq=\(number)",
        "frame ms=\(number) seq=\(number)", "value v\(number) \(number)", "value v \(number)",
        "value allocator.retained \(number)", "loading a progress=\(number)", "toast \(number)",
      ]
    }
    for number in decimals {
      lines += [
        "frame ms=\(number)", "value w \(number)", "value allocator.retained \(number)",
        "loading a progress=\(number) cover=yes", "phase d\(number)",
      ]
    }
    return lines
  }()

  private static func send(_ line: String, to process: inout MadeUpProcess) {
    let bytes = Array(line.utf8)
    guard var event = try? unsafe EventCodec.decode(bytes.span.bytes) else { return }
    event.sender = 4242
    process.apply(.event(event, process.now))
  }

  /// Draws every tab in several sizes, and the HUD over a program.
  private static func draw(_ run: Run) {
    for (columns, rows) in [(120, 40), (44, 15), (20, 1)] {
      for key in "1234l!" {
        let scalar = key.unicodeScalars.first ?? "1"
        #expect(!screen(columns, rows, run, keys: [.character(scalar)]).text.isEmpty)
      }
    }
    _ = screen(36, 9, run, state: HUDState(family: .overlay))
  }

  private static let rules = [
    "mem > 150MiB for 5s", "growth(mem) > 1MiB/min over 10s", "p99(frame) > 20ms",
    "mean(cpu) > 10%", "peak(mem) > 1GiB",
  ]

  @Test func `events with numbers at the ends of their range are shown`() {
    var process = MadeUpProcess()
    process.change = {
      $0.reporter = ProcessMemory(pid: 4242, residentBytes: .max, anonymousBytes: .max)
    }
    process.step()
    for _ in 0..<2 {
      for line in Self.lines {
        Self.send(line, to: &process)
        process.step()
      }
    }
    process.apply(.eventsLost(.max, process.now))
    process.apply(.eventsBad(.max, process.now))
    process.step()
    Self.draw(process.run)
    let summary = RunSummary(process.run, asOf: process.now)
    for language in Language.allCases { #expect(!summary.text(language: language).isEmpty) }
  }

  /// A value of each field of a sample.
  private static func fill(_ sample: inout Sample, _ number: UInt64) {
    let reading = Reading<UInt64>.value(number)
    let small = UInt32(truncatingIfNeeded: number)
    sample.ageNanoseconds = number
    sample.cpuNanoseconds = reading
    sample.processCPUNanoseconds = reading
    sample.cpuWaitNanoseconds = reading
    sample.residentBytes = reading
    sample.anonymousBytes = reading
    sample.swapBytes = reading
    sample.pageTableBytes = reading
    sample.sharedPrivateBytes = number
    sample.uncertainSharedBytes = number
    sample.pssBytes = reading
    sample.limitBytes = reading
    sample.threads = .value(small)
    sample.processes = small
    sample.leftOutProcesses = small
    sample.unknownEnds = small
    sample.usableProcessors = .value(Double(number))
    sample.minorFaults = reading
    sample.majorFaults = reading
    sample.systemNanoseconds = reading
    sample.readBytes = reading
    sample.writeBytes = reading
    sample.voluntarySwitches = reading
    sample.involuntarySwitches = reading
    sample.throttledNanoseconds = reading
    sample.cgroupMemoryBytes = reading
    sample.limitUsedBytes = reading
    sample.memoryEvents.high = reading
    sample.memoryEvents.max = reading
    sample.memoryEvents.oomKills = reading
    sample.pressure.cpuSome = reading
    sample.pressure.memoryFull = reading
    sample.pressure.ioSome = reading
    sample.missed = small
    sample.lateNanoseconds = small
    sample.ownCPUNanoseconds = number
    sample.ownAnonymousBytes = number
  }

  @Test(arguments: MemoryMetric.allCases)
  func `samples with numbers at the ends of their range are shown`(memory: MemoryMetric) {
    var header = MadeUpProcess(memory: memory).run.header
    header.alerts = Self.rules.compactMap { try? Rule($0) }
    var process = MadeUpProcess(header: header)
    process.step()
    // Each after each other one.
    for first in Self.whole {
      for second in Self.whole {
        process.change = { Self.fill(&$0, first) }
        process.step()
        Self.send("phase p\(first)", to: &process)
        var reading = MemorySample()
        reading.time = process.now
        reading.residentBytes = second
        reading.anonymousBytes = second
        reading.borderLateness = .max
        process.apply(.memory(reading))
        process.change = { Self.fill(&$0, second) }
        process.step()
      }
      Self.draw(process.run)
    }
    #expect(!RunSummary(process.run, asOf: process.now).text(language: .english).isEmpty)
  }
}
