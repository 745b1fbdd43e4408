import PerfHUDBase
import PerfHUDEvents
import TestSupport
import Testing

@testable import Metrics

/// Verdicts on what the memory of real programs did: `Histories`, recorded by scripts/record-memory.py.
@Suite struct RecordedHistoryTests {
  /// - Parameter isListener: Whether the values of the program about its allocator are received.
  private func play(_ name: String, isListener: Bool = true) throws -> MadeUpProcess {
    let bytes = try readFile(Repository.path("Tests/MetricsTests/Histories/\(name).txt"))
    var process = MadeUpProcess()
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 2)
      guard words.first != "#", words.count == 3, let seconds = Double(words[1]) else { continue }
      if words[0] == "memory" {
        let size = try #require(UInt64(words[2]))
        process.read(at: seconds) { $0.anonymousBytes = .value(size) }
      } else if isListener || !words[2].hasPrefix("value ") {
        let text = Array(words[2].utf8)
        let event = try #require(try unsafe EventCodec.decode(text.span.bytes))
        process.run.apply(.event(event, MadeUpProcess.time(seconds)))
      }
    }
    let end = try #require(process.run.latest?.time)
    process.run.phases.end(at: end)
    return process
  }

  /// The growth of a visit in MiB; `nil` if it does not grow.
  private func growth(_ process: MadeUpProcess, _ phase: String) -> Double? {
    guard case .keeps(let bytes, _) = process.verdict(phase) else { return nil }
    return bytes / bytesPerMiB
  }

  private func isGivenBack(_ verdict: Verdict?) -> Bool {
    switch verdict {
    case .released(let percent): percent >= 90
    case .steady: true
    default: false
    }
  }

  @Test func `the caches that a Python program fills at the first visit are no growth`() throws {
    let process = try play("warmup")
    let visits = process.visits("report")
    #expect(visits.count == 5)
    let kept = process.kept("report")
    #expect((kept.first ?? 0) > 20 && kept.dropFirst().allSatisfy { $0 < 3 }, "\(kept)")
    #expect(isGivenBack(process.verdict("report")), "\(kept)")
    #expect(isGivenBack(process.verdict("menu")))
  }

  @Test func `an allocator that moves and keeps nothing is no growth`() throws {
    let process = try play("noise")
    #expect(process.visits("canvas").count == 5)
    #expect(isGivenBack(process.verdict("canvas")), "\(process.kept("canvas"))")
    #expect(isGivenBack(process.verdict("gallery")), "\(process.kept("gallery"))")
  }

  @Test func `a leak of 4 MiB a visit beside the same noise is detected, with its phase`() throws {
    let process = try play("leak")
    let step = try #require(growth(process, "canvas"), "\(process.kept("canvas"))")
    #expect(abs(step - 4) < 0.5)
    #expect(isGivenBack(process.verdict("gallery")), "\(process.kept("gallery"))")
  }

  @Test func `what one phase takes and another frees makes neither grow`() throws {
    let process = try play("overlap")
    for phase in ["canvas", "export", "gallery"] {
      #expect(growth(process, phase) == nil, "\(phase) \(process.kept(phase))")
    }
    // From the second gallery on the process has the same: glibc has raised its threshold for mapping, and
    // takes from its heap, and keeps there, what it had mapped and unmapped in the first round.
    let levels = process.visits("gallery").compactMap(\.leftBytes).dropFirst()
    #expect(levels.count == 4)
    #expect((levels.max() ?? 0) - (levels.min() ?? 0) < bytesPerMiB, "\(levels)")
  }

  @Test func `a phase without an end has its values and no verdict`() throws {
    let process = try play("endless")
    let visit = try #require(process.visits("load").first)
    #expect(process.verdict("load") == .unknown(visitsNeeded: 2))
    #expect((visit.takenBytes ?? 0) > 28 * bytesPerMiB)
    #expect(process.visits("load").count == 1 && !visit.hasSettled)
  }

  @Test func `what the program has freed and the allocator holds is distinguished from growth`()
    throws
  {
    let blind = try play("held", isListener: false)
    let step = try #require(growth(blind, "canvas"), "\(blind.kept("canvas"))")
    let process = try play("held")
    guard case .held(let bytes)? = process.verdict("canvas") else {
      Issue.record("\(String(describing: process.verdict("canvas"))) \(process.kept("canvas"))")
      return
    }
    #expect(bytes / bytesPerMiB == step && step > 10)
    #expect(process.run.noticeList.all.allSatisfy { $0.kind != .phaseGrows })
    #expect(blind.run.noticeList.all.contains { $0.kind == .phaseGrows })
  }

  /// The blocks between the holes stay: 0.8 MiB a visit, which is too little to be sure of after four visits.
  @Test func `what malloc_trim has released is no growth`() throws {
    let process = try play("trimmed")
    #expect(process.kept("canvas").allSatisfy { $0 < 1 }, "\(process.kept("canvas"))")
    #expect(process.verdict("canvas") == .hidden(behind: nil))
    #expect(isGivenBack(process.verdict("gallery")))
  }
}
