import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Recording

/// The file of a recorded screen, and the thread that writes it.
@Suite struct ScreenRecorderTests {
  private static let start = Instant(nanoseconds: 5_000_000_000)

  private static func time(_ milliseconds: Int64) -> Instant {
    start.advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  private static func recorder(_ path: String) throws -> ScreenRecorder {
    var origin = AsciicastWriter.Origin(title: "vim")
    origin.start = start
    origin.timestamp = 7
    return try ScreenRecorder(
      output: try ScreenFile.open(recording: path), name: "x.cast", start: start, columns: 80,
      rows: 24, origin)
  }

  private static func add(_ text: String, _ milliseconds: Int64, to recorder: ScreenRecorder) {
    let bytes = Array(text.utf8)
    unsafe bytes.withUnsafeBytes { unsafe recorder.add($0, at: time(milliseconds)) }
  }

  private static func lines(_ path: String) throws -> [String] {
    String(decoding: try readFile(path + ".cast", limit: 16 << 20), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  @Test func `output, sizes and marks become lines, in order`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("run.phr")
    let recorder = try ScreenRecorderTests.recorder(path)
    ScreenRecorderTests.add("a", 10, to: recorder)
    ScreenRecorderTests.add("b", 10, to: recorder)
    recorder.add(mark: "canvas", at: ScreenRecorderTests.time(4))
    recorder.add(columns: 100, rows: 30, at: ScreenRecorderTests.time(20))
    ScreenRecorderTests.add("c", 21, to: recorder)
    recorder.finish()
    #expect(
      try ScreenRecorderTests.lines(path) == [
        #"{"version":3,"term":{"cols":80,"rows":24,"type":"xterm-256color"},"timestamp":7,"#
          + #""title":"vim","perfhud":{"start":"5000000000"}}"#,
        #"[0.010,"o","ab"]"#, #"[0.000,"m","canvas"]"#, #"[0.010,"r","100x30"]"#,
        #"[0.001,"o","c"]"#,
      ])
    #expect(recorder.takeProblem() == nil)
    var status = stat()
    #expect(unsafe stat(path + ".cast", &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func `too much output at once is left out, and a picture follows`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("run.phr")
    let recorder = try ScreenRecorderTests.recorder(path)
    let piece = String(repeating: "y\r\n", count: 20_000)
    for number in 0..<100 { ScreenRecorderTests.add(piece, Int64(number), to: recorder) }
    try waitUntil(deadline: 20, "room for a picture") { recorder.needsPicture }
    recorder.add(picture: Array("PICTURE".utf8), at: ScreenRecorderTests.time(200))
    #expect(!recorder.needsPicture)
    ScreenRecorderTests.add("after", 300, to: recorder)
    recorder.finish()
    let lines = try ScreenRecorderTests.lines(path)
    #expect(lines.reduce(0) { $0 + $1.utf8.count } < 8 << 20)
    #expect(lines.suffix(3).first?.contains("output left out: ") == true)
    #expect(lines.suffix(2).first?.hasSuffix(#","o","PICTURE"]"#) == true)
    #expect(lines.last == #"[0.100,"o","after"]"#)
  }

  @Test func `a full disk ends it with one line`() throws {
    let recorder = try ScreenRecorder(
      output: try Descriptor(open: "/dev/full", .writeOnly), name: "x.cast",
      start: ScreenRecorderTests.start, columns: 80, rows: 24, AsciicastWriter.Origin(title: ""))
    ScreenRecorderTests.add("a", 10, to: recorder)
    recorder.finish()
    #expect(
      recorder.takeProblem()?.contains("the recording of the screen ends there") == true)
    #expect(recorder.takeProblem() == nil)
  }

  @Test func `a file that is no recorded screen is not replaced`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("run.phr")
    try TestFile.write(Array("mine".utf8), to: path + ".cast")
    #expect(throws: RecordingError.self) { _ = try ScreenFile.open(recording: path) }
    #expect(try readFile(path + ".cast") == Array("mine".utf8))
  }
}
