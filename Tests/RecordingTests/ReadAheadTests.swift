import Metrics
import PerfHUDBase
import Sampler
import Testing

@testable import Recording

/// A thread reads ahead of the fold: it must lead to the same values as reading records one by one.
struct ReadAheadTests {
  /// Expects the same run, the same end and the same damage as from one record after the other.
  private func expectSame(_ bytes: [UInt8]) throws {
    var reader = try RecordingFile.reader(bytes)
    var expected = Run(reader.header.run)
    expected.leaveOutRecentValues()
    var last = reader.header.run.start
    while let record = reader.next() {
      last = max(last, record.time)
      expected.apply(record)
    }
    var second = try RecordingFile.reader(bytes)
    var collector = RunCollector(second.header.run)
    var progress = 0.0
    collector.takeAll(from: &second) { progress = $0 }
    #expect(collector.last == last)
    #expect(progress == last.seconds(since: reader.header.run.start))
    #expect(second.damage == reader.damage)
    #expect(second.remark == reader.remark)
    #expect(second.end == reader.end)
    #expect(facts(collector.run, last) == facts(expected, last))
  }

  /// The newest values, the slow frames and the summary: `text` of a whole run takes seconds.
  private func facts(_ run: Run, _ last: Instant) -> String {
    let summary = RunSummary(run, asOf: last, end: nil).text(language: .english)
    return "\(String(describing: run.latest)) \(run.frames?.slowFrames.total ?? 0) \(summary)"
  }

  /// Where the blocks of records begin.
  private func blocks(of bytes: [UInt8]) -> [Int] {
    bytes.indices.filter { BlockFrame(bytes, at: $0)?.kind == .records }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `many batches give the same run as single records`(seed: UInt64) throws {
    let end = RecordingEnd(
      time: RecordingFile.start.advanced(bySeconds: 61), command: CommandEnd(status: .exited(3)))
    try expectSame(
      RecordingFile.bytes(MadeUpRun.records(seconds: 60, seed: seed), end: end))
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a short recording gives the same run`(seed: UInt64) throws {
    try expectSame(RecordingFile.bytes(MadeUpRun.records(seconds: 2, seed: seed)))
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a damaged file that is cut gives the same run and the same damage`(seed: UInt64) throws {
    var numbers = SeededRandom(seed: seed)
    var bytes = try RecordingFile.bytes(MadeUpRun.records(seconds: 60, seed: seed))
    let first = try #require(blocks(of: bytes).first)
    for _ in 0..<4 { bytes[Int.random(in: first..<bytes.count, using: &numbers)] ^= 1 }
    bytes.removeLast(bytes.count / Int.random(in: 3...50, using: &numbers))
    try expectSame(bytes)
  }

  @Test func `a block of invalid records costs only its own records`() throws {
    var bytes = try RecordingFile.bytes(MadeUpRun.records(seconds: 30, seed: 4))
    let offsets = blocks(of: bytes)
    #expect(offsets.count > 20)
    for offset in stride(from: 3, to: offsets.count, by: 7).map({ offsets[$0] }) {
      let frame = try #require(BlockFrame(bytes, at: offset))
      let range = offset..<offset + frame.totalBytes
      var block = Array(bytes[range])
      for index in block.count * 2 / 3..<block.count { block[index] = 0xA5 }
      // Its checksum is correct again.
      BlockFrame.renumber(&block, frame.number)
      bytes.replaceSubrange(range, with: block)
    }
    try expectSame(bytes)
  }

  @Test func `thousands of frames without another record are read in parts`() throws {
    let start = RecordingFile.start
    let frames = (1...20_000).map { number in
      Record.activity(
        .frame(start.advanced(byNanoseconds: Int64(number) * 20_000), .app, missed: 0))
    }
    try expectSame(RecordingFile.bytes([.mark(start)] + frames + [.mark(start)]))
  }

  @Test func `an empty recording has no records`() throws {
    try expectSame(RecordingFile.bytes([]))
  }
}
