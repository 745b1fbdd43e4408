import PerfHUDBase
import Testing

@testable import Metrics

/// A program with made-up phases, and what each of them really keeps.
private struct RandomProgram {
  enum Release: CaseIterable { case before, afterwards, inside }

  struct Part {
    var name: String
    var seconds: Double
    /// What it takes and frees again, in MiB, and when.
    var work: Double
    var release: Release
    /// What it keeps, in MiB.
    var leak: Double
    /// By how much the work varies, as a share.
    var jitter: Double
  }

  enum Order: CaseIterable { case fixed, shuffled, random }

  var parts: [Part] = []
  var order = Order.fixed
  var visits = 0
  private var random: SeededRandom

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    func one<T>(of values: [T]) -> T { values.randomElement(using: &random)! }
    let count = one(of: [2, 3, 3, 4, 5])
    order = one(of: Order.allCases)
    var leaks = [Double](repeating: 0, count: count)
    for _ in 0..<one(of: [0, 1, 1, 1, 2]) {
      leaks[Int.random(in: 0..<count, using: &random)] = Double.random(in: 0.5...5, using: &random)
    }
    let varies = one(of: [false, false, true])
    for index in 0..<count {
      parts.append(
        Part(
          name: ["a", "b", "c", "d", "e"][index],
          seconds: Double.random(in: 0.05...0.4, using: &random),
          work: one(of: [0, 0.5, 2, 4, 8, 20]) * Double.random(in: 0.8...1.2, using: &random),
          release: one(of: Release.allCases), leak: leaks[index],
          jitter: varies ? one(of: [0, 0.1, 0.15]) : 0))
    }
    visits = count * Int.random(in: 8...16, using: &random)
    self.random = random
  }

  /// Whether one phase keeps as much as another frees: then both may be the cause.
  var hasEqualAmounts: Bool {
    parts.contains { leaking in
      parts.contains {
        leaking.leak > 0 && $0.work > 0 && (leaking.leak - $0.work).magnitude < 0.15 * $0.work + 0.1
      }
    }
  }

  /// - Parameter fromOutside: whether perfhud reads the memory of a border itself, a little late.
  mutating func run(fromOutside: Bool = false) -> MadeUpProcess {
    var program = ReportingProcess(readingDelays: fromOutside ? 50e-6...500e-6 : nil)
    var pending = 0.0
    var sequence: [Int] = []
    var last = -1
    for _ in 0..<visits {
      if order == .random {
        var next = last
        while next == last { next = Int.random(in: 0..<parts.count, using: &random) }
        sequence = [next]
      } else if sequence.isEmpty {
        sequence = Array(parts.indices)
        if order == .shuffled {
          sequence.shuffle(using: &random)
          if sequence[0] == last { sequence.swapAt(0, parts.count - 1) }
        }
      }
      let part = parts[sequence.removeFirst()]
      last = parts.firstIndex { $0.name == part.name }!
      program.phase(part.name)
      program.release(pending)
      pending = 0
      let work = part.work * (1 + Double.random(in: -1...1, using: &random) * part.jitter)
      program.take(work + part.leak)
      program.dwell(part.seconds / 2)
      if part.release == .inside { program.release(work) }
      program.dwell(part.seconds / 2)
      switch part.release {
      case .before: program.release(work)
      case .afterwards: pending = work
      case .inside: break
      }
    }
    program.phase("end")
    program.release(pending)
    program.dwell(6)
    return program.process
  }
}

/// Verdicts on programs that know their own truth.
@Suite struct RandomProgramTests {
  private struct Score {
    var right = 0
    var wrongPhase: [String] = []
    /// Two phases of which neither keeps memory.
    var wrongPair: [String] = []
    var wrongAmount = 0
    var unsure = 0
    /// Phases that keep memory and are said not to.
    var missed = 0
    /// Phases that keep nothing and are said to keep nothing, and those that are not.
    var cleared = 0
    var notCleared = 0

    mutating func add(
      _ part: RandomProgram.Part, _ verdict: Verdict, or other: RandomProgram.Part?, _ seed: UInt64
    ) {
      switch verdict {
      case .either where part.leak == 0 && other?.leak == 0:
        wrongPair.append("seed \(seed): \(part.name) or \(other?.name ?? "")")
      case .keeps(let bytes, _) where part.leak == 0:
        wrongPhase.append("seed \(seed): \(part.name) keeps \(bytes / bytesPerMiB) MiB")
      case .keeps(let bytes, _):
        let difference = (bytes / bytesPerMiB - part.leak).magnitude
        if difference > 0.3 * part.leak + 0.06 { wrongAmount += 1 } else { right += 1 }
      case .steady, .released: if part.leak > 0 { missed += 1 } else { cleared += 1 }
      case .either, .held, .hidden, .unknown:
        if part.leak > 0 { unsure += 1 } else { notCleared += 1 }
      }
    }
  }

  private func score(_ seeds: ClosedRange<UInt64>, fromOutside: Bool = false) -> Score {
    var score = Score()
    for seed in seeds {
      var program = RandomProgram(seed: seed)
      guard !program.hasEqualAmounts else { continue }
      let process = program.run(fromOutside: fromOutside)
      for part in program.parts {
        guard let verdict = process.verdict(part.name) else { continue }
        let other = verdict.otherPhase.flatMap { index in
          program.parts.first { $0.name == process.run.phases[Int(index)].name.text }
        }
        score.add(part, verdict, or: other, seed)
      }
    }
    return score
  }

  /// In one of the programs, two phases are named of which one takes as much as the other frees.
  @Test func `no phase that keeps nothing is blamed alone, and most that keep memory are`() {
    let score = score(1...150)
    #expect(score.wrongPhase.isEmpty && score.wrongPair.count <= 2, "\(score)")
    let leaks = score.right + score.wrongAmount + score.missed + score.unsure
    #expect(2 * score.right > leaks, "\(score)")
    #expect(20 * score.missed < leaks && 40 * score.wrongAmount < leaks, "\(score)")
  }

  @Test
  func `from outside, no phase that keeps nothing is blamed alone, and few that do are cleared`() {
    let score = score(1...150, fromOutside: true)
    #expect(score.wrongPhase.isEmpty && score.wrongPair.isEmpty, "\(score)")
    let leaks = score.right + score.wrongAmount + score.missed + score.unsure
    #expect(20 * score.missed < leaks && 4 * score.right > leaks, "\(score)")
    #expect(5 * score.cleared > 2 * (score.cleared + score.notCleared), "\(score)")
  }
}
