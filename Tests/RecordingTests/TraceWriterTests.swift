import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Recording

/// Records → a Perfetto trace, read by a decoder of its own. The numbers are those of the published `.proto` files.
@Suite struct TraceWriterTests {
  /// An event as one line: time in ms since the start, track, type (1 begin, 2 end, 3 instant, 4 counter), what.
  private func lines(_ records: [Record], header: RunHeader = RecordingFile.header) throws
    -> (tracks: [String], events: [String])
  {
    var run = Run(header)
    var writer = TraceWriter(header: header)
    for record in records {
      run.apply(record)
      writer.take(record, run: run)
    }
    writer.finish()
    let trace = try #require(WireMessage(writer.bytes[...]))
    var names: [UInt64: String] = [:]
    var tracks: [String] = []
    var events: [String] = []
    for packet in trace.messages(1) {
      #expect(packet.number(10) == 1)
      if let track = packet.message(60) {
        let id = try #require(track.number(1))
        let process = track.message(3).map { "process \($0.number(1) ?? 0) \($0.text(6) ?? "")" }
        let thread = track.message(4).map {
          "thread \($0.number(1) ?? 0) \($0.number(2) ?? 0) \($0.text(5) ?? "")"
        }
        let counter = track.message(8).map { " [\($0.text(6) ?? "unit \($0.number(3) ?? 0)")]" }
        names[id] = process ?? thread ?? track.text(2) ?? "?"
        tracks.append((names[id] ?? "") + (counter ?? ""))
      }
      guard let event = packet.message(11) else { continue }
      #expect(packet.number(58) == 3)
      let time = try #require(packet.number(8))
      let track = try #require(event.number(11).flatMap { names[$0] }, "declared before it is used")
      let what =
        event.text(23) ?? event.number(30).map { "\(Int64(bitPattern: $0))" }
        ?? event.double(44).map { "\($0)" } ?? ""
      let notes = event.messages(4).map { " \($0.text(10) ?? "?")=\($0.text(6) ?? "?")" }.joined()
      let milliseconds = Int64(time) - Int64(RecordingFile.start.nanoseconds)
      events.append(
        "\(milliseconds / 1_000_000) \(track) \(event.number(9) ?? 0) \(what)\(notes)")
    }
    return (tracks, events)
  }

  private func at(_ milliseconds: Int64) -> Instant {
    RecordingFile.start.advanced(byNanoseconds: milliseconds * 1_000_000)
  }

  private func event(_ kind: Event.Kind, _ name: String, _ milliseconds: Int64) -> Record {
    var event = Event(kind)
    event.name = Event.Name(name)
    if kind == .value { event.number = 2.5 }
    return .event(event, at(milliseconds))
  }

  private func sample(_ milliseconds: Int64, _ sequence: UInt32, resident: UInt64) -> Record {
    var sample = Sample()
    sample.time = at(milliseconds)
    sample.sequence = sequence
    sample.pid = 42
    for byte in "prog".utf8 { sample.name.append(byte) }
    sample.residentBytes = .value(resident)
    return .sample(sample)
  }

  @Test func `phases are slices, and what is open ends with the run`() throws {
    let found = try lines([
      event(.phase, "load", 10), event(.phase, "canvas", 20), event(.phase, "", 30),
      event(.phase, "canvas", 40), .mark(at(50)),
    ])
    #expect(
      found.events == [
        "10 Phases 1 load", "20 Phases 2 ", "20 Phases 1 canvas", "30 Phases 2 ",
        "40 Phases 1 canvas", "50 Marks 3 mark 1", "50 Phases 2 ",
      ])
  }

  @Test func `actions, toasts and values have their tracks`() throws {
    var action = Event(.action)
    action.name = Event.Name("redraw")
    action.detail = Event.Detail("tile 3")
    action.count = 7
    let found = try lines([
      .event(action, at(5)), event(.toast, "saved \u{1B}[m", 6), event(.value, "queue", 7),
      event(.loading, "fonts", 8), .loadingEnded(at(9)),
    ])
    #expect(
      found.events == [
        "5 Actions 3 redraw count=7 detail=tile 3",
        "6 Toasts 3 saved \(SafeText.clean("\u{1B}"))[m",
        "7 queue 4 2.5", "8 Loading 1 fonts", "9 Loading 2 ",
      ])
    #expect(found.tracks == ["Actions", "Toasts", "queue [unit 2]", "Loading"])
  }

  @Test func `frames are slices that never overlap, without pauses`() throws {
    let found = try lines([
      .activity(.frame(at(0), .terminal, missed: 0)), .activity(.updateFrame(at(16))),
      .activity(.mergedFrame(at(40))),
      .activity(.updateFrame(at(900))), .activity(.frame(at(916), .tick, missed: 0)),
      .activity(.frame(at(950), .tick, missed: 1)),
      .answer(nanoseconds: 20_000_000, at(960)), .answer(nanoseconds: 15_000_000, at(970)),
    ])
    #expect(
      found.events == [
        "0 Frames in the terminal 1 frame", "16 Frames in the terminal 2 ",
        "16 Frames in the terminal 1 frame frames=several", "40 Frames in the terminal 2 ",
        "916 Late ticks of perfhud 1 late missed=1", "950 Late ticks of perfhud 2 ",
        "940 key to frame 1 key to frame time=20.00 ms", "960 key to frame 2 ",
        "960 key to frame 1 key to frame time=15.00 ms",
        "970 key to frame 2 ",
      ])
  }

  @Test func `a counter has its unit, and only the values that change`() throws {
    let found = try lines([
      sample(0, 0, resident: 4096), sample(100, 1, resident: 4096), sample(200, 2, resident: 4096),
      sample(300, 3, resident: 8192),
    ])
    #expect(found.tracks.first == "process 42 prog")
    #expect(found.tracks.contains("rss_bytes [unit 3]"))
    #expect(
      found.events.filter { $0.contains("rss_bytes") } == [
        "100 rss_bytes 4 4096", "300 rss_bytes 4 8192",
      ])
  }

  @Test func `threads of a list are threads of the trace`() throws {
    var row = ProcessRow()
    row.pid = 43
    row.parent = 42
    for byte in "worker".utf8 { row.name.append(byte) }
    row.cpuNanoseconds = 500_000
    row.intervalNanoseconds = 1_000_000
    let found = try lines([
      .processes(ProcessTable(request: ProcessTableRequest(.threads), time: at(5), rows: [row]))
    ])
    #expect(found.tracks == ["thread 42 43 worker", "cpu_percent worker 43 [%]"])
    #expect(found.events == ["5 cpu_percent worker 43 4 50"])
  }

  @Test func `slices of a made-up run are nested on every track`() throws {
    let found = try lines(MadeUpRun.records(seconds: 20, seed: 3))
    var open: [Substring: Int] = [:]
    for line in found.events {
      guard let track = ["Phases", "Frames in", "Late", "key to"].first(where: line.contains) else {
        continue
      }
      if line.contains(" 1 ") { open[track[...], default: 0] += 1 }
      if line.hasSuffix(" 2 ") { open[track[...], default: 0] -= 1 }
      #expect((0...1).contains(open[track[...], default: 0]), "\(line)")
    }
    #expect(open["Phases"] == 0 && found.events.count > 1000)
  }
}
