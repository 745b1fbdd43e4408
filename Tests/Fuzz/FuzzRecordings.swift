import CLinux
import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Report
import Sampler

/// Recordings: files that are damaged, cut, mixed with the input, or wrong with a right checksum.
extension FuzzRound {
  /// Whatever the file is, it is read to its end, and its records make a run.
  mutating func playRecordings() {
    var file = madeUpRecording()
    let hasRightChecksums = numbers.pick(0...1) == 0
    for _ in 0..<numbers.pick(0...30) {
      guard !file.isEmpty else { break }
      let at = numbers.pick(0...file.count - 1)
      switch numbers.pick(0...5) {
      case 0: file.removeSubrange(at..<min(file.count, at + numbers.pick(1...40)))
      case 1:
        let from = numbers.pick(0...input.count - 1)
        file.insert(contentsOf: input[from..<min(input.count, from + numbers.pick(1...40))], at: at)
      case 2 where numbers.pick(0...20) == 0: file.removeLast(file.count - at)
      default: file[at] = UInt8(truncatingIfNeeded: numbers.next())
      }
    }
    if hasRightChecksums { FuzzRound.correctChecksums(&file) }
    read(file)
    read(Array(input))
    if numbers.pick(0...7) == 0 { write(file) }
  }

  private func reader(_ bytes: [UInt8]) -> RecordingReader? {
    let file = Descriptor(owning: unsafe perfhud_memfd_create("fuzz"))
    do {
      try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
    } catch {
      Failure.fail("a file in memory cannot be written: \(error)")
    }
    lseek(file.raw, 0, SEEK_SET)
    return try? RecordingReader(input: file, name: "fuzz")
  }

  /// Everything that is made from a recording: a trace, metrics, reports.
  private func write(_ bytes: [UInt8]) {
    guard var reader = reader(bytes) else { return }
    var run = Run(reader.header.run)
    var trace = TraceWriter(header: reader.header.run)
    var counters = RunCounters()
    var last = reader.header.run.start
    while let record = reader.next() {
      run.apply(record)
      trace.take(record, run: run)
      counters.take(record)
      last = record.time
    }
    trace.finish(at: reader.end?.time)
    var metrics = PrometheusText()
    metrics.write(counters, run, asOf: last)
    guard var again = self.reader(bytes) else { return }
    let reports = [RunReport(&again, file: "fuzz")]
    _ = HTMLPage(reports).text
    _ = SVGReport(reports).text
    _ = MarkdownReport(reports).text
    _ = CSVReport(reports).text
    guard var compared = self.reader(bytes) else { return }
    let values = RunMetrics(&compared, file: "fuzz")
    let comparison = Comparison(base: [values], new: [values])
    _ = ComparisonTable(comparison).text
    let document = ComparisonDocument(comparison)
    _ = (document.markdown, document.csv, document.json)
  }

  private func read(_ bytes: [UInt8]) {
    guard var reader = reader(bytes) else { return }
    var run = Run(reader.header.run)
    var last = reader.header.run.start
    while let record = reader.next() {
      last = record.time
      run.apply(record)
    }
    _ = RunSummary(run, asOf: reader.end?.time ?? last, end: reader.end?.command)
      .text(language: .english)
    _ = reader.remark
  }

  /// A small recording with records of many kinds.
  private mutating func madeUpRecording() -> [UInt8] {
    let raw = unsafe perfhud_memfd_create("fuzz")
    let start = Instant(nanoseconds: 5_000_000_000_000)
    let header = RunHeader(
      start: start, wallClockOffset: 1 << 60, interval: 100_000_000, tickPeriod: 16_000_000)
    var writer = RecordingWriter(
      output: Descriptor(owning: dup(raw)), name: "fuzz", header: header,
      host: .current(version: "fuzz"), keepsCommand: true)
    var sample = Sample()
    sample.pid = 77
    for number in 0..<numbers.pick(1...60) {
      let time = start.advanced(byNanoseconds: Int64(number) * 70_000_000)
      writer.writeIfDue(now: time)
      switch numbers.pick(0...8) {
      case 0: writer.add(.activity(.output(bytes: UInt64(number), time)))
      case 1: writer.add(.activity(.frame(time, .tick, missed: UInt32(number % 3))))
      case 2:
        var event = Event(Event.Kind.allCases[numbers.pick(0...6)])
        event.name = Event.Name("canvas")
        event.sequence = UInt64(number)
        writer.add(.event(event, time))
      case 3:
        var row = ProcessRow()
        row.pid = Int32(number)
        writer.add(
          .processes(ProcessTable(request: ProcessTableRequest(.threads), time: time, rows: [row])))
      case 4: writer.add(.target(TargetChange(name: sample.name, pid: 5, isMark: true), time))
      case 5: writer.add(.interval(UInt64(number) * 20_000_000, time))
      default:
        sample.time = time
        sample.cpuNanoseconds = .value(UInt64(number) * 10_000_000)
        sample.anonymousBytes = .value(numbers.next() >> 34)
        sample.residentBytes = .value(1 << 30)
        writer.add(.sample(sample))
        sample.sequence += 1
      }
    }
    writer.finish(RecordingEnd(time: start.advanced(bySeconds: 5)))
    let file = Descriptor(owning: raw)
    var bytes = [UInt8](repeating: 0, count: Int(lseek(raw, 0, SEEK_END)))
    _ = unsafe bytes.withUnsafeMutableBytes { try? unsafe file.read(into: $0) }
    return bytes
  }

  /// Gives each block the checksum that belongs to its bytes, as docs/RECORDING.md has it.
  private static func correctChecksums(_ file: inout [UInt8]) {
    let marker: [UInt8] = [0xF5, 0x50, 0x48, 0x55, 0x44, 0xFA]
    var at = 0
    while at + 27 <= file.count {
      guard file[at..<at + 6].elementsEqual(marker) else {
        at += 1
        continue
      }
      let length = (0..<4).reduce(0) { $0 | Int(file[at + 7 + $1]) << (8 * $1) }
      guard length <= file.count - at - 27 else {
        at += 1
        continue
      }
      var value = ~UInt32(0)
      for byte in file[at + 6..<at + 23] + file[at + 27..<at + 27 + length] {
        value ^= UInt32(byte)
        for _ in 0..<8 { value = value & 1 == 1 ? (value >> 1) ^ 0x82F6_3B78 : value >> 1 }
      }
      for index in 0..<4 {
        file[at + 23 + index] = UInt8(truncatingIfNeeded: ~value >> UInt32(8 * index))
      }
      at += 27 + length
    }
  }
}
