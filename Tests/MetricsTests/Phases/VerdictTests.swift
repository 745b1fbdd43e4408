import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import Metrics

@Suite struct VerdictTests {
  /// Visits that keep these MiB and take 50 each.
  private func visits(_ kept: [Double], taken: Double = 50) -> [Visit] {
    var level = 100.0
    return kept.enumerated().map { number, kept in
      var visit = Visit(phase: 0, entered: MadeUpProcess.time(Double(number) * 10))
      visit.left = MadeUpProcess.time(Double(number) * 10 + 5)
      visit.baselineBytes = level * bytesPerMiB
      visit.enteredBytes = visit.baselineBytes
      visit.peakBytes = (level + taken) * bytesPerMiB
      visit.leftBytes = visit.peakBytes
      visit.takenBytes = taken * bytesPerMiB
      level += kept
      visit.settledBytes = level * bytesPerMiB
      visit.isWarmUp = number == 0
      visit.hasSettled = true
      return visit
    }
  }

  private func list(_ kept: [Double], taken: Double = 50) -> VisitList {
    VisitList(visits(kept, taken: taken))
  }

  private func step(_ verdict: Verdict?) -> Double? {
    guard case .keeps(let bytes, _) = verdict else { return nil }
    return bytes / bytesPerMiB
  }

  private func isClose(_ value: Double?, _ expected: Double, within tolerance: Double = 1e-6)
    -> Bool
  {
    value.map { ($0 - expected).magnitude <= tolerance } ?? false
  }

  // MARK: Made-up visits

  @Test func `the verdict needs a warm-up and two more visits, and says how many are missing`() {
    #expect(Verdict(list([])) == .unknown(visitsNeeded: 3))
    #expect(Verdict(list([30])) == .unknown(visitsNeeded: 2))
    #expect(Verdict(list([30, 0])) == .unknown(visitsNeeded: 1))
    #expect(Verdict(list([30, 0, 0])) == .released(percent: 100))
    #expect("\(Verdict.released(percent: 100).shortestText(.english))" == "freed 100 %")
  }

  @Test func `what the first visit keeps is no growth`() {
    #expect(Verdict(list([80, 0.25, -0.25, 0.5], taken: 100)) == .released(percent: 99.75))
  }

  @Test func `visits that each keep 12 MiB grow by 12 MiB`() {
    #expect(step(Verdict(list([40, 12, 12]))) == 12)
    #expect(step(Verdict(list([0, 12, 12, 12, 12, 12, 12, 12, 12, 12]))) == 12)
    #expect(isClose(step(Verdict(list([40, 11, 12.5, 12]))), 12))
  }

  @Test func `two visits that both grow, but not alike, need a third one`() {
    #expect(Verdict(list([30, 8, 20])) == .unknown(visitsNeeded: 1))
    #expect(Verdict(list([30, 20, 8])) == .unknown(visitsNeeded: 1))
    #expect(step(Verdict(list([30, 8, 20, 9]))) == 9)
    #expect(Verdict(list([30, 20, 8, 0])) == .released(percent: 84))
    #expect(Verdict(list([30, 0, 20])) == .released(percent: 80))
  }

  @Test func `what the allocator holds of it is held, and the rest still grows`() {
    func verdict(_ kept: [Double], held: [Double]) -> Verdict {
      var visits = self.visits(kept)
      var retained = 20.0
      for index in visits.indices {
        retained += held[index]
        visits[index].retainedBytes = retained * bytesPerMiB
        visits[index].heldBytes = held[index] * bytesPerMiB
      }
      return Verdict(VisitList(visits))
    }
    let all = [40.0, 12, 12, 12]
    #expect(verdict(all, held: all) == .held(bytesPerVisit: 12 * bytesPerMiB))
    #expect(!verdict(all, held: all).mayBeAllocator)
    #expect(step(verdict(all, held: [40, 0, 0, 0])) == 12)
    #expect(step(verdict(all, held: [40, 7, 7, 7])) == 5)
    // It takes what the allocator has, so that the process does not grow, but the program does.
    #expect(step(verdict([0, 0, 0, 0], held: [-4, -4, -4, -4])) == 4)
    #expect(verdict([40, 0, 0, 0], held: [0, 0, 0, 0]) == .released(percent: 100))
    // Without a word on one visit nothing can be said of all.
    var visits = self.visits(all)
    for index in visits.indices.dropLast() { visits[index].heldBytes = 12 * bytesPerMiB }
    #expect(step(Verdict(VisitList(visits))) == 12)
  }

  @Test func `two visits that are not alike do not agree, three that all grow do`() {
    #expect(step(Verdict(list([0, 3, 12]))) == nil)
    #expect(isClose(step(Verdict(list([0, 3, 12, 5]))), 5))
  }

  @Test func `a leak that has stopped is growth no more`() {
    #expect(step(Verdict(list([0, 12, 12, 12]))) == 12)
    #expect(step(Verdict(list([0, 12, 12, 12, 0]))) == nil)
    #expect(Verdict(list([0, 12, 12, 12, 0, 0, 0, 0, 0, 0])) == .released(percent: 100))
  }

  @Test func `a leak that starts late is seen after three visits`() {
    #expect(step(Verdict(list([0, 0, 0, 0, 12, 12]))) == nil)
    #expect(step(Verdict(list([0, 0, 0, 0, 12, 12, 12]))) == 12)
  }

  @Test func `growth within the noise of an allocator is none, unless it goes on`() {
    #expect(step(Verdict(list([0, 0.9, 0.9, 0.9]))) == nil)
    #expect(isClose(step(Verdict(list([0, 0.6, 0.6, 0.6, 0.6, 0.6]))), 0.6))
    // One per cent of what is taken: 5 MiB of 500.
    #expect(step(Verdict(list([0, 4, 4, 4], taken: 500))) == nil)
    #expect(isClose(step(Verdict(list([0, 6, 6, 6], taken: 500))), 6))
  }

  @Test func `levels that go up and down are no growth`() {
    #expect(step(Verdict(list([0, -20, 6, 6, 6]))) == nil)
    #expect(step(Verdict(list([0, 8, -8, 8, -8, 8]))) == nil)
  }

  @Test func `of 1000 levels that wander by themselves fewer than 5 % are called growth`() {
    // Independent levels, as of a collector that stops at an arbitrary point of its cycle.
    var random = SeededRandom(seed: 7)
    var growing = 0
    for _ in 0..<1000 {
      var level = 0.0
      var kept: [Double] = []
      for _ in 0..<9 {
        let next = Double.random(in: 0...40, using: &random)
        kept.append(next - level)
        level = next
      }
      if step(Verdict(list(kept))) != nil { growing += 1 }
    }
    #expect(growing < 50, "\(growing)")
  }

  @Test func `what stays after a visit and does not add up is no growth`() {
    // The next phase releases it each time.
    var list = visits([0, 0, 0, 0])
    for index in list.indices {
      list[index].settledBytes = 130 * bytesPerMiB
      list[index].baselineBytes = 100 * bytesPerMiB
    }
    #expect(Verdict(VisitList(list)) == .released(percent: 40))
  }

  @Test func `a phase that takes nothing is steady`() {
    #expect(Verdict(list([5, 0, 0.1, -0.1], taken: 0.5)) == .steady)
    #expect(!Verdict.steady.mayBeAllocator)
  }

  @Test func `visits of another process do not count`() {
    var list = visits([0, 12, 12, 12, 12])
    list[4].process = 1
    list[4].isWarmUp = true
    #expect(Verdict(VisitList(list)) == .unknown(visitsNeeded: 2))
  }

  @Test func `the words hold the value, in both languages, and fit`() {
    let verdicts: [(Verdict, String, String)] = [
      (.unknown(visitsNeeded: 3), "needs 3 more visits", "あと3回の表示が必要"),
      (.unknown(visitsNeeded: 1), "needs 1 more visit", "あと1回の表示が必要"),
      (.unknown(visitsNeeded: 0), "still measuring", "測定中"),
      (.steady, "steady", "安定"), (.released(percent: 0.4), "steady now", "増加停止"),
      (.released(percent: 94), "released 94 %", "94 % 解放"),
      (
        .keeps(bytesPerVisit: 12 * bytesPerMiB), "keeps 12.00 MiB a visit", "表示ごとに 12.00 MiB 残留"
      ),
      (
        .keeps(bytesPerVisit: 2 * bytesPerMiB, orMore: true), "keeps 2.000 MiB a visit or more",
        "表示ごとに 2.000 MiB 以上残留"
      ),
    ]
    for (verdict, english, japanese) in verdicts {
      #expect(verdict.text(.english).description == english)
      #expect(verdict.text(.japanese).description == japanese)
    }
    #expect(Verdict.unknown(visitsNeeded: 0).shortText(.english).description == "measuring")
    let least = Verdict.keeps(bytesPerVisit: 2 * bytesPerMiB, orMore: true)
    #expect(least.shortText(.english).description == "keeps 2.000 MiB+")
    #expect(Verdict.unknown(visitsNeeded: 1).shortText(.english).description == "1 more visit")
    #expect(Verdict.unknown(visitsNeeded: 2).shortText(.english).description == "2 more visits")
    let shared = Verdict.either(bytesPerVisit: 6 * bytesPerMiB, with: 1)
    let gallery = Event.Name("gallery")
    #expect(
      shared.text(.english, other: gallery).description
        == "keeps 6.000 MiB a visit, or gallery does")
    #expect(shared.text(.japanese, other: gallery).description == "表示ごとに 6.000 MiB 残留、または gallery")
    let hidden = Verdict.hidden(behind: 1)
    #expect(hidden.text(.english, other: gallery).description == "not known: see gallery")
    #expect(hidden.text(.japanese, other: gallery).description == "判定不能（gallery を参照）")
    #expect(hidden.shortText(.english).description == "not known")
    #expect(!hidden.isGrowth && !hidden.mayBeAllocator)
  }

  // MARK: Whole histories

  @Test func `a phase that gives everything back half a second later has released 100 %`() throws {
    let process = TwoPhases().run(rounds: 4)
    #expect(process.verdict("gallery") == .released(percent: 100))
    // And the canvas, which was entered before that, has not given it back in its place.
    #expect(process.verdict("canvas") == .steady)
  }

  @Test func `a leak of the gallery is that of the gallery alone`() {
    let process = TwoPhases(galleryLeaks: { $0 == 0 ? 40 : 12 }).run(rounds: 5)
    #expect(isClose(step(process.verdict("gallery")), 12, within: 0.2))
    #expect(process.verdict("canvas") == .steady)
    let ranked = process.run.phases.ranking.map { process.run.phases[$0].name.text }
    #expect(ranked.first == "gallery")
  }

  @Test func `a leak of the canvas is not blamed on the gallery`() {
    let process = TwoPhases(canvasTakes: 30, canvasLeaks: { _ in 12 }).run(rounds: 5)
    #expect(isClose(step(process.verdict("canvas")), 12, within: 0.8))
    #expect(step(process.verdict("gallery")) == nil)
    #expect(process.run.phases.ranking.first == process.index(of: "canvas"))
  }

  @Test func `what the phases kept adds up to what the process grew by`() {
    let process = TwoPhases(galleryLeaks: { _ in 7 }, canvasLeaks: { _ in 5 }).run(rounds: 6)
    let sum = process.kept("gallery").reduce(0, +) + process.kept("canvas").reduce(0, +)
    #expect(isClose(sum, 6 * 12, within: 0.7))
  }

  @Test(arguments: 0..<20) func `noise of 2 MiB neither hides nor makes a leak of 12 MiB`(
    seed: UInt64
  ) {
    let noise: (inout SeededRandom) -> Double = { Double.random(in: -1...1, using: &$0) }
    let leaking = TwoPhases(galleryLeaks: { _ in 12 }, noise: noise).run(rounds: 6, seed: seed)
    #expect(isClose(step(leaking.verdict("gallery")), 12, within: 2.5))
    #expect(step(leaking.verdict("canvas")) == nil)
    let sound = TwoPhases(noise: noise).run(rounds: 6, seed: seed)
    #expect(step(sound.verdict("gallery")) == nil)
    #expect(step(sound.verdict("canvas")) == nil)
  }

  @Test func `a leak that stops after three visits is not growth at the sixth`() {
    let stopped = TwoPhases(galleryLeaks: { $0 < 3 ? 12 : 0 }).run(rounds: 6)
    #expect(step(stopped.verdict("gallery")) == nil)
    let going = TwoPhases(galleryLeaks: { $0 < 3 ? 12 : 0 }).run(rounds: 3)
    #expect(isClose(step(going.verdict("gallery")), 12, within: 0.2))
  }

  @Test(arguments: [0, 0.3, 1, 3])
  func `a phase that takes its memory before the former gives its own back grows by nothing`(
    takeDelay: Double
  ) {
    let process = TwoPhases(canvasTakes: 30, takeDelay: takeDelay, releaseDelay: 2.5)
      .run(rounds: 5)
    #expect(step(process.verdict("gallery")) == nil)
    #expect(step(process.verdict("canvas")) == nil)
  }
}
