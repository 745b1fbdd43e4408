import Glibc
import Metrics
import PerfHUDBase
import Sampler
import Testing

@testable import PerfHUD

/// A run whose only sample has three threads.
func runOfOneSample() -> (run: Run, sample: Sample) {
  let start = Instant.now()
  var run = Run(RunHeader(start: start, wallClockOffset: 0, interval: 100_000_000))
  var sample = Sample()
  sample.time = start
  sample.threads = .value(3)
  run.apply(.sample(sample))
  return (run, sample)
}

@Suite struct MetricsFileTests {
  @Test func `a file of somebody else stays as it is`() throws {
    try withFile("mine\n") { path in
      #expect(throws: RunError.self) { _ = try MetricsFile.make(path: path, interval: 1) }
      let kept = try readFile(path)
      #expect(kept == Array("mine\n".utf8))
    }
  }

  @Test func `a FIFO is not waited for, and stays`() throws {
    try withFile("") { path in
      let fifo = path + ".prom"
      try #require(unsafe mkfifo(fifo, 0o600) == 0)
      defer { _ = unsafe unlink(fifo) }
      #expect(throws: RunError.self) { _ = try MetricsFile.make(path: fifo, interval: 1) }
      #expect(unsafe access(fifo, F_OK) == 0)
    }
  }

  @Test func `a file that a killed perfhud left is taken over, and removed at the end`() throws {
    try withFile("# HELP perfhud_process_threads Threads.\n") { path in
      let (run, sample) = runOfOneSample()
      let file = try MetricsFile.make(path: path, interval: 100_000_000)
      file.take(.sample(sample))
      let due = file.deadline
      file.writeIfDue(run, now: due)
      let next = file.deadline
      let text = String(decoding: try readFile(path), as: UTF8.self)
      #expect(text.contains("\nperfhud_process_threads 3\n"))
      #expect(next.nanoseconds(since: due) == 5_000_000_000)
      let problem = file.takeProblem()
      #expect(problem == nil)
      _ = consume file
      #expect(unsafe access(path, F_OK) != 0)
    }
  }

  @Test func `a file that can no longer be replaced is removed, and made again once it can`() throws
  {
    try withFile("# HELP perfhud_process_threads Threads.\n") { path in
      let (run, sample) = runOfOneSample()
      let file = try MetricsFile.make(path: path, interval: 100_000_000)
      file.take(.sample(sample))
      // A folder in the place of the draft.
      let draft = "\(path).\(getpid())"
      try #require(unsafe mkdir(draft, 0o700) == 0)
      file.writeIfDue(run, now: file.deadline)
      let isThere = unsafe access(path, F_OK) == 0
      #expect(!isThere)
      #expect(file.takeProblem() != nil)
      try #require(unsafe rmdir(draft) == 0)
      file.writeIfDue(run, now: file.deadline)
      let isBack = unsafe access(path, F_OK) == 0
      #expect(isBack && file.takeProblem() == nil)
    }
  }
}
