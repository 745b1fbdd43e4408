import TestSupport
import Testing

@testable import Metrics

/// Growth that more than one phase explains, or none that can be named.
@Suite struct UncertainGrowthTests {
  /// What a phase takes, hands on and leaks, in MiB. Several explanations have equally many parts.
  private struct Ambiguous: CustomTestStringConvertible, Sendable {
    var handsOn: [(name: String, takes: Double)]
    var leaks: [String: Double]
    var testDescription: String { "\(handsOn) \(leaks)" }
  }

  private static let ambiguous = [
    Ambiguous(handsOn: [("a", 4), ("b", 2)], leaks: ["a": 2]),
    Ambiguous(handsOn: [("a", 5), ("b", 0)], leaks: ["a": 3, "b": 2]),
    Ambiguous(handsOn: [("a", 4), ("b", 2)], leaks: ["a": 1.1, "b": 1.1]),
    Ambiguous(handsOn: [("a", 4), ("b", 2.3)], leaks: ["a": 1.5]),
    Ambiguous(handsOn: [("a", 8), ("b", 5)], leaks: ["a": 3]),
    Ambiguous(handsOn: [("a", 8), ("b", 5)], leaks: ["b": 2]),
  ]

  @Test(arguments: ambiguous, [0.05, 0.5])
  private func `a phase that leaks is named, perhaps with another one`(
    _ program: Ambiguous, dwell: Double
  ) {
    let process = ReportingProcess.turns(
      program.handsOn, leaks: program.leaks, rounds: 12, dwell: dwell)
    for phase in ["a", "b"] {
      let verdict = process.verdict(phase)
      if program.leaks[phase] != nil {
        #expect(verdict?.isGrowth == true, "\(phase): \(String(describing: verdict))")
      } else if case .keeps? = verdict {
        Issue.record("\(phase) is named alone: \(String(describing: verdict))")
      }
    }
  }

  /// Phases that free in the middle of each visit what they have taken, and the order of the visits.
  private struct Coincidence: CustomTestStringConvertible, Sendable {
    var order: String
    /// What each phase takes and frees again, and what it keeps, in MiB.
    var phases: [(name: Character, takes: Double, keeps: Double)]
    var testDescription: String { "\(order) \(phases)" }
  }

  private static func rounds(_ order: String, _ count: Int) -> String {
    String(repeating: order, count: count)
  }

  /// One phase keeps as much as another one takes and frees, or keeps only a small share of all growth, or has few
  /// visits.
  private static let coincidences = [
    Coincidence(
      order: rounds("abcd", 7), phases: [("a", 0, 2), ("b", 2, 2), ("c", 0, 0), ("d", 2, 2)]),
    Coincidence(order: rounds("abc", 5), phases: [("a", 10, 0), ("b", 0, 2), ("c", 2, 2)]),
    Coincidence(
      order: rounds("abcd", 5), phases: [("a", 2, 6), ("b", 10, 6), ("c", 10, 2), ("d", 5, 2)]),
    Coincidence(order: rounds("ab", 8), phases: [("a", 0, 2), ("b", 2, 2)]),
    Coincidence(order: rounds("ab", 8), phases: [("a", 0, 2), ("b", 2, 3)]),
    Coincidence(order: rounds("ab", 8), phases: [("a", 10, 2), ("b", 2, 6)]),
    Coincidence(order: rounds("ab", 8), phases: [("a", 0, 4), ("b", 4, 4)]),
    Coincidence(
      order: rounds("abcd", 8), phases: [("a", 5, 0), ("b", 5, 2), ("c", 0, 2), ("d", 0, 6)]),
    Coincidence(
      order: "dcadbcbdbcbadbadcbdb",
      phases: [("a", 2, 3), ("b", 5, 2), ("c", 2, 0), ("d", 2, 6)]),
  ]

  @Test(arguments: coincidences, [0.06, 0.25, 0.6])
  private func `no phase that keeps memory is said to release it, and none is blamed for another`(
    _ program: Coincidence, dwell: Double
  ) {
    var process = ReportingProcess()
    for visit in program.order {
      let phase = program.phases.first { $0.name == visit }!
      process.phase(String(visit))
      process.dwell(0.2 * dwell)
      process.take(phase.takes + phase.keeps)
      process.dwell(0.6 * dwell)
      process.release(phase.takes)
      process.dwell(0.2 * dwell)
    }
    process.phase("end")
    process.dwell(6)
    for phase in program.phases {
      let verdict = process.process.verdict(String(phase.name))
      switch verdict {
      case .keeps(let bytes, _)?:
        let kept = bytes / bytesPerMiB
        #expect((kept - phase.keeps).magnitude < 0.2, "\(phase.name): \(kept)")
      case .steady?, .released?:
        #expect(phase.keeps == 0, "\(phase.name): \(String(describing: verdict))")
      default: break
      }
    }
  }

  /// The worker of a program leaks in one of two phases. The program's own readings do not show in which.
  @Test(arguments: [0.03, 0.3])
  func `what another process keeps between two samples is no phase's alone`(dwell: Double) {
    var program = ReportingProcess()
    for _ in 0..<12 {
      program.phase("menu")
      program.dwell(dwell)
      program.phase("jobs")
      program.othersTake(4)
      program.dwell(dwell)
    }
    program.phase("end")
    program.dwell(6)
    for phase in ["menu", "jobs"] {
      if case .keeps? = program.process.verdict(phase) { Issue.record("\(phase) is named alone") }
    }
  }

  /// Ten short visits to `a`, which takes 8 MiB each time, and to `b`; then `end`.
  private func shortVisits(leakOfB: Double = 0) -> ReportingProcess {
    var program = ReportingProcess()
    for _ in 0..<10 {
      program.phase("a")
      program.take(8)
      program.dwell(0.02)
      program.phase("b")
      program.take(leakOfB)
      program.dwell(0.02)
    }
    program.phase("end")
    return program
  }

  /// A thread frees what a visit took half a second later.
  @Test(arguments: [(0.5, false), (7.0, true), (nil, true)] as [(Double?, Bool)])
  func `memory that is released soon after short visits is not said to be kept`(
    after: Double?, isKept: Bool
  ) {
    var program = shortVisits()
    if let after {
      program.dwell(after)
      program.release(80)
    }
    program.dwell(8)
    #expect(program.process.keepsAlone("a") == (isKept ? 8 : nil))
    if !isKept { #expect(program.process.verdict("a") == .hidden(behind: nil)) }
    #expect(program.process.verdict("b")?.isGrowth == false)
  }

  @Test func `what leaks beside memory that is released later is not said to be steady`() {
    var program = shortVisits(leakOfB: 2)
    program.dwell(0.5)
    program.release(80)
    program.dwell(3)
    #expect(program.process.verdict("b") != .steady)
    #expect(program.process.verdict("b") != .released(percent: 0))
    program.process.run.phases.end(at: MadeUpProcess.time(5))
    #expect(program.process.verdict("b") == .hidden(behind: nil))
  }

  /// Each of two phases leaks in every other visit.
  @Test(arguments: [0.005, 0.02, 0.3])
  func `growth is not counted twice`(dwell: Double) throws {
    var program = ReportingProcess()
    for round in 0..<24 {
      for (name, parity) in [("a", 1), ("b", 0)] {
        program.phase(name)
        if round % 2 == parity { program.take(2) }
        program.dwell(dwell)
      }
    }
    program.phase("end")
    program.dwell(6)
    let grows = ["a", "b"].map { program.process.verdict($0)?.bytesPerVisit ?? 0 }
    #expect(grows.reduce(0, +) < 2.1 * bytesPerMiB, "\(grows)")
    #expect(grows.reduce(0, +) > 1.9 * bytesPerMiB, "\(grows)")
  }
}
