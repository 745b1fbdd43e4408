import CLinux
import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Recording

/// Recordings in memory.
enum RecordingFile {
  static let start = Instant(nanoseconds: 7_000_000_000_000)

  static var header: RunHeader {
    var header = RunHeader(
      start: start, wallClockOffset: 1_700_000_000_000_000_000, secondsFromUTC: 3600,
      interval: 100_000_000, tickPeriod: 16_666_666, command: "prog --secret 1")
    for byte in "prog".utf8 { header.name.append(byte) }
    return header
  }

  static let host = HostFacts(kernel: "Linux 6", processors: 2, pageBytes: 4096, version: "0.2.0")

  /// The bytes that a writer writes.
  static func bytes(
    _ records: [Record], header: RunHeader = header, keepsCommand: Bool = true,
    end: RecordingEnd? = nil, finishes: Bool = true
  ) throws -> [UInt8] {
    let raw = memory()
    var writer = RecordingWriter(
      output: Descriptor(owning: dup(raw)), name: "memory", header: header, host: host,
      keepsCommand: keepsCommand)
    for record in records {
      writer.writeIfDue(now: record.time)
      writer.add(record)
    }
    if finishes { writer.finish(end) }
    #expect(writer.takeProblem() == nil)
    let file = Descriptor(owning: raw)
    var bytes = [UInt8](repeating: 0, count: Int(lseek(raw, 0, SEEK_END)))
    let count = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
    #expect(count == bytes.count)
    return bytes
  }

  static func memory() -> Int32 { unsafe perfhud_memfd_create("recording") }

  static func reader(_ bytes: [UInt8]) throws -> RecordingReader {
    let file = Descriptor(owning: memory())
    try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
    lseek(file.raw, 0, SEEK_SET)
    return try RecordingReader(input: file, name: "memory")
  }

  /// All records of a file, and what could not be read.
  static func records(_ bytes: [UInt8]) throws -> (records: [Record], damage: RecordingDamage) {
    var reader = try reader(bytes)
    var records: [Record] = []
    while let record = reader.next() { records.append(record) }
    return (records, reader.damage)
  }
}

/// All that a record has, as text.
func text(_ record: Record) -> String {
  guard case .processes(let table) = record else {
    var text = ""
    dump(record, to: &text)
    return text
  }
  var text = "\(table.request) \(table.time) \(table.others) \(table.mappings)"
  text += " \(table.ended.count) \(table.ended.cpuNanoseconds) \(table.ended.greatestBytes)"
  text += " \(table.ended.isCountLowerBound) \(table.ended.isCPULowerBound)"
  text += " \(table.ended.lastName) \(table.ended.lastEnd)"
  for row in table.rows { dump(row, to: &text) }
  for line in table.commandLines { text += line.text + "\n" }
  return text
}

/// All that a run has, as text, in whatever field.
func text(_ run: Run) -> String {
  var text = ""
  dump(run, to: &text)
  return text
}
