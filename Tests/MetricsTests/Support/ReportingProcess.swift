import PerfHUDBase
import PerfHUDEvents
import Sampler

/// A program that reports its memory with each phase, and samples 100 ms apart that see none of what happens
/// at a border.
struct ReportingProcess {
  var process = MadeUpProcess()
  /// MiB that the program holds, and that it has ever faulted in.
  private var level = 100.0
  private var faulted = 500.0
  /// MiB that another process of the target has.
  private var others = 0.0
  private var time = 1.0
  private let reportsFaults: Bool
  /// Seconds from a border to the reading of it from outside; empty if the program reports its memory.
  private let readingDelays: ClosedRange<Double>?
  /// Seconds until that reading.
  private var untilReading: Double?
  private var random = SeededRandom(seed: 1)

  /// - Parameter readingDelays: how many seconds after a border its memory is read from outside; `nil` if the program
  ///   reports it.
  init(
    reportsFaults: Bool = true, hasSampleBefore: Bool = true,
    readingDelays: ClosedRange<Double>? = nil
  ) {
    self.reportsFaults = reportsFaults
    self.readingDelays = readingDelays
    process.sample.pid = 77
    if hasSampleBefore { sample(at: 0.9) }
  }

  private mutating func sample(at seconds: Double) {
    let bytes = UInt64(level * bytesPerMiB)
    process.read(at: seconds) {
      $0.anonymousBytes = .value(bytes + UInt64(others * bytesPerMiB))
      $0.reporter = ProcessMemory(pid: 77, residentBytes: bytes, anonymousBytes: bytes)
    }
  }

  mutating func phase(_ name: String) {
    if let readingDelays {
      process.report(.phase, name, at: time)
      untilReading = Double.random(in: readingDelays, using: &random)
      return
    }
    let bytes = UInt64(level * bytesPerMiB)
    let faulted = reportsFaults ? UInt64(self.faulted * bytesPerMiB) : nil
    process.report(.phase, name, at: time) {
      $0.sender = 77
      $0.memory = ReportedMemory(
        residentBytes: bytes, anonymousBytes: bytes, faultedBytes: faulted)
    }
  }

  mutating func take(_ mebibytes: Double) {
    read(while: mebibytes, secondsPerMebibyte: 250e-6)
    level += mebibytes
    faulted += mebibytes
  }

  /// One fault brings 2 MiB.
  mutating func takeHugePages(_ mebibytes: Double) {
    level += mebibytes
    faulted += mebibytes / 512
  }

  mutating func release(_ mebibytes: Double) {
    read(while: -mebibytes, secondsPerMebibyte: 20e-6)
    level -= mebibytes
  }

  /// Reads the memory of the last border if that falls within a change.
  private mutating func read(while change: Double, secondsPerMebibyte: Double) {
    guard let left = untilReading else { return }
    let duration = change.magnitude * secondsPerMebibyte
    guard left < duration else {
      untilReading = left - duration
      return
    }
    readBorder(level + change * left / duration)
  }

  private mutating func readBorder(_ level: Double) {
    untilReading = nil
    var reading = MemorySample()
    reading.time = MadeUpProcess.time(time + 0.0002)
    reading.anonymousBytes = UInt64(level * bytesPerMiB)
    reading.residentBytes = reading.anonymousBytes
    process.run.apply(.memory(reading))
  }

  mutating func othersTake(_ mebibytes: Double) { others += mebibytes }

  /// Reports what its allocator holds.
  mutating func allocatorHolds(_ mebibytes: Double) {
    process.report(.value, "allocator.retained", at: time) {
      $0.sender = 77
      $0.number = mebibytes * bytesPerMiB
    }
  }

  /// Lets time pass, with the samples of it.
  mutating func dwell(_ seconds: Double) {
    if untilReading != nil { readBorder(level) }
    let end = time + seconds
    // The sample at the border itself is the report.
    var next = ((time + 0.001) * 10).rounded(.up) / 10
    while next < end {
      sample(at: next)
      next += 0.1
    }
    time = end
  }
}

extension ReportingProcess {
  /// Phases with what they take in MiB, each freed by the next one right after it is named.
  static func turns(
    _ takes: [(name: String, takes: Double)], leaks: [String: Double], rounds: Int,
    dwell: Double = 0.5, reportsFaults: Bool = true, releasesBefore: Bool = false
  ) -> MadeUpProcess {
    var program = ReportingProcess(reportsFaults: reportsFaults)
    var former = 0.0
    for _ in 0..<rounds {
      for (name, amount) in takes {
        program.phase(name)
        if !releasesBefore { program.release(former) }
        program.take(amount)
        program.take(leaks[name] ?? 0)
        program.dwell(dwell)
        if releasesBefore { program.release(amount) }
        former = amount
      }
    }
    program.phase("end")
    program.dwell(6)
    return program.process
  }
}

extension MadeUpProcess {
  /// What each visit to a phase keeps, in MiB, if the verdict names it alone.
  func keepsAlone(_ phase: String) -> Double? {
    guard case .keeps(let bytes, _)? = verdict(phase) else { return nil }
    return (bytes / bytesPerMiB * 100).rounded() / 100
  }
}
