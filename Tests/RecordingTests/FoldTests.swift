import Metrics
import PerfHUDBase
import Sampler
import Testing

@testable import Recording

/// A recording is folded by a shorter way than a live run: it must lead to the same values.
struct FoldTests {
  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `a fold that applies frames and output on the way gives the same run`(seed: UInt64) throws {
    let bytes = try RecordingFile.bytes(MadeUpRun.records(seconds: 40, seed: seed))
    var reader = try RecordingFile.reader(bytes)
    var expected = Run(reader.header.run)
    var rows: [String] = []
    var latest = RecordingFile.start
    while let record = reader.next() {
      latest = max(latest, record.time)
      expected.apply(record)
      if case .sample = record, let row = expected.latest { rows.append("\(row)") }
    }
    var second = try RecordingFile.reader(bytes)
    var run = Run(second.header.run)
    var last = RecordingFile.start
    var index = 0
    while let record = second.next(foldingActivityInto: &run, last: &last) {
      last = max(last, record.time)
      run.apply(record)
      guard case .sample = record, let row = run.latest else { continue }
      #expect(index < rows.count && "\(row)" == rows[index])
      index += 1
    }
    #expect(index == rows.count && index > 300)
    #expect(last == latest)
    #expect(text(run) == text(expected))
  }
}
