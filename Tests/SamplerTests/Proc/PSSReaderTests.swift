import PerfHUDBase
import Testing

@testable import Sampler

@Suite struct PSSReaderTests {
  private let small: UInt64 = 300 << 20
  private let large: UInt64 = (300 << 20) + 1

  private func decide(
    _ policy: PSSPolicy, requested: Bool = false, resident: UInt64, due: Bool = true
  ) -> PSSReader.Decision {
    PSSReader.decide(policy: policy, isRequested: requested, residentBytes: resident, isDue: due)
  }

  @Test func `off reads nothing, not even when asked`() {
    #expect(decide(.off, requested: true, resident: small) == .keep)
  }

  @Test func `on demand reads when asked, a large target too`() {
    #expect(decide(.onDemand, resident: small) == .keep)
    #expect(decide(.onDemand, requested: true, resident: large, due: false) == .read)
  }

  @Test func `on the budget 300 MiB are read when due`() {
    #expect(decide(.onBudget, resident: small) == .read)
    #expect(decide(.onBudget, resident: small, due: false) == .keep)
  }

  @Test func `on the budget one byte more than 300 MiB is too costly unless asked for`() {
    #expect(decide(.onBudget, resident: large) == .tooCostly)
    #expect(decide(.onBudget, requested: true, resident: large) == .read)
  }

  @Test func `as the leading figure a large target is read when due`() {
    #expect(decide(.onBudgetAnySize, resident: large) == .read)
    #expect(decide(.onBudgetAnySize, resident: large, due: false) == .keep)
  }

  @Test(arguments: [(0, 5), (9_000_000, 5), (48_000_000, 24), (1_000_000_000, 500)])
  func `after a reading of so many ns the next one waits so many seconds`(
    cost: UInt64, seconds: UInt64
  ) {
    let next = PSSReader.nextTime(after: Instant(nanoseconds: 7), cost: cost)
    #expect(next.nanoseconds == 7 + seconds * 1_000_000_000)
  }

  @Test func `a reading is repeated after 5 s and not before`() throws {
    let fixture = try Fixture("linux-6.18/process")
    let directory = try ProcDirectory.ofProcess(fixture.pid, root: fixture.root)
    var reader = PSSReader(directory: directory, policy: .onBudget)
    let start = Instant(nanoseconds: 1_000_000_000)
    #expect(reader.reading == .absent(.notRequested))
    reader.update(now: start, residentBytes: small, directory: directory)
    #expect(reader.time == start)
    reader.update(now: start.advanced(bySeconds: 4.9), residentBytes: small, directory: directory)
    #expect(reader.time == start)
    // The file is a captured one, so that its reading costs next to nothing.
    let later = start.advanced(bySeconds: 60)
    reader.update(now: later, residentBytes: small, directory: directory)
    #expect(reader.time == later)
  }

  @Test func `of a target that has not run since, a reading is repeated after 30 s`() throws {
    let fixture = try Fixture("linux-6.18/process")
    let directory = try ProcDirectory.ofProcess(fixture.pid, root: fixture.root)
    var reader = PSSReader(directory: directory, policy: .onBudget)
    let start = Instant(nanoseconds: 1_000_000_000)
    for (seconds, hasRun, isRead) in [(0.0, true, true), (29, false, false), (30, false, true)] {
      let now = start.advanced(bySeconds: seconds)
      let found = reader.update(
        now: now, residentBytes: small, hasRun: hasRun, directory: directory)
      #expect(found == isRead, "after \(seconds) s")
    }
    reader.request()
    let isRead = reader.update(
      now: start.advanced(bySeconds: 31), residentBytes: small, hasRun: false, directory: directory)
    #expect(isRead)
  }

  @Test(arguments: [
    // PSS, resident then and now in KiB
    (377, 2_048, 32_768, false), (57, 100, 22, false), (60_000, 64_000, 64_000, true),
    (60_000, 64_000, 68_000, true), (60_000, 64_000, 68_001, false), (60_000, 64_000, 60_000, true),
    (60_001, 64_000, 60_000, false), (60_000, 64_000, 59_999, false), (400, 1_000, 1_256, true),
    (400, 1_000, 1_257, false),
  ])
  func `a value holds while the resident memory is about what it was`(
    pss: UInt64, then: UInt64, now: UInt64, holds: Bool
  ) {
    let found = PSSReader.agrees(pss << 10, residentThen: then << 10, residentNow: now << 10)
    #expect(found == holds)
  }

  @Test func `an outdated value is read again after a second`() throws {
    let fixture = try Fixture("linux-6.18/process")
    let directory = try ProcDirectory.ofProcess(fixture.pid, root: fixture.root)
    var reader = PSSReader(directory: directory, policy: .onBudget)
    let start = Instant(nanoseconds: 1_000_000_000)
    reader.update(now: start, residentBytes: small, directory: directory)
    reader.isOutdated = true
    for (seconds, isRead) in [(0.9, false), (1.0, true), (3.0, false)] {
      let now = start.advanced(bySeconds: seconds)
      let found = reader.update(
        now: now, residentBytes: small, hasRun: false, directory: directory)
      #expect(found == isRead, "after \(seconds) s")
    }
    let isOutdated = reader.isOutdated
    #expect(!isOutdated)
  }

  @Test func `what another walk has cost is waited for too`() throws {
    let fixture = try Fixture("linux-6.18/process")
    let directory = try ProcDirectory.ofProcess(fixture.pid, root: fixture.root)
    var reader = PSSReader(directory: directory, policy: .onBudget)
    let start = Instant(nanoseconds: 1_000_000_000)
    let atFirst = reader.canAfford(now: start)
    // 20 ms are 0.2 % of 10 s.
    reader.spend(20_000_000, now: start)
    let early = reader.canAfford(now: start.advanced(bySeconds: 9.9))
    let later = reader.canAfford(now: start.advanced(bySeconds: 10))
    #expect(atFirst && !early && later)
    reader.update(now: start.advanced(bySeconds: 9), residentBytes: small, directory: directory)
    #expect(reader.reading == .absent(.notRequested))
  }

  @Test func `a value that was asked for stays when the target is too large`() throws {
    let fixture = try Fixture("linux-6.18/process")
    let directory = try ProcDirectory.ofProcess(fixture.pid, root: fixture.root)
    var reader = PSSReader(directory: directory, policy: .onBudget)
    let now = Instant(nanoseconds: 1_000_000_000)
    reader.update(now: now, residentBytes: large, directory: directory)
    #expect(reader.reading == .absent(.tooCostly))
    reader.request()
    reader.update(now: now, residentBytes: large, directory: directory)
    let value = try #require(reader.reading.value)
    reader.update(now: now.advanced(bySeconds: 1), residentBytes: large, directory: directory)
    #expect(reader.reading == .value(value))
  }
}
