import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

@testable import Recording
@testable import Report

/// A run that is made of arithmetic alone: two phases that take turns, one of which keeps 12 MiB a visit.
enum MadeUpReport {
  static let start = Instant(nanoseconds: 7_000_000_000_000)

  /// - Parameters:
  ///   - seconds: how long it runs.
  ///   - interval: between samples, in milliseconds.
  ///   - phases: the names of the two phases.
  ///   - colors: those that the two phases ask for.
  ///   - waits: whether the program waits for a processor half of the time, which others have.
  ///   - uncertain: the memory that forked processes may have copied, in MiB.
  ///   - kills: how often memory runs out.
  ///   - mark: the kernel's high-water mark of the resident memory, read at `from` s with the least value, and at `to` s.
  ///   - lost: how many events are lost at the end.
  ///   - damage: of the file.
  ///   - keeps: what a visit to the second phase keeps, in MiB.
  static func report(
    seconds: Int = 40, interval: Int = 500, command: String = "studio --demo",
    phases: [String] = ["gallery", "canvas"], action: String = "pen.move", keeps: Int = 12,
    budgets: [Budget] = [], frames: Bool = true, colors: [EventColor?] = [nil, nil],
    waits: Bool = false, uncertain: UInt64 = 0, kills: UInt64 = 0,
    mark: (mebibytes: UInt64, from: Int, to: Int)? = nil, lost: UInt32 = 0,
    damage: RecordingDamage = RecordingDamage()
  ) -> RunReport {
    var header = RunHeader(
      start: start, wallClockOffset: 1_700_000_000_000_000_000, secondsFromUTC: -12_600,
      interval: UInt64(interval) * 1_000_000, command: command, framesFromTerminal: frames)
    for byte in "studio".utf8 { header.name.append(byte) }
    var collector = ReportCollector(header, budgets: budgets)
    var sample = Sample()
    sample.pid = 4242
    sample.startTicks = 77
    sample.state = .running
    var kept = 0
    var cpu: UInt64 = 0
    for tick in 0..<seconds * 1000 / interval {
      let milliseconds = tick * interval
      let time = start.advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
      let visit = milliseconds / 4000
      if milliseconds % 4000 < interval {
        if visit.isMultiple(of: 2), visit > 0 { kept += keeps }
        var event = Event(.phase)
        event.name = Event.Name(phases[visit % 2])
        event.color = colors[visit % 2]
        collector.take(.event(event, time))
      }
      let isCanvas = !visit.isMultiple(of: 2)
      if isCanvas, frames {
        for frame in 0..<interval / 20 {
          let length = frame % 20 == 19 ? 9 : frame % 7
          collector.take(
            .activity(
              .frame(
                time.advanced(byNanoseconds: Int64(frame * 20 + length) * 1_000_000), .terminal,
                missed: 0)))
        }
        var event = Event(.action)
        event.name = Event.Name(action)
        collector.take(.event(event, time))
        collector.take(
          .answer(nanoseconds: Int64(3 + tick % 9) * 1_000_000, time))
      }
      cpu += UInt64(interval) * (isCanvas ? 300_000 : 20_000)
      let rise = isCanvas ? min(36, 6 * (milliseconds % 4000) / 500) : 0
      sample.time = time.advanced(byNanoseconds: Int64(interval) * 999_000)
      sample.statTime = sample.time
      sample.ageNanoseconds = sample.time.nanoseconds - 6_900_000_000_000
      sample.cpuNanoseconds = .value(cpu)
      sample.processCPUNanoseconds = .value(cpu)
      sample.residentBytes = .value(UInt64(12 + kept + rise) << 20)
      sample.anonymousBytes = .value(UInt64(4 + kept + rise) << 20)
      sample.swapBytes = .value(0)
      sample.usableProcessors = .value(2)
      sample.uncertainSharedBytes = uncertain << 20
      if waits {
        let nanoseconds = UInt64(milliseconds) * 500_000
        sample.cpuWaitNanoseconds = .value(nanoseconds)
        sample.threadTime = sample.time
        sample.pressure.cpuSome = .value(nanoseconds)
      }
      if kills > 0 {
        sample.lowRateTime = sample.time
        (sample.limitBytes, sample.limitSource) = (.value(512 << 20), .cgroupMax)
        sample.memoryEvents.oomKills = .value(milliseconds > 3000 ? kills : 0)
      }
      if let mark, milliseconds == 0 || [mark.from, mark.to].contains(milliseconds / 1000) {
        sample.lowRateTime = sample.time
        sample.peakResidentBytes = (milliseconds / 1000 == mark.to ? mark.mebibytes : 12) << 20
      }
      sample.sequence = UInt32(tick)
      collector.take(.sample(sample))
    }
    if lost > 0 { collector.take(.eventsLost(lost, sample.time)) }
    let end = start.advanced(byNanoseconds: Int64(seconds) * 1_000_000_000)
    return RunReport(
      collector, file: "run.phr",
      host: HostFacts(kernel: "Linux 6.1.0", processors: 2, pageBytes: 4096, version: "0.3.0"),
      end: RecordingEnd(time: end, command: CommandEnd(status: .exited(0))),
      damage: damage)
  }
}

extension RecordCollector {
  /// Takes a record that no reader has put in its place.
  mutating func take(_ record: Record) {
    var found = NextRecord()
    if case .sample(let sample) = record {
      (found.sample, found.isSample) = (sample, true)
    } else {
      found.other = record
    }
    take(found)
  }
}
