import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Recording

/// Records → a line for the Collector's file receiver.
@Suite struct OTLPLineTests {
  @Test func `a line has cumulative sums with the start of the process, and escapes texts`() {
    let time = RecordingFile.start.advanced(bySeconds: 2)
    var sample = Sample()
    sample.time = time
    sample.pid = 42
    sample.ageNanoseconds = 5_000_000_000
    for byte in "a\"b".utf8 { sample.name.append(byte) }
    sample.cpuNanoseconds = .value(1_500_000_000)
    sample.threads = .value(3)
    var action = Event(.action)
    action.name = Event.Name("re\\draw")
    action.count = 4
    var run = Run(RecordingFile.header)
    var counters = RunCounters()
    for record in [
      Record.event(action, time), .answer(nanoseconds: 3_000_000, time), .sample(sample),
    ] {
      counters.take(record)
      run.apply(record)
    }
    var line = OTLPLine(version: "1.2")
    line.write(counters, run, asOf: time)
    let text = String(decoding: line.bytes, as: UTF8.self)
    // 7000 s after boot, at 1 700 000 000 s of Unix time less that.
    #expect(
      text.hasPrefix(
        """
        {"resourceMetrics":[{"resource":{"attributes":[{"key":"service.name","value":\
        {"stringValue":"a\\"b"}},{"key":"process.executable.name","value":\
        {"stringValue":"a\\"b"}},{"key":"process.pid","value":{"intValue":"42"}}]},"scopeMetrics":[{"scope":\
        {"name":"perfhud","version":"1.2"},"metrics":[{"name":"process.cpu.time","unit":"s","sum":\
        {"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[{"startTimeUnixNano":\
        "1700006997000000000","timeUnixNano":"1700007002000000000","asDouble":1.5}]}},
        """))
    #expect(
      text.contains(
        """
        {"name":"process.thread.count","unit":"{thread}","sum":{"aggregationTemporality":2,"isMonotonic":false,
        """))
    #expect(
      text.contains(
        """
        "asInt":"4","attributes":[{"key":"perfhud.action","value":{"stringValue":"re\\\\draw"}}]
        """))
    #expect(
      text.contains(
        """
        "count":"1","sum":0.003,"bucketCounts":["0","1","0","0","0","0","0","0","0","0","0","0","0"],\
        "explicitBounds":[0.002,0.004,
        """))
    #expect(text.hasSuffix("]}]}]}\n") && text.count { $0 == "\n" } == 1)
  }
}
