import CMallocCount
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import Sampler
import Testing

private let start = Instant(nanoseconds: 1_000_000_000_000)
private let header = RunHeader(start: start, wallClockOffset: 0, interval: 100_000_000)
private let unixOffset: UInt64 = 1_700_000_000_000_000_000

private func makeRow(
  name: [UInt8] = Array("demo".utf8), _ values: [(Metric, Reading<Double>)] = []
) -> Row {
  var row = Row()
  row.time = start.advanced(byNanoseconds: 1_500_000_000)
  row.pid = 4242
  row.state = .sleeping
  for byte in name { row.name.append(byte) }
  for (metric, value) in values { row[metric] = value }
  return row
}

/// The text that a new writer makes of the rows.
private func lines(_ format: LineFormat, _ rows: Row...) -> String {
  var writer = RowWriter(format: format, header: header)
  var text = ""
  for row in rows {
    writer.write(row, wallClockOffset: unixOffset)
    text += String(decoding: writer.line, as: UTF8.self)
  }
  return text
}

private func json(_ row: Row) -> JSONLine? { JSONLine(Array(lines(.jsonl, row).utf8)) }

/// The fields of one csv record without its newline (RFC 4180).
private func fields(_ record: some StringProtocol) -> [String] {
  var result = [""]
  var isQuoted = false
  var rest = Substring(record)
  while let character = rest.popFirst() {
    if character == "\"", isQuoted, rest.first == "\"" {
      rest.removeFirst()
      result[result.count - 1].append("\"")
    } else if character == "\"" {
      isQuoted.toggle()
    } else if character == ",", !isQuoted {
      result.append("")
    } else {
      result[result.count - 1].append(character)
    }
  }
  return result
}

@Suite struct JSONLineTests {
  @Test func `lower bounds are the keys of their columns, and null without any`() throws {
    var row = makeRow([(.cpuTime, .value(1))])
    #expect(try #require(json(row))["lower_bounds"] == .null)
    row.lowerBounds = [.voluntarySwitches, .cpuTime]
    #expect(
      try #require(json(row))["lower_bounds"] == .text("cpu_time_s voluntary_switches_per_s"))
    let text = lines(.csv, row).split(separator: "\n")
    let column = Column.all.firstIndex(of: .lowerBounds) ?? 0
    #expect(text.last.map { fields($0) }?[column] == "cpu_time_s voluntary_switches_per_s")
  }

  @Test func `a line is one object with the keys in their order`() throws {
    let line = try #require(json(makeRow()))
    #expect(line.keys == Column.all.map { "\($0.key)" })
  }

  @Test func `time, name and values come as they are`() throws {
    var row = makeRow([
      (.cpu, .value(37.254)), (.resident, .value(123_456_789)), (.cpuTime, .value(1.234_567_8)),
      (.fps, .value(60)), (.frameMedian, .value(16.6667)), (.readRate, .value(0.04)),
    ])
    row.fpsSource = .tick
    let line = try #require(json(row))
    #expect(line["t"] == .number(1_700_001_001.5))
    #expect(line["elapsed_s"] == .number(1.5))
    #expect(line["pid"] == .number(4242))
    #expect(line["comm"] == .text("demo"))
    #expect(line["state"] == .text("S"))
    #expect(line["cpu_percent"] == .number(37.25))
    #expect(line["rss_bytes"] == .number(123_456_789))
    #expect(line["cpu_time_s"] == .number(1.234_568))
    #expect(line["frame_p50_ms"] == .number(16.667))
    #expect(line["read_bytes_per_s"] == .number(0))
    #expect(line["fps_source"] == .text("tick"))
  }

  @Test func `what is absent is null, whatever the reason`() throws {
    let reasons = Absence.allCases
    let row = makeRow(
      Metric.allCases.enumerated().map { ($1, .absent(reasons[$0 % reasons.count])) })
    let line = try #require(json(row))
    for metric in Metric.allCases { #expect(line["\(metric.key)"] == .null) }
    #expect(line["phase"] == .null)
    #expect(line["fps_source"] == .null)
  }

  @Test func `a value that is no number stays valid JSON`() throws {
    for value in [Double.nan, .infinity, -.infinity, 1e300, -1e300, -0.0001] {
      #expect(json(makeRow([(.cpu, .value(value))])) != nil, "\(value)")
    }
  }

  @Test(arguments: [
    (Array("a\"b\\c".utf8), "a\"b\\c"), (Array("\\\"\\".utf8), "\\\"\\"),
    (Array("x\u{1B}[2Jy\n\u{7}".utf8), "x\u{241B}[2Jy\u{240A}\u{2407}"),
    ([0x61, 0xFF, 0xC3, 0x62], "a\u{FFFD}\u{FFFD}b"), (Array("日本語".utf8), "日本語"),
    (Array("a\u{202E}b".utf8), "a\u{FFFD}b"), ([], ""),
  ])
  func `a name cannot break the line`(name: [UInt8], text: String) throws {
    let line = try #require(json(makeRow(name: name)))
    #expect(line["comm"] == .text(text))
  }

  @Test(arguments: [
    ("canvas 🎨", "canvas 🎨"), ("a\"b\\c,d", "a\"b\\c,d"), ("日本語", "日本語"),
    ("x\u{1B}[2J\n", "x\u{241B}[2J\u{240A}"), ("", ""),
  ])
  func `the phase and the rate of actions are in the line`(name: String, text: String) throws {
    var row = makeRow([(.actions, .value(118.25))])
    row.phase = RowPhase(index: 3, name: Event.Name(name))
    let line = try #require(json(row))
    #expect(line["phase"] == .text(text))
    #expect(line["actions_per_s"] == .number(118.3))
    let record = lines(.csv, row).split(separator: "\n")[1]
    let place = try #require(Column.all.firstIndex(of: .phase))
    #expect(fields(record)[place] == text)
    #expect(fields(record)[place + 1] == "118.3")
  }

  @Test func `bytes of a phase that are no text cannot break the line`() throws {
    var row = makeRow()
    var name = Event.Name()
    for byte in [0x61, 0xFF, 0x0A, 0x22, 0xC3] as [UInt8] { name.append(byte) }
    row.phase = RowPhase(index: 0, name: name)
    let line = try #require(json(row))
    #expect(line["phase"] == .text("a\u{FFFD}\u{240A}\"\u{FFFD}"))
    // The next line has its own phase.
    var next = makeRow()
    next.phase = RowPhase(index: 1, name: Event.Name("b"))
    let both = lines(.jsonl, row, next, makeRow()).split(separator: "\n")
    #expect(both[1].contains("\"phase\":\"b\""))
    #expect(both[2].contains("\"phase\":null"))
  }

  @Test func `a target that has ended has the state X`() throws {
    var row = makeRow()
    row.hasEnded = true
    #expect(try #require(json(row))["state"] == .text("X"))
  }

  @Test func `the age of PSS is beside it, and a bound of the footprint says so`() throws {
    var row = makeRow([(.pss, .value(1024)), (.footprint, .value(1_048_576))])
    row.pssAgeSeconds = 2.5
    let plain = try #require(json(row))
    #expect(plain["pss_age_s"] == .number(2.5))
    #expect(plain["lower_bounds"] == .null)
    row.footprintIsLowerBound = true
    row[.pss] = .absent(.outdated)
    let bound = try #require(json(row))
    #expect(bound["pss_age_s"] == .null && bound["pss_bytes"] == .null)
    #expect(bound["lower_bounds"] == .text("footprint_bytes"))
    #expect(lines(.text, row).contains("MEM ≥"))
  }

  @Test func `a target that has ended and was not reaped has the state Z`() throws {
    var row = makeRow()
    row.hasEnded = true
    row.state = .zombie
    #expect(try #require(json(row))["state"] == .text("Z"))
    #expect(lines(.text, row).hasSuffix("zombie\n"))
  }

  @Test func `the name of a new target is reported`() {
    let text = lines(.jsonl, makeRow(), makeRow(name: Array("other".utf8)), makeRow())
    let names = text.split(separator: "\n").map { JSONLine(Array("\($0)\n".utf8))?["comm"] }
    #expect(names == [.text("demo"), .text("other"), .text("demo")])
  }
}

@Suite struct CSVTests {
  @Test func `the header comes once, first`() {
    let rows = lines(.csv, makeRow(), makeRow(), makeRow()).split(separator: "\n")
    #expect(rows.count == 4)
    #expect(rows[0] == Column.all.map { "\($0.key)" }.joined(separator: ","))
    #expect(rows[1].hasPrefix("1700001001.500000,1.500000,4242,\"demo\",\"S\","))
  }

  @Test func `every record has as many fields as the header, absent ones empty`() throws {
    let row = makeRow([(.threads, .value(12)), (.fps, .absent(.notRequested))])
    let records = lines(.csv, row).split(separator: "\n")
    let names = fields(records[0])
    let values = fields(records[1])
    #expect(names.count == Column.all.count)
    #expect(values.count == names.count)
    #expect(values[try #require(names.firstIndex(of: "threads"))] == "12")
    #expect(values[try #require(names.firstIndex(of: "fps"))] == "")
  }

  @Test(arguments: ["a,b", "say \"hi\"", "\"", "back\\slash", "a;b c"])
  func `a name with commas and quotes is one field`(name: String) {
    let record = lines(.csv, makeRow(name: Array(name.utf8))).split(separator: "\n")[1]
    #expect(fields(record)[3] == name)
    #expect(fields(record).count == Column.all.count)
  }

  @Test func `a newline in a name makes no new record`() {
    let text = lines(.csv, makeRow(name: Array("a\nb\r".utf8)))
    #expect(text.split(separator: "\n").count == 2)
    #expect(!text.contains("\r"))
  }
}

@Suite struct TextLineTests {
  @Test func `values are written with their units below a line that explains them`() {
    var row = makeRow([
      (.cpuWindow, .value(37.2)), (.footprint, .value(182.4 * 1_048_576)),
      (.resident, .absent(.permission)), (.fps, .value(60)), (.threads, .value(7)),
    ])
    row.fpsSource = .tick
    #expect(
      lines(.text, row, row) == """
        # demo pid 4242; CPU 100 % = one core; FPS = frames that it reports; before the first, tick = perfhud's own
            1.50s  CPU  37.2 %  MEM 182.4 MiB  RSS not permitted  tick  60  threads     7  sleeping
            1.50s  CPU  37.2 %  MEM 182.4 MiB  RSS not permitted  tick  60  threads     7  sleeping

        """)
  }

  @Test func `without a tick no frame rate is named`() {
    let text = lines(.text, makeRow())
    #expect(text.hasPrefix("# demo pid 4242; CPU 100 % = one core; FPS off\n"))
    #expect(!text.contains("FPS   "))
  }

  @Test(arguments: [
    (FrameSource.terminal, "; FPS = frames detected in its output\n"),
    (.app, "; FPS = frames that it reports\n"),
    (.tick, "; FPS = frames that it reports; before the first, tick = perfhud's own\n"),
  ])
  func `the first line says whose frames are counted`(source: FrameSource, expected: String) {
    var row = makeRow([(.fps, .value(60))])
    row.fpsSource = source
    #expect(lines(.text, row).contains(expected))
    #expect(json(row)?["fps_source"] == .text("\(source.key)"))
  }

  @Test func `an idle program is idle in text, and its count is in jsonl`() {
    var row = makeRow([(.fps, .value(1)), (.bytesPerFrame, .value(512))])
    row.fpsSource = .terminal
    row.isIdle = true
    #expect(lines(.text, row).contains("  FPS idle  "))
    #expect(json(row)?["fps"] == .number(1))
    #expect(json(row)?["bytes_per_frame"] == .number(512))
  }

  @Test func `a rate that is a lower bound is named as one`() {
    var row = makeRow([(.fps, .value(60))])
    #expect(json(row)?["lower_bounds"] == .null)
    row.fpsIsLowerBound = true
    #expect(json(row)?["lower_bounds"] == .text("fps"))
    #expect(lines(.csv, row).hasSuffix(",\"fps\",\n"))
  }

  @Test func `a sample from just before the first record has no negative time`() {
    var row = makeRow()
    row.time = start.advanced(byNanoseconds: -600_000)
    #expect(json(row)?["elapsed_s"] == .number(0))
  }

  @Test func `the last line says that the target has ended`() {
    var row = makeRow()
    row.hasEnded = true
    #expect(lines(.text, row).hasSuffix("  ended\n"))
  }

  @Test func `an escape sequence in a name does not reach the terminal`() {
    let text = lines(.text, makeRow(name: Array("\u{1B}]0;x\u{7}".utf8)))
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
  }
}

@Suite struct LineAllocationTests {
  @Test(.enabled(if: perfhud_malloc_is_counted() != 0), arguments: LineFormat.allCases)
  func `1000 lines allocate nothing`(format: LineFormat) {
    var writer = RowWriter(format: format, header: header)
    var row = makeRow([(.cpu, .value(1.5)), (.footprint, .value(1e9)), (.threads, .value(3))])
    var bytes = 0
    func write() {
      for _ in 0..<1000 {
        row.time = row.time.advanced(byNanoseconds: 100_000_000)
        writer.write(row, wallClockOffset: unixOffset)
        bytes += writer.line.count
      }
    }
    // The first lines grow the buffer, and the Swift runtime makes its own tables.
    write()
    let before = perfhud_malloc_count()
    write()
    #expect(perfhud_malloc_count() - before == 0)
    #expect(bytes > 100_000)
  }
}
