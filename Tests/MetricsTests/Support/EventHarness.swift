import PerfHUDBase
import PerfHUDEvents
import Sampler
import TestSupport

@testable import Metrics

let bytesPerMiB = 1_048_576.0

extension MadeUpProcess {
  /// A process whose readings are one second apart on the grid.
  mutating func memory(_ mebibytes: Double, at seconds: Double) {
    read(at: seconds) { $0.anonymousBytes = .value(UInt64(mebibytes * bytesPerMiB)) }
  }

  mutating func report(
    _ kind: Event.Kind, _ name: String = "", at seconds: Double, count: UInt32 = 1,
    _ change: (inout Event) -> Void = { _ in }
  ) {
    var event = Event(kind)
    event.name = Event.Name(name)
    event.count = count
    change(&event)
    run.apply(.event(event, MadeUpProcess.time(seconds)))
  }

  mutating func phase(_ name: String, at seconds: Double) { report(.phase, name, at: seconds) }

  func index(of phase: String) -> Int? {
    (0..<run.phases.count).first { run.phases[$0].name.text == phase }
  }

  func visits(_ phase: String) -> [Visit] {
    index(of: phase).map { Array(run.phases.visits($0)) } ?? []
  }

  func verdict(_ phase: String) -> Verdict? { index(of: phase).map { run.phases.verdict($0) } }

  func kept(_ phase: String) -> [Double] {
    visits(phase).map { ($0.keptBytes ?? .nan) / bytesPerMiB }
  }
}

/// A program that goes to and fro between two phases, ten seconds in each, with a reading each 0.1 s.
struct TwoPhases {
  /// MiB at the start.
  var level = 100.0
  /// What each phase takes while it is open.
  var galleryTakes = 50.0
  var canvasTakes = 0.0
  /// What a visit leaves after, by the number of the round from 0.
  var galleryLeaks: (Int) -> Double = { _ in 0 }
  var canvasLeaks: (Int) -> Double = { _ in 0 }
  /// How long after it was entered a phase begins to take memory; it takes two seconds.
  var takeDelay = 1.0
  /// How long after its end a phase releases what it took.
  var releaseDelay = 0.5
  /// Noise of the allocator, added to each reading.
  var noise: (inout SeededRandom) -> Double = { _ in 0 }

  /// - Returns: the process after the last canvas and five seconds.
  func run(rounds: Int, seed: UInt64 = 1) -> MadeUpProcess {
    var process = MadeUpProcess()
    var random = SeededRandom(seed: seed)
    var level = level
    var time = 1.0
    process.memory(level, at: 0.5)
    func visit(_ name: String, takes: Double, leaks: Double, after former: Double) {
      process.phase(name, at: time)
      for tenth in 1...100 {
        let seconds = Double(tenth) / 10
        let rest = seconds < releaseDelay ? former : 0
        let own = takes * max(0, min(1, (seconds - takeDelay) / 2))
        let leak = leaks * seconds / 10
        process.memory(level + rest + own + leak + noise(&random), at: time + seconds)
      }
      level += leaks
      time += 10
    }
    for round in 0..<rounds {
      visit("gallery", takes: galleryTakes, leaks: galleryLeaks(round), after: canvasTakes)
      visit("canvas", takes: canvasTakes, leaks: canvasLeaks(round), after: galleryTakes)
    }
    process.phase("end", at: time)
    for tenth in 1...60 {
      let rest = tenth < Int(releaseDelay * 10) ? canvasTakes : 0
      process.memory(level + rest + noise(&random), at: time + Double(tenth) / 10)
    }
    return process
  }
}
