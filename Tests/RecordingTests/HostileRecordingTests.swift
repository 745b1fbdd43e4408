import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Recording

/// What nobody writes, but anybody can: a checksum is no signature.
@Suite struct HostileRecordingTests {
  @Test(arguments: RecordKind.allCases)
  func `an empty record at the end of a block is damage`(kind: RecordKind) throws {
    var decoder = RecordDecoder(.current)
    decoder.begin([UInt8(kind.rawValue), 1, 0], at: 1)
    // Either it is reported or it is taken for a record with nothing in it; it is never read beyond.
    _ = try? decoder.next()
    decoder.setBase([UInt8(kind.rawValue), 1, 0])
    #expect(decoder.end == nil)
  }

  @Test func `an interval, an offset and times that no run has are limited`() throws {
    var header = RecordingFile.header
    header.secondsFromUTC = .max
    let late = Instant(nanoseconds: .max - 5)
    let bytes = try RecordingFile.bytes(
      [
        .interval(.max, RecordingFile.start), .interval(0, RecordingFile.start),
        .answer(nanoseconds: .min, RecordingFile.start), .mark(late),
      ], header: header)
    var reader = try RecordingFile.reader(bytes)
    #expect(reader.header.run.secondsFromUTC == 86_400)
    var intervals: [UInt64] = []
    var answers: [Int64] = []
    while let record = reader.next() {
      if case .interval(let interval, _) = record { intervals.append(interval) }
      if case .answer(let nanoseconds, _) = record { answers.append(nanoseconds) }
    }
    #expect(intervals == [1 << 50, 1_000_000])
    #expect(answers == [.max])
    var player = RecordingPlayer(
      try RecordingFile.reader(bytes), try RecordingFile.reader(bytes), last: nil)
    while !player.isIndexed { _ = player.index(100) }
    #expect(player.end.seconds(since: player.start) <= 315_360_000)
  }

  @Test func `a rate below zero is none, and a reading that is late by ages ends no reader`() throws
  {
    var header = RecordingFile.header
    header.highRate = -1
    header.memory = .rss
    var phase = Event(.phase)
    phase.name = Event.Name("canvas")
    var reading = MemorySample()
    reading.time = RecordingFile.start.advanced(bySeconds: 1)
    reading.borderLateness = .max
    let bytes = try RecordingFile.bytes(
      [.event(phase, RecordingFile.start), .memory(reading)], header: header)
    var reader = try RecordingFile.reader(bytes)
    #expect(reader.header.run.highRate == 30)
    var run = Run(reader.header.run)
    var count = 0
    while let record = reader.next() {
      run.apply(record)
      count += 1
    }
    #expect(count == 2)
  }

  @Test func `heads of blocks that lie in one another are not all checked`() throws {
    var bytes = try RecordingFile.bytes([.mark(RecordingFile.start)])
    bytes.removeLast(bytes.count - (try #require(secondBlock(of: bytes))))
    let start = bytes.count
    var head = BlockFrame.marker + [BlockFrame.Kind.records.rawValue]
    head += [0xF0, 0xFF, 0x0F, 0] + [UInt8](repeating: 0, count: 16)
    for _ in 0..<75_000 { bytes += head }
    let file = Descriptor(owning: RecordingFile.memory())
    try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
    lseek(file.raw, off_t(start), SEEK_SET)
    var window = BlockWindow(position: UInt64(start))
    #expect(window.next(from: file) == nil)
    #expect(window.tail > 0)
    #expect(window.vainBytes <= BlockWindow.vainLimit + UInt64(bytes.count + BlockFrame.readLimit))
    // Such a file is damaged, and what comes before is read.
    let found = try RecordingFile.records(bytes)
    #expect(found.damage.tailBytes > 0)
  }

  private func secondBlock(of bytes: [UInt8]) -> Int? {
    (BlockFrame.magic.count + 1..<bytes.count).first {
      bytes[$0...].starts(with: BlockFrame.marker)
    }
  }
}
