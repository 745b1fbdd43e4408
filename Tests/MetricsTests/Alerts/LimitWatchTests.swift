import PerfHUDBase
import Sampler
import Testing

@testable import Metrics

/// Notices about the memory limit.
@Suite struct LimitWatchTests {
  /// Reads with so much of a limit of 1000 bytes in use, one second after the other.
  private func run(_ uses: [UInt64], source: MemoryLimitSource = .cgroupMax) -> MadeUpProcess {
    var process = MadeUpProcess()
    for (second, used) in uses.enumerated() {
      process.read(at: Double(second)) {
        $0.lowRateTime = $0.time.advanced(byNanoseconds: 1)
        ($0.limitBytes, $0.limitSource) = (.value(1000), source)
        $0.limitUsedBytes = .value(used)
      }
    }
    return process
  }

  private func kinds(_ process: MadeUpProcess) -> [Notice.Kind] {
    process.run.noticeList.all.map(\.kind)
  }

  @Test func `90 % of the limit is a notice with its share and the name of the limit`() {
    let process = run([500, 899, 900])
    let notice = process.run.noticeList.all.first
    #expect(kinds(process) == [.memoryNearLimit])
    #expect(notice?.percent == 90 && notice?.bytes == 1000)
    #expect(notice?.name.text == "memory.max")
  }

  @Test func `a use that swings between 86 and 95 % is one notice, one that falls below 85 % two`()
  {
    #expect(run([950, 860, 950, 860, 950]).run.noticeList.all.map(\.count) == [1])
    // Within 8 s the same notice is renewed, with a count.
    #expect(run([950, 840, 950]).run.noticeList.all.first?.count == 2)
  }

  @Test func `without a value of its own the use is the process's resident memory`() {
    var process = MadeUpProcess()
    process.read(at: 0) {
      $0.lowRateTime = $0.time.advanced(byNanoseconds: 1)
      ($0.limitBytes, $0.limitSource) = (.value(1000), .physical)
      ($0.limitUsedBytes, $0.residentBytes) = (.absent(.unsupported), .value(950))
    }
    #expect(process.run.noticeList.all.first?.name.text == "RAM")
  }

  @Test func `events count from the start of the run, and each kind is reported`() {
    var process = MadeUpProcess()
    for (second, count) in [10, 10, 12].enumerated() {
      process.read(at: Double(second)) {
        $0.lowRateTime = $0.time.advanced(byNanoseconds: 1)
        $0.memoryEvents.high = .value(UInt64(count))
        $0.memoryEvents.max = .value(UInt64(count * 2))
        $0.memoryEvents.oomKills = .value(UInt64(second / 2))
      }
    }
    #expect(process[.memoryHigh] == .value(2))
    #expect(process[.memoryMax] == .value(4))
    #expect(process[.oomKills] == .value(1))
    #expect(kinds(process) == [.memoryHigh, .memoryMax, .oomKill])
    #expect(process.run.noticeList.all.map(\.rate) == [2, 4, 1])
  }

  @Test func `the events of another cgroup count from the first reading there`() {
    var process = MadeUpProcess()
    for (second, count) in [3, nil, 14, 15].enumerated() {
      process.read(at: Double(second)) {
        $0.lowRateTime = $0.time.advanced(byNanoseconds: 1)
        $0.memoryEvents.oomKills = count.map { .value(UInt64($0)) } ?? .absent(.pending)
      }
    }
    #expect(process[.oomKills] == .value(1))
  }

  @Test func `the end of the process may be such an event`() throws {
    let budget = try Budget("oom-kills <= 0")
    var process = MadeUpProcess(budgets: [budget])
    process.read(at: 0) {
      $0.lowRateTime = $0.time
      $0.memoryEvents.oomKills = .value(3)
    }
    process.read(at: 0.1) {
      $0.hasEnded = true
      $0.lowRateTime = MadeUpProcess.start
      $0.memoryEvents.oomKills = .value(4)
    }
    #expect(process[.oomKills] == .value(1))
    #expect(kinds(process) == [.oomKill])
    let results = BudgetReport(process.run, asOf: MadeUpProcess.time(0.1)).results
    #expect(results[0].text(.english).hasPrefix("fails"))
  }

  @Test func `the summary says that memory ran out, and with which limit`() {
    var process = run([1000, 1000])
    func line(_ language: Language) -> Substring? {
      RunSummary(process.run, asOf: MadeUpProcess.time(2)).text(language: language)
        .split(separator: "\n").first { $0.contains("limit   ") || $0.contains("上限") }
    }
    #expect(line(.english) == nil)
    for kills in [0, 1] {
      process.read(at: Double(2 + kills)) {
        $0.lowRateTime = $0.time.advanced(byNanoseconds: 1)
        $0.limitBytes = .value(64 << 20)
        $0.memoryEvents.oomKills = .value(UInt64(kills))
      }
    }
    #expect(line(.english) == "  limit   memory ran out, 1 killed (64.00 MiB, memory.max)")
    #expect(line(.japanese)?.contains("メモリ不足で1個を強制終了") == true)
    #expect(process.run.limitReport.timesNear == 1)
  }

  @Test func `another limit begins its count anew: no event is reported`() {
    var process = MadeUpProcess()
    for (second, limit) in [1000, 500].enumerated() {
      process.read(at: Double(second)) {
        $0.lowRateTime = $0.time.advanced(byNanoseconds: 1)
        ($0.limitBytes, $0.limitSource) = (.value(UInt64(limit)), .cgroupMax)
        $0.memoryEvents.max = .value(UInt64(second * 100))
      }
    }
    #expect(kinds(process).isEmpty)
    #expect(process[.memoryMax] == .value(0))
  }

  @Test func `a file that is missing leaves its reason`() {
    var process = MadeUpProcess()
    process.read(at: 0) {
      $0.lowRateTime = $0.time.advanced(byNanoseconds: 1)
      $0.memoryEvents.high = .absent(.unsupported)
    }
    #expect(process[.memoryHigh] == .absent(.unsupported))
  }
}
