import PerfHUDBase
import PerfHUDEvents
import Sampler
import TestSupport
import Testing

@testable import Metrics

@Suite struct KeptMemoryAttributionTests {
  private let three = [("A", 20.0), ("B", 30.0), ("C", 0.0)]

  @Test func `a phase that begins before the first sample has the program's own reading`() {
    var program = ReportingProcess(hasSampleBefore: false)
    for _ in 0..<4 {
      program.phase("A")
      program.take(10)
      program.dwell(0.2)
      program.phase("B")
      program.dwell(0.2)
    }
    program.phase("end")
    program.dwell(6)
    let kept = program.process.kept("A")
    #expect(kept.count == 4 && kept.allSatisfy { ($0 - 10).magnitude < 0.01 }, "\(kept)")
  }

  @Test(arguments: [0.05, 0.5], [false, true])
  func `phases that leak nothing keep nothing, whenever they release`(
    dwell: Double, releasesBefore: Bool
  ) {
    let process = ReportingProcess.turns(
      three, leaks: [:], rounds: 9, dwell: dwell, releasesBefore: releasesBefore)
    for phase in ["A", "B", "C"] {
      #expect(process.verdict(phase)?.isGrowth == false, "\(phase)")
      #expect(process.kept(phase).dropFirst().allSatisfy { $0.magnitude < 0.1 })
    }
  }

  @Test(arguments: [0.05, 0.5], [false, true])
  func `the phase that leaks is named and no other`(dwell: Double, releasesBefore: Bool) {
    for (guilty, amount) in [("A", 6.0), ("B", 12.0), ("C", 3.0)] {
      let process = ReportingProcess.turns(
        three, leaks: [guilty: amount], rounds: 9, dwell: dwell, releasesBefore: releasesBefore)
      for phase in ["A", "B", "C"] {
        #expect(
          process.keepsAlone(phase) == (phase == guilty ? amount : nil), "\(guilty): \(phase)")
      }
    }
  }

  /// What `canvas` takes may also be what `gallery` frees when it begins, and then keeps.
  @Test func `two phases that leak are both named, one perhaps in place of the other`() {
    let process = ReportingProcess.turns(
      [("gallery", 24), ("canvas", 0)], leaks: ["gallery": 5, "canvas": 6], rounds: 8,
      releasesBefore: true)
    #expect(process.keepsAlone("gallery") == 5)
    guard case .either(let bytes, .some)? = process.verdict("canvas") else {
      Issue.record("\(String(describing: process.verdict("canvas")))")
      return
    }
    #expect((bytes / bytesPerMiB).rounded() == 6)
  }

  @Test func `two phases that leak and free nothing are named alone`() {
    let process = ReportingProcess.turns(
      [("gallery", 0), ("canvas", 0)], leaks: ["gallery": 5, "canvas": 6], rounds: 8,
      releasesBefore: true)
    #expect(process.keepsAlone("gallery") == 5)
    #expect(process.keepsAlone("canvas") == 6)
  }

  /// `gallery` frees what it took, but its allocator keeps that; `canvas` then takes 12 MiB of it for good, so that
  /// only `gallery` makes the process grow.
  @Test
  func `memory that is kept out of what the allocator holds is kept by the phase that takes it`() {
    var program = ReportingProcess()
    var held = 0.0
    for _ in 0..<6 {
      for (name, amount, isFreed) in [
        ("canvas", 12.0, false), ("gallery", 30, true), ("menu", 0, true),
      ] {
        program.phase(name)
        let reused = min(held, amount)
        program.take(amount - reused)
        held -= reused
        program.dwell(0.3)
        if isFreed { held += amount }
        program.allocatorHolds(held)
      }
    }
    program.phase("end")
    program.dwell(6)
    #expect(program.process.keepsAlone("canvas") == 12)
    #expect(program.process.verdict("gallery")?.isGrowth == false)
    #expect(program.process.verdict("menu")?.isGrowth == false)
  }

  @Test func `without page faults a release that is hidden by what is taken makes two suspects`() {
    let process = ReportingProcess.turns(three, leaks: ["B": 12], rounds: 9, reportsFaults: false)
    guard case .either(_, let first?)? = process.verdict("A"),
      case .either(_, let second?)? = process.verdict("B")
    else {
      Issue.record("\(String(describing: process.verdict("A")))")
      return
    }
    #expect(Int(first) == process.index(of: "B") && Int(second) == process.index(of: "A"))
    #expect(process.verdict("C")?.isGrowth == false)
    let notices = process.run.noticeList.all.filter { $0.kind == .phaseGrows }
    #expect(notices.count == 1 && notices.first?.verdict?.otherPhase != nil)
  }

  @Test func `faults that bring many pages each are not counted`() {
    var program = ReportingProcess()
    for _ in 0..<8 {
      program.phase("gallery")
      program.takeHugePages(6)
      program.dwell(0.3)
      program.phase("canvas")
      program.dwell(0.3)
    }
    #expect(program.process.keepsAlone("gallery") == 6)
  }

  @Test func `what a visit takes and releases before it is left is its own`() {
    var program = ReportingProcess()
    for _ in 0..<4 {
      program.phase("gallery")
      // What the page tables of the canvas took is seen late.
      program.release(0.2)
      program.dwell(1.2)
      program.phase("canvas")
      program.take(0.2)
      for _ in 0..<12 {
        program.take(4)
        program.dwell(0.12)
      }
      program.take(12)
      program.release(48)
    }
    program.phase("gallery")
    program.dwell(1.2)
    #expect(program.process.keepsAlone("canvas") == 12)
  }

  @Test func `a border is what the program reported, not the sample before it`() throws {
    var program = ReportingProcess()
    program.phase("gallery")
    program.take(24)
    program.dwell(0.35)
    program.release(24)
    program.phase("canvas")
    program.take(6)
    program.dwell(0.35)
    program.phase("end")
    program.dwell(6)
    let gallery = try #require(program.process.visits("gallery").first)
    #expect(gallery.leftBytes == 100 * bytesPerMiB)
    #expect(gallery.peakBytes == 124 * bytesPerMiB)
    #expect(gallery.netBytes == 0 && gallery.releasedBytes == Float(24 * bytesPerMiB))
    let canvas = try #require(program.process.visits("canvas").first)
    #expect(canvas.enteredBytes == 100 * bytesPerMiB)
    #expect(canvas.keptBytes == 6 * bytesPerMiB)
  }

  /// Memory that perfhud has read between two samples.
  private func read(_ process: inout MadeUpProcess, _ mebibytes: Double, at seconds: Double) {
    var reading = MemorySample()
    reading.time = MadeUpProcess.time(seconds)
    reading.anonymousBytes = UInt64(mebibytes * bytesPerMiB)
    reading.residentBytes = reading.anonymousBytes
    process.run.apply(.memory(reading))
  }

  @Test func `memory read when a phase may begin is what the phase begins with`() throws {
    var process = MadeUpProcess()
    process.memory(100, at: 0.9)
    process.phase("gallery", at: 1)
    process.memory(130, at: 1.4)
    process.run.apply(.phasePending(MadeUpProcess.time(1.5)))
    #expect(process.run.memoryRequest.border == MadeUpProcess.time(1.5))
    read(&process, 128, at: 1.5002)
    #expect(process.run.memoryRequest.border == nil)
    process.memory(90, at: 1.6)
    process.phase("canvas", at: 1.5)
    #expect(process.run.memoryRequest.border == nil)
    for tenth in 17..<60 { process.memory(90, at: Double(tenth) / 10) }
    process.phase("end", at: 6)
    for second in 7..<14 { process.memory(90, at: Double(second)) }
    #expect(try #require(process.visits("gallery").first).leftBytes == 128 * bytesPerMiB)
    #expect(try #require(process.visits("canvas").first).enteredBytes == 128 * bytesPerMiB)
  }

  @Test func `one reading after a release among others before it blames no phase alone`() {
    var process = MadeUpProcess()
    var level = 100.0
    var held = 0.0
    var time = 1.0
    for visit in 0..<8 {
      for (index, phase) in [("A", 20.0, 0.0), ("B", 30, 12), ("C", 0, 0)].enumerated() {
        process.memory(level, at: time - 0.05)
        process.phase(phase.0, at: time)
        let isReleased = visit == 5 && index == 2
        read(&process, isReleased ? level - held : level, at: time + 0.0003)
        level += phase.1 + phase.2 - held
        held = phase.1
        for tenth in 1..<10 { process.memory(level, at: time + Double(tenth) / 10) }
        time += 1
      }
    }
    process.phase("end", at: time)
    for second in 1..<8 { process.memory(level, at: time + Double(second)) }
    for name in ["A", "B", "C"] {
      guard case .keeps(let bytes, _)? = process.verdict(name) else { continue }
      Issue.record("\(name) is said to keep \(bytes) bytes")
    }
  }

  @Test func `a reading that comes late makes both phases suspects`() {
    func run(delay: Double) -> MadeUpProcess {
      var process = MadeUpProcess()
      var level = 100.0
      for visit in 0..<6 {
        let start = 1 + 2 * Double(visit)
        process.memory(level, at: start - 0.05)
        process.phase("gallery", at: start)
        read(&process, level, at: start + 0.0005)
        for tenth in 1..<10 { process.memory(level, at: start + Double(tenth) / 10) }
        process.phase("canvas", at: start + 1)
        level += 6
        read(&process, level, at: start + 1 + delay)
        for tenth in 1..<10 { process.memory(level, at: start + 1 + Double(tenth) / 10) }
      }
      process.phase("end", at: 13)
      process.memory(level, at: 20)
      return process
    }
    let late = run(delay: 0.02)
    guard case .either? = late.verdict("canvas"), case .either? = late.verdict("gallery") else {
      Issue.record("\(String(describing: late.verdict("canvas")))")
      return
    }
  }

  @Test func `what a program releases as it ends settles no visit`() {
    var process = MadeUpProcess()
    for visit in 0..<4 {
      let start = 1 + 2 * Double(visit)
      process.phase("gallery", at: start)
      process.memory(100 + 12 * Double(visit + 1), at: start + 0.5)
      process.phase("canvas", at: start + 1)
      process.memory(100 + 12 * Double(visit + 1), at: start + 1.5)
    }
    process.phase("end", at: 9)
    process.memory(20, at: 9.05)
    process.read(at: 9.1) { $0.hasEnded = true }
    #expect(process.keepsAlone("gallery") == 12)
    #expect(process.visits("canvas").last?.hasSettled == false)
  }
}

@Suite struct LevelTrendTests {
  private func trend(_ levels: [Double]) -> SettledMemoryTrend {
    var trend = SettledMemoryTrend()
    for level in levels { trend.add(level * bytesPerMiB) }
    return trend
  }

  @Test func `200 KiB a visit over 40 visits is a rise, with its error`() throws {
    var random = SeededRandom(seed: 3)
    let levels = (0..<40).map {
      100 + 0.2 * Double($0) + Double.random(in: -0.3...0.3, using: &random)
    }
    let slope = try #require(trend(levels).rise)
    #expect((slope.bytesPerVisit / bytesPerMiB - 0.2).magnitude < 4 * slope.error / bytesPerMiB)
    #expect(slope.error < 0.02 * bytesPerMiB)
  }

  @Test(arguments: 0..<200) func `noise of 20 MiB is no rise`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    #expect(trend((0..<60).map { _ in Double.random(in: 80...120, using: &random) }).rise == nil)
  }

  @Test func `a sawtooth is no rise once it has fallen`() {
    #expect(trend((0..<60).map { 100 + 4 * Double($0 % 10) }).rise == nil)
    #expect(trend((0..<41).map { 100 + 2 * Double($0 % 20) }).rise == nil)
  }

  @Test func `a cache that is full grows no more`() {
    #expect(trend((0..<20).map { 100 + 5 * Double(min($0, 8)) }).rise == nil)
    #expect(trend((0..<100).map { 100 + 5 * Double(min($0, 60)) }).rise == nil)
  }

  @Test func `of 10 000 visits the groups keep the line`() throws {
    let slope = try #require(trend((0..<10_000).map { 100 + 0.01 * Double($0) }).rise)
    #expect((slope.bytesPerVisit / bytesPerMiB - 0.01).magnitude < 1e-6)
  }
}
