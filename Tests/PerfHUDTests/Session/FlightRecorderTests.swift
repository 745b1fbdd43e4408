import Glibc
import Metrics
import PerfHUDBase
import Testing

@testable import PerfHUD

/// What `--record-last` writes, and when.
@Suite struct FlightRecorderTests {
  /// Calls with a name of a file in a folder of its own.
  private func withName(_ name: String = "run.phr", _ body: (String) throws -> Void) throws {
    try withFile("") { path in
      let folder = path + ".d"
      try #require(unsafe mkdir(folder, 0o700) == 0)
      defer {
        for number in 0...3 {
          _ = unsafe unlink(folder + "/run\(number > 1 ? "-\(number)" : "").phr")
        }
        _ = unsafe rmdir(folder)
      }
      try body(folder + "/" + name)
    }
  }

  private func at(_ seconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000_000).advanced(bySeconds: seconds)
  }

  private func end(_ status: CommandEnd.Status) -> CommandEnd {
    CommandEnd(
      status: status, userNanoseconds: nil, systemNanoseconds: nil, maxResidentBytes: nil)
  }

  @Test func `files have the first names that are free, and none is replaced`() throws {
    try withName { path in
      var flight = try FlightRecorder(path: path, span: 10_000_000_000)
      #expect(flight.summary == nil)
      #expect(flight.write([1], now: at(0)) == .written(path))
      let second = path.dropLast(4) + "-2.phr"
      #expect(flight.write([2], now: at(1)) == .written(String(second)))
      let first = try readFile(path)
      let other = try readFile(String(second))
      #expect(first == [1] && other == [2])
      #expect(flight.summary == "recorded in \(path), \(second)")
      var facts = stat()
      let isThere = unsafe stat(path, &facts) == 0
      #expect(isThere && facts.st_mode & 0o777 == 0o600)
      // Another run of the same name.
      var next = try FlightRecorder(path: path, span: 10_000_000_000)
      #expect(next.write([3], now: at(0)) == .written(path.dropLast(4) + "-3.phr"))
    }
  }

  @Test func `an alert is due at once, the next one after half of the time`() throws {
    try withName { path in
      var flight = try FlightRecorder(path: path, span: 10_000_000_000)
      #expect(flight.due == nil)
      flight.noteAlert()
      #expect(try #require(flight.due) <= at(0))
      _ = flight.write([1], now: at(0))
      #expect(flight.due == nil)
      flight.noteAlert()
      #expect(flight.due == at(5))
      // What is written meanwhile has the alert.
      _ = flight.write([1], now: at(1))
      #expect(flight.due == nil && !flight.isDue(at: nil))
    }
  }

  @Test func `a crash and an alert without a file are written at the end`() throws {
    try withName { path in
      var flight = try FlightRecorder(path: path, span: 10_000_000_000)
      #expect(
        flight.isDue(at: end(.signaled(SIGSEGV))) && flight.isDue(at: end(.signaled(SIGKILL))))
      #expect(!flight.isDue(at: end(.signaled(SIGINT))) && !flight.isDue(at: end(.exited(1))))
      flight.noteAlert()
      #expect(flight.isDue(at: nil) && flight.isDue(at: end(.exited(0))))
    }
  }

  @Test func `a folder that is not there is an error before the run`() throws {
    #expect(throws: RunError.self) { _ = try FlightRecorder(path: "/none/run.phr", span: 1) }
    #expect(throws: RunError.self) { _ = try FlightRecorder(path: "/dev/null", span: 1) }
  }

  @Test func `without a record there is no file`() throws {
    try withName { path in
      var flight = try FlightRecorder(path: path, span: 10_000_000_000)
      #expect(flight.write(nil, now: at(0)) == .failed("nothing was recorded yet"))
      #expect(unsafe access(path, F_OK) != 0)
    }
  }
}
