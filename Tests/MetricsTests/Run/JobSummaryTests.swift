import PerfHUDBase
import Testing

@testable import Metrics

@Suite struct JobSummaryTests {
  @Test func `one line, in both languages`() {
    var job = JobSummary(
      name: "make", wallSeconds: 12.42, cpuSeconds: 21.3, peakBytes: 212 * 1_048_576)
    #expect(job.text(.english) == "make: 12.4 s, CPU 21.3 s, peak 212.0 MiB")
    #expect(job.text(.japanese) == "make: 12.4 s, CPU 21.3 s, 最大 212.0 MiB")
    job.peakIsLowerBound = true
    #expect(job.text(.english) == "make: 12.4 s, CPU 21.3 s, peak ≥ 212.0 MiB")
    job = JobSummary(name: "a\u{1B}[31m", wallSeconds: 192, cpuSeconds: nil, peakBytes: nil)
    #expect(job.text(.english) == "a␛[31m: 3m12s")
    job.wallSeconds = 59.96
    #expect(job.text(.english) == "a␛[31m: 1m00s")
  }
}
