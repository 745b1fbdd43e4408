import Glibc
import Metrics
import PerfHUDBase
import SystemPackage
import Testing

@testable import PerfHUD

@Suite struct AlertLinesTests {
  /// The reading end of a pipe, which does not block, and the writing end, which does.
  private func pipe() throws -> [Int32] {
    let ends = try FileDescriptor.pipe(options: .closeOnExec)
    _ = fcntl(ends.readEnd.rawValue, F_SETFL, O_NONBLOCK)
    return [ends.readEnd.rawValue, ends.writeEnd.rawValue]
  }

  private func read(_ reader: borrowing Descriptor) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while let count = try? unsafe chunk.withUnsafeMutableBytes({
      try unsafe reader.readNext(into: $0)
    }), count > 0 {
      bytes += chunk[..<count]
    }
    return bytes
  }

  @Test func `what happens at the memory limit has one line each time`() {
    var action = AlertAction()
    var report = LimitReport(limitBytes: 67_108_864, source: .cgroupMax)
    #expect(action.limitLines(report).isEmpty)
    (report.timesNear, report.nearPercent) = (1, 91)
    #expect(
      action.limitLines(report) == ["limit: 91 % of the limit in use (64.00 MiB, memory.max)"])
    report.killed = 1
    let killed = "limit: memory ran out, 1 killed (64.00 MiB, memory.max)"
    #expect(action.limitLines(report) == [killed])
    #expect(action.limitLines(report).isEmpty)
  }

  @Test func `a full pipe holds nobody up, and gets whole lines when it is read`() throws {
    let ends = try pipe()
    let reader = Descriptor(owning: ends[0])
    let writer = Descriptor(owning: ends[1])
    _ = fcntl(writer.raw, F_SETFL, O_NONBLOCK)
    let filling = [UInt8](repeating: 0x2E, count: 4096)
    while unsafe write(writer.raw, filling, filling.count) > 0 {}
    _ = fcntl(writer.raw, F_SETFL, 0)
    var alerts = AlertLines()
    for number in 1...AlertLines.capacity + 3 {
      alerts.append("alert \(number)")
      alerts.flush(to: writer.raw)
    }
    #expect(!read(reader).contains { $0 != 0x2E })
    alerts.flush(to: writer.raw)
    alerts.finish(to: writer.raw)
    let lines = String(decoding: read(reader), as: UTF8.self).split(separator: "\n")
    #expect(
      lines.map(String.init) == (1...AlertLines.capacity).map { "perfhud: alert \($0)" }
        + ["perfhud: 3 more alerts"])
  }

  @Test func `a line is cut, and harmless`() {
    let text = AlertLines.text("\u{1B}[2J" + String(repeating: "x", count: 500))
    #expect(text.hasPrefix("perfhud: ␛[2Jx") && text.hasSuffix("…\n"))
    #expect(text.utf8.count < 256)
  }
}
