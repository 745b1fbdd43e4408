import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import Metrics

@Suite struct PhaseTrackerTests {
  /// A visit to `gallery` from 1 s to 3 s that takes 50 MiB and keeps 3 of them.
  private func oneVisit() -> MadeUpProcess {
    var process = MadeUpProcess()
    process.memory(100, at: 0.9)
    process.phase("gallery", at: 1)
    for (seconds, level) in [(1.1, 120.0), (2, 150), (2.9, 140)] {
      process.memory(level, at: seconds)
    }
    process.phase("canvas", at: 3)
    for (seconds, level) in [(3.1, 130.0), (5, 103), (7.9, 110)] {
      process.memory(level, at: seconds)
    }
    return process
  }

  @Test func `a visit has what it was entered with, its peak, what it was left with, and settled`()
    throws
  {
    var process = oneVisit()
    #expect(process.visits("gallery").isEmpty)
    process.memory(111, at: 8.3)
    let visit = try #require(process.visits("gallery").first)
    #expect(visit.entered == MadeUpProcess.time(1))
    #expect(visit.left == MadeUpProcess.time(3))
    #expect(visit.enteredBytes == 100 * bytesPerMiB)
    #expect(visit.peakBytes == 150 * bytesPerMiB)
    #expect(visit.leftBytes == 140 * bytesPerMiB)
    #expect(visit.settledBytes == 103 * bytesPerMiB)
    #expect(visit.baselineBytes == 100 * bytesPerMiB)
    #expect(visit.takenBytes == 50 * bytesPerMiB)
    #expect(visit.keptBytes == 3 * bytesPerMiB)
    #expect(visit.releasedPercent == 94)
    #expect(visit.isWarmUp && visit.hasSettled)
  }

  @Test func `the peak of a phase includes visits that go on or have not settled`() {
    var process = oneVisit()
    let phases = process.run.phases
    #expect(phases[0].peakBytes == nil, "no visit has settled")
    #expect(phases.peakBytes(0) == 150 * bytesPerMiB)
    #expect(phases.peakBytes(1) == 140 * bytesPerMiB, "what it was entered with counts")
    process.memory(200, at: 8.3)
    #expect(process.run.phases.peakBytes(0) == 150 * bytesPerMiB)
    #expect(process.run.phases.peakBytes(1) == 200 * bytesPerMiB)
  }

  @Test func `a reading on the border belongs to the phase that ends there`() throws {
    var process = MadeUpProcess()
    process.memory(10, at: 1)
    process.phase("a", at: 1)
    process.memory(30, at: 2)
    process.phase("b", at: 2)
    process.memory(20, at: 7)
    process.memory(5, at: 7.3)
    let visit = try #require(process.visits("a").first)
    #expect(visit.enteredBytes == 10 * bytesPerMiB)
    #expect(visit.leftBytes == 30 * bytesPerMiB)
    #expect(visit.settledBytes == 20 * bytesPerMiB)
  }

  @Test(arguments: 0..<24) func `events and samples in any order of arrival give the same visits`(
    seed: UInt64
  ) {
    struct Fact {
      var time: Double
      var phase: String?
      var level = 0.0
    }
    var random = SeededRandom(seed: seed)
    var facts: [Fact] = []
    for tenth in 1...400 {
      let level = Double.random(in: 90...200, using: &random)
      facts.append(Fact(time: Double(tenth) / 10, phase: nil, level: level))
    }
    var border = 0.55
    while border < 30 {
      let name = ["a", "b", "c", "d", ""].randomElement(using: &random)
      facts.append(Fact(time: border, phase: name))
      border += Double.random(in: 0.01...4, using: &random)
    }
    func play(_ facts: [Fact]) -> MadeUpProcess {
      var process = MadeUpProcess()
      for fact in facts {
        if let phase = fact.phase {
          process.phase(phase, at: fact.time)
        } else {
          process.memory(fact.level, at: fact.time)
        }
      }
      return process
    }
    let inOrder = play(facts.sorted { $0.time < $1.time })
    // Each stream stays in its own order, one of them comes up to 0.2 s late.
    let isEventLate = seed % 2 == 0
    let delay = Double.random(in: 0...0.2, using: &random)
    let other = play(
      facts.sorted {
        $0.time + (($0.phase != nil) == isEventLate ? delay : 0)
          < $1.time + (($1.phase != nil) == isEventLate ? delay : 0)
      })
    for name in ["a", "b", "c", "d"] {
      #expect(inOrder.visits(name) == other.visits(name))
      #expect(inOrder.verdict(name) == other.verdict(name))
    }
    #expect(inOrder.run.phases.count > 1)
    for tenth in 0...400 {
      let time = MadeUpProcess.time(Double(tenth) / 10)
      let first = inOrder.run.phases.index(at: time)
      let second = other.run.phases.index(at: time)
      #expect(first == second)
    }
  }

  @Test func `the name of the open phase refreshes it and is no new visit`() {
    var process = MadeUpProcess()
    process.report(.phase, "canvas", at: 1) { $0.icon = Event.Icon("🎨") }
    process.report(.phase, "canvas", at: 2) { $0.color = .orange }
    #expect(process.run.phases.current?.visits == 1)
    #expect(process.run.phases.current?.icon.text == "🎨")
    #expect(process.run.phases.current?.color == .orange)
    #expect(process.run.phases.openVisit?.entered == MadeUpProcess.time(1))
    process.report(.phase, "gallery", at: 3) { $0.origin = .pattern }
    process.report(.phase, "canvas", at: 4)
    #expect(process.run.phases.current?.visits == 2)
    #expect(process.run.phases.current?.icon.text == "🎨")
    #expect(process.index(of: "gallery").map { process.run.phases[$0].origin } == .pattern)
  }

  @Test func `an empty name ends the phase`() {
    var process = MadeUpProcess()
    process.phase("", at: 0.5)
    #expect(process.run.phases.current == nil)
    process.phase("a", at: 1)
    process.phase("", at: 2)
    #expect(process.run.phases.currentIndex == nil)
    #expect(process.run.phases.index(at: MadeUpProcess.time(1.5)) == 0)
    #expect(process.run.phases.index(at: MadeUpProcess.time(2.5)) == nil)
    #expect(process.run.phases.count == 1)
  }

  @Test func `an event older than the last border counts from that border`() {
    var process = MadeUpProcess()
    process.phase("a", at: 1)
    process.phase("b", at: 3)
    process.phase("c", at: 2)
    #expect(process.run.phases.current?.name.text == "c")
    #expect(process.run.phases.openVisit?.entered == MadeUpProcess.time(3))
    #expect(process.run.phases.index(at: MadeUpProcess.time(2)) == 0)
  }

  @Test func `a phase without end is open, with its values so far`() throws {
    var process = MadeUpProcess()
    process.memory(100, at: 0.5)
    process.phase("a", at: 1)
    process.memory(180, at: 2)
    process.memory(160, at: 3)
    let visit = try #require(process.run.phases.openVisit)
    #expect(visit.left == nil && visit.settledBytes == nil && !visit.hasSettled)
    #expect(visit.enteredBytes == 100 * bytesPerMiB)
    #expect(visit.peakBytes == 180 * bytesPerMiB)
    #expect(visit.leftBytes == 160 * bytesPerMiB)
    #expect(visit.seconds(asOf: MadeUpProcess.time(9)) == 8)
    #expect(process.verdict("a") == .unknown(visitsNeeded: 3))
    #expect(process.run.phases.seconds(0, asOf: MadeUpProcess.time(9)) == 8)
  }

  @Test func `the values of a visit of an hour are right although its readings are not kept`()
    throws
  {
    var process = MadeUpProcess()
    process.memory(100, at: 0)
    process.phase("long", at: 0.01)
    for second in 1...3600 { process.memory(second == 7 ? 900 : 200, at: Double(second)) }
    process.phase("next", at: 3600.5)
    for second in 3601...3607 { process.memory(101, at: Double(second)) }
    let visit = try #require(process.visits("long").first)
    #expect(visit.enteredBytes == 100 * bytesPerMiB)
    #expect(visit.peakBytes == 900 * bytesPerMiB)
    #expect(visit.leftBytes == 200 * bytesPerMiB)
    #expect(visit.settledBytes == 101 * bytesPerMiB)
  }

  @Test func `a visit without a reading after it has not settled, and no verdict is based on it`()
    throws
  {
    var process = MadeUpProcess()
    process.memory(100, at: 0.5)
    process.phase("a", at: 1)
    process.memory(150, at: 2)
    process.phase("b", at: 2.5)
    process.phase("c", at: 2.6)
    process.memory(100, at: 3)
    let visit = try #require(process.visits("a").first)
    #expect(!visit.hasSettled)
    #expect(process.index(of: "a").map { process.run.phases[$0].settledVisits } == 0)
    #expect(process.verdict("a") == .unknown(visitsNeeded: 2))
  }

  @Test func `a visit that has ended and settles is not asked for again`() {
    var process = MadeUpProcess()
    process.memory(100, at: 0.5)
    for (name, second) in [("a", 1.0), ("b", 2), ("a", 3), ("b", 4), ("a", 5)] {
      process.phase(name, at: second)
      process.memory(100, at: second + 0.5)
    }
    #expect(process.verdict("a") == .unknown(visitsNeeded: 1))
    process.phase("b", at: 6)
    process.memory(100, at: 6.5)
    #expect(process.verdict("a") == .unknown(visitsNeeded: 0))
    for second in 7...12 { process.memory(100, at: Double(second)) }
    #expect(process.verdict("a") == .steady)
  }

  @Test func `the end of the process ends its phase`() {
    var process = oneVisit()
    process.read(at: 8.3) { $0.hasEnded = true }
    process.phase("late", at: 8.25)
    #expect(process.run.phases.current == nil)
    #expect(process.visits("gallery").first?.hasSettled == true)
    #expect(process.visits("canvas").first?.hasSettled == false)
    #expect(process.run.latest?.phase == nil)
  }

  @Test func `readings of two processes are not compared`() {
    var process = oneVisit()
    process.memory(111, at: 8.3)
    process.sample.pid += 1
    process.memory(10, at: 8.4)
    process.phase("gallery", at: 9)
    process.memory(20, at: 10)
    process.phase("end", at: 11)
    process.memory(10, at: 12)
    process.memory(10, at: 17)
    let visits = process.visits("gallery")
    #expect(visits.map(\.isWarmUp) == [true, true])
    #expect(visits.map(\.process) == [0, 1])
    #expect(visits.last?.enteredBytes == 10 * bytesPerMiB)
    // The visit in which the process was replaced says nothing.
    #expect(process.visits("canvas").first?.baselineBytes == nil)
    #expect(process.visits("canvas").first?.hasSettled == false)
  }

  @Test func `of 100 names the last 64 have a place, and the graph knows that the others had none`()
  {
    var process = MadeUpProcess()
    for number in 0..<100 {
      let time = Double(number * 10)
      process.phase("phase \(number)", at: time)
      process.memory(1, at: time + 1)
      process.memory(1, at: time + 8)
    }
    let phases = process.run.phases
    #expect(phases.count == 64)
    #expect(phases.forgottenNames == 36)
    #expect(process.index(of: "phase 35") == nil)
    #expect(process.index(of: "phase 36") != nil)
    #expect(phases.index(at: MadeUpProcess.time(5)) == PhaseTracker.otherIndex)
    #expect(
      phases.index(at: MadeUpProcess.time(995)).map(Int.init) == process.index(of: "phase 99"))
    #expect(process.run.latest?.phase?.name.text == "phase 99")
  }

  @Test func `visits, time and peak of 500 names in three rounds are right, also of replaced ones`()
  {
    var process = MadeUpProcess()
    for round in 0..<3 {
      for number in 0..<500 {
        let time = Double((round * 500 + number) * 10)
        process.phase("phase \(number)", at: time)
        process.memory(Double(number + (round == 1 ? 100 : 0)), at: time + 1)
        process.memory(1, at: time + 8)
      }
    }
    process.phase("end", at: 15_000)
    process.memory(1, at: 15_001)
    process.memory(1, at: 15_008)
    let phases = process.run.phases
    for number in 0..<500 {
      let name = Event.Name("phase \(number)")
      let peak = Double(number + 100) * bytesPerMiB
      guard let index = process.index(of: "phase \(number)") else {
        let replaced = phases.replaced(name)
        #expect(replaced?.visits == 3 && replaced?.peakBytes == peak, "\(number)")
        continue
      }
      #expect(phases[index].visits == 3 && phases.peakBytes(index) == peak, "\(number)")
      #expect(phases.seconds(index, asOf: MadeUpProcess.time(15_010)) == 30, "\(number)")
      #expect(!phases.visitsAreLowerBound(index) && phases.replaced(name) == nil)
    }
    #expect(phases.replaced(Event.Name("unknown")) == nil)
  }

  @Test func `of more names than are counted the visits are a lower bound`() throws {
    var process = MadeUpProcess()
    for number in 0...DistinctNames.capacity { process.phase("p\(number)", at: Double(number)) }
    let phases = process.run.phases
    let last = try #require(process.index(of: "p\(DistinctNames.capacity)"))
    let before = try #require(process.index(of: "p\(DistinctNames.capacity - 1)"))
    #expect(phases.visitsAreLowerBound(last) && !phases.visitsAreLowerBound(before))
  }

  @Test func `all visits are kept where that is asked for, but for names that are forgotten`() {
    var process = MadeUpProcess()
    #expect(process.run.phases.everyVisit.isEmpty)
    process.run.keepVisits()
    for number in 0..<40 {
      process.phase(number % 2 == 0 ? "a" : "b", at: Double(number))
      process.memory(1, at: Double(number) + 0.5)
    }
    // The last two have not settled.
    #expect(process.run.phases.everyVisit.map(\.phase) == (0..<38).map { PhaseIndex($0 % 2) })
    for number in 0..<70 {
      process.phase("phase \(number)", at: 50 + Double(number * 10))
      process.memory(1, at: 51 + Double(number * 10))
      process.memory(1, at: 58 + Double(number * 10))
    }
    let names = Set(
      process.run.phases.everyVisit.map { process.run.phases[Int($0.phase)].name.text })
    #expect(names.count == 64 || names.count == 63)
    #expect(!names.contains("a") && !names.contains("b") && names.contains("phase 68"))
  }

  @Test func `without a reading of memory there are phases all the same`() {
    var process = MadeUpProcess()
    for number in 0..<200 { process.phase(number % 2 == 0 ? "a" : "b", at: Double(number)) }
    #expect(process.run.phases.current?.name.text == "b")
    #expect(process.run.phases[0].visits == 100)
    #expect(process.run.phases.seconds(0, asOf: MadeUpProcess.time(200)) == 100)
    #expect(process.verdict("a") == .unknown(visitsNeeded: 2))
  }

  // MARK: The graph

  @Test func `a column has the phase that covers most of it`() {
    var process = MadeUpProcess()
    for (name, seconds) in [("a", 10.0), ("b", 14), ("a", 15), ("c", 18)] {
      process.phase(name, at: seconds)
    }
    let phases = process.run.phases
    func column(_ from: Double, _ to: Double) -> PhaseIndex? {
      phases.index(from: MadeUpProcess.time(from), to: MadeUpProcess.time(to))
    }
    #expect(column(0, 10) == nil)
    #expect(column(0, 11) == nil)
    #expect(column(8, 13) == 0)
    #expect(column(11, 12) == 0)
    #expect(column(13.5, 15) == 1)
    #expect(column(13, 16) == 0)
    #expect(column(10, 20) == 0)
    #expect(column(16, 30) == 2)
    #expect(column(90, 99) == 2)
    #expect(column(20, 20) == nil)
    var borders: [Instant] = []
    phases.forEachBorder(from: MadeUpProcess.time(10), to: MadeUpProcess.time(15)) { time, _ in
      borders.append(time)
    }
    #expect(borders == [MadeUpProcess.time(14), MadeUpProcess.time(15)])
  }

  @Test func `after 100 000 borders in a day the distant past is coarser and the last hour exact`()
  {
    var process = MadeUpProcess()
    let gap = 0.864
    // Of each pair the first lasts three times as long.
    for number in 0..<50_000 {
      process.phase("long", at: Double(number) * 2 * gap)
      process.phase("short", at: Double(number) * 2 * gap + 1.5 * gap)
    }
    let phases = process.run.phases
    let long = process.index(of: "long").map { PhaseIndex($0) }
    let short = process.index(of: "short").map { PhaseIndex($0) }
    for number in 49_800..<50_000 {
      let time = Double(number) * 2 * gap
      #expect(phases.index(at: MadeUpProcess.time(time + 0.1)) == long)
      #expect(phases.index(at: MadeUpProcess.time(time + 1.6 * gap)) == short)
    }
    for minute in stride(from: 0, to: 1200, by: 20) {
      let from = MadeUpProcess.time(Double(minute) * 60)
      #expect(phases.index(from: from, to: from.advanced(bySeconds: 1200)) == long)
    }
  }
}
