import Glibc
import Metrics
import PerfHUDBase
import Recording
import Sampler
import TestSupport
import Testing

@testable import PerfHUD

@Suite struct OTLPFileTests {
  @Test func `lines are appended to a file every 10 s, and one at the end`() throws {
    try withFile("{\"resourceMetrics\":[]}\n") { path in
      let (run, sample) = runOfOneSample()
      let file = try OTLPFile(path: path, interval: 100_000_000)
      let early = file.deadline
      // Without a sample there is nothing to write.
      file.writeIfDue(run, now: early)
      file.take(.sample(sample))
      let due = file.deadline
      file.writeIfDue(run, now: due)
      #expect(file.deadline.nanoseconds(since: due) == 10_000_000_000)
      file.writeIfDue(run, now: due)
      file.finish(run, RecordingEnd(time: due.advanced(bySeconds: 1)))
      #expect(file.takeProblem() == nil)
      let lines = String(decoding: try readFile(path), as: UTF8.self).split(separator: "\n")
      #expect(lines.count == 3 && lines.first == "{\"resourceMetrics\":[]}")
      for line in lines.dropFirst() {
        #expect(line.hasPrefix("{\"resourceMetrics\":[") && line.contains("\"asInt\":\"3\""))
      }
    }
  }

  @Test func `the last line has what the kernel counted up to the end of the command`() throws {
    try withFile("") { path in
      let (run, sample) = runOfOneSample()
      let file = try OTLPFile(path: path, interval: 100_000_000)
      file.take(.sample(sample))
      let end = CommandEnd(status: .exited(0), readBytes: 4096, writtenBytes: 67_108_864)
      file.finish(run, RecordingEnd(time: sample.time, command: end))
      let line = String(decoding: try readFile(path), as: UTF8.self)
      #expect(line.contains("\"asInt\":\"67108864\"") && line.contains("\"asInt\":\"4096\""))
    }
  }

  @Test func `a pipe is an error before the run, and nobody waits for its reader`() throws {
    let directory = try TemporaryDirectory()
    let pipe = directory.file("pipe")
    #expect(unsafe mkfifo(pipe, 0o600) == 0)
    #expect(throws: RunError.self) { _ = try OTLPFile(path: pipe, interval: 1) }
    let reader = unsafe open(pipe, O_RDWR | O_CLOEXEC)
    defer { close(reader) }
    let error = #expect(throws: RunError.self) { _ = try OTLPFile(path: pipe, interval: 1) }
    #expect(error?.description.hasPrefix("--otlp needs a plain file") == true)
  }

  @Test func `a folder that is not there is an error before the run`() {
    #expect(throws: RunError.self) { _ = try OTLPFile(path: "/none/x.jsonl", interval: 1) }
  }
}
