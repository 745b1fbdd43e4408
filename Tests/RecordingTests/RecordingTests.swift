import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Recording

/// Records → a file → records.
@Suite struct RecordingTests {
  private func random(_ count: Int, seed: UInt64) -> [Record] {
    var random = RandomRecords(seed: seed)
    return (0..<count).map { _ in random.next() }
  }

  @Test(arguments: 1...3 as ClosedRange<UInt64>)
  func `random records of every kind are read as they were written`(seed: UInt64) throws {
    let records = random(500, seed: seed)
    let found = try RecordingFile.records(try RecordingFile.bytes(records))
    #expect(found.damage == RecordingDamage())
    try #require(found.records.count == records.count)
    for (record, original) in zip(found.records, records) {
      if text(record) != text(original) {
        #expect(text(record) == text(original))
        break
      }
    }
  }

  @Test(arguments: 0..<RandomRecords.kinds)
  func `records of one kind alone are read as they were written`(kind: Int) throws {
    var random = RandomRecords(seed: UInt64(kind))
    let records = (0..<60).map { _ in random.next(kind: kind) }
    let found = try RecordingFile.records(try RecordingFile.bytes(records))
    #expect(found.records.map(text) == records.map(text))
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `the fold of what is read is the run that was recorded`(seed: UInt64) throws {
    let records = MadeUpRun.records(seconds: 20, seed: seed)
    var live = Run(RecordingFile.header)
    var rows: [String] = []
    for record in records {
      live.apply(record)
      if case .sample = record { rows.append("\(live.latest as Row?)") }
    }
    var reader = try RecordingFile.reader(try RecordingFile.bytes(records))
    var replayed = Run(reader.header.run)
    var row = 0
    while let record = reader.next() {
      replayed.apply(record)
      guard case .sample = record else { continue }
      try #require(row < rows.count)
      if "\(replayed.latest as Row?)" != rows[row] {
        #expect("\(replayed.latest as Row?)" == rows[row])
        break
      }
      row += 1
    }
    #expect(row == rows.count && row > 150)
    let (one, other) = (text(replayed), text(live))
    #expect(one == other)
    #expect(one.count > 10_000)
  }

  @Test func `a header is read as it was written`() throws {
    var header = RecordingFile.header
    header.alerts = [try Rule("cpu > 90% for 10s"), try Rule("rss.peak < 500MiB")]
    header.phaseOrigins = [.title, .app]
    header.followed = "prog.*"
    header.matches = 3
    header.isCgroup = true
    header.highRate = 12.5
    header.memory = .pss
    header.tickPeriod = nil
    let reader = try RecordingFile.reader(try RecordingFile.bytes([], header: header))
    let found = reader.header
    #expect(found.run == header)
    #expect(found.host == RecordingFile.host)
    #expect(found.format == RecordingHeader.format)
  }

  @Test func `the end of a run is read as it was written`() throws {
    let end = RecordingEnd(
      time: RecordingFile.start.advanced(bySeconds: 3),
      command: CommandEnd(
        status: .signaled(9), userNanoseconds: 5, systemNanoseconds: nil, maxResidentBytes: 1 << 30,
        maxResidentIsBound: true))
    var reader = try RecordingFile.reader(try RecordingFile.bytes([], end: end))
    let record = reader.next()
    let (found, remark) = (reader.end, reader.remark)
    #expect(record == nil && found == end && remark == nil)
  }

  @Test func `arguments of commands are left out unless they are asked for`() throws {
    var records = random(300, seed: 4)
    var name = ProcessName()
    for byte in "tool".utf8 { name.append(byte) }
    records.append(
      .program(ProgramChange(name: name, command: "tool --secret 2"), RecordingFile.start))
    // Texts begin at any bit, so they are looked for in what is read, and in the head.
    func whole(_ bytes: [UInt8]) throws -> String {
      try RecordingFile.records(bytes).records.map(text).joined()
        + String(decoding: bytes, as: UTF8.self)
    }
    let bytes = try RecordingFile.bytes(records, keepsCommand: false)
    let left = try whole(bytes)
    #expect(!left.contains("secret") && !left.contains("--number") && !left.contains("-j"))
    let reader = try RecordingFile.reader(bytes)
    let command = reader.header.run.command
    #expect(command == "prog")
    var started = RecordingFile.header
    started.startedProgram = "python3"
    let named = try RecordingFile.reader(
      try RecordingFile.bytes([], header: started, keepsCommand: false))
    let program = named.header.run.command
    #expect(program == "python3")
    let kept = try whole(try RecordingFile.bytes(records))
    #expect(kept.contains("--secret 1") && kept.contains("--secret 2") && kept.contains("--number"))
  }

  @Test func `each single flipped byte costs at most one block`() throws {
    let records = MadeUpRun.records(seconds: 3, seed: 2)
    let bytes = try RecordingFile.bytes(records)
    let whole = try RecordingFile.records(bytes)
    let greatest = greatestBlock(records)
    for position in positions(bytes) {
      var damaged = bytes
      damaged[position] ^= UInt8(1 + position % 255)
      let found = try RecordingFile.records(damaged)
      if found.records.count < whole.records.count - greatest {
        Issue.record("byte \(position): \(found.records.count) of \(whole.records.count)")
      }
    }
  }

  /// All positions behind the two heads; of the heads, which are long, each 61st, and their first and last ones.
  /// `LONG_TESTS=1` takes all.
  private func positions(_ bytes: [UInt8]) -> [Int] {
    if unsafe getenv("LONG_TESTS") != nil { return Array(bytes.indices) }
    let head = BlockFrame(bytes, at: BlockFrame.magic.count)?.totalBytes ?? 0
    let end = BlockFrame.magic.count + 2 * head
    return bytes.indices.filter { position in
      let inHead = (position - BlockFrame.magic.count) % max(1, head)
      return position >= end || position < 64 || position % 61 == 0 || inHead < 32
    }
  }

  /// The greatest number of records of a second.
  private func greatestBlock(_ records: [Record]) -> Int {
    var greatest = 0
    for (index, record) in records.enumerated() {
      let end = record.time.advanced(byNanoseconds: 1_000_000_000)
      greatest = max(greatest, records[index...].prefix { $0.time <= end }.count)
    }
    return greatest
  }

  @Test func `a file that is cut anywhere is read up to its end`() throws {
    let records = MadeUpRun.records(seconds: 2, seed: 3)
    let bytes = try RecordingFile.bytes(records)
    let texts = records.map(text)
    var before = 0
    for length in positions(bytes) + [bytes.count] {
      let part = Array(bytes[..<length])
      guard let found = try? RecordingFile.records(part) else {
        #expect(before == 0, "no records at \(length), but before")
        continue
      }
      #expect(found.records.count >= before)
      if found.records.count > before {
        #expect(found.records.map(text) == Array(texts[..<found.records.count]))
      }
      before = found.records.count
    }
    #expect(before == records.count)
  }

  @Test func `a cut and a damaged file say so in one line`() throws {
    let bytes = try RecordingFile.bytes(MadeUpRun.records(seconds: 5, seed: 3))
    var cut = try RecordingFile.reader(Array(bytes.dropLast(200)))
    while cut.next() != nil {}
    var remark = cut.remark
    #expect(remark == "memory: it was cut off; all before that was read")
    var damaged = bytes
    let head = try #require(BlockFrame(bytes, at: BlockFrame.magic.count)).totalBytes
    // In the first block of records, which others follow.
    damaged[BlockFrame.magic.count + 2 * head + 100] ^= 0x55
    var gap = try RecordingFile.reader(damaged)
    while gap.next() != nil {}
    remark = gap.remark
    #expect(remark == "memory: a part is damaged, 1 s at most are missing")
  }

  @Test(arguments: ["", "{\"a\":1}\n", "perfhud record\r\n", "perfhud record\r\nxyz"])
  func `what is no recording is refused`(content: String) {
    #expect(throws: RecordingError.self) {
      _ = try RecordingFile.reader(Array(content.utf8))
    }
  }

  @Test func `a kind and a field that are not known are skipped`() throws {
    var schema = Schema()
    schema.add(
      Schema.Kind(
        number: 1, name: "sample",
        fields: [
          Schema.Field(name: "time", type: .time, unit: "ns"),
          Schema.Field(name: "novelty", type: .same, unit: "1"),
          Schema.Field(name: "cpu", type: .same, unit: "ns"),
        ]))
    var decoder = RecordDecoder(schema)
    // A sample at 1000 + 2 ns with a novelty of 3 and 5 ns of CPU time.
    var bits = BitWriter()
    bits.append(0, bits: 1)
    bits.append(0b111 << 1 | 1, bits: 9)
    for difference in [4, 6, 10] as [UInt64] { bits.append(difference, low: -1) }
    // Before it a record of an unknown kind, of two bytes.
    decoder.begin([99, 1, 2, 0, 0, 1, 1, UInt8(bits.count)] + bits.bytes, at: 1000)
    guard case .sample(let sample) = try decoder.next() else {
      Issue.record("no sample")
      return
    }
    #expect(sample.time.nanoseconds == 1002)
    #expect(sample.pid == 0 && sample.cpuNanoseconds == .absent(.pending))
    let (last, unknown) = (try decoder.next(), decoder.unknownRecords)
    #expect(last == nil && unknown == 1)
  }

  @Test(arguments: [-1, 0, 1, 5, 17, 48])
  func `numbers of any size are read as they were written`(low: Int) {
    var numbers = SeededRandom(seed: UInt64(low + 2))
    let written = [0, 1, 7, .max, 1 << 63, (1 << 57) - 1] + (0..<500).map { _ in numbers.any() }
    var bits = BitWriter()
    for number in written {
      bits.append(number, low: low)
      bits.append(number & 1, bits: 1)
    }
    var reader = BitReader(
      bits.bytes + [UInt8](repeating: 0, count: BitReader.padding), from: 0, count: bits.count)
    var found: [UInt64] = []
    for number in written {
      found.append(reader.number(low: low))
      #expect(reader.bit() == (number & 1 == 1))
    }
    #expect(found == written && !reader.isBeyondEnd && reader.bytesLeft == 0)
    _ = reader.number(bits: 8)
    #expect(reader.isBeyondEnd)
  }

  @Test func `frames and output keep their places between other records`() throws {
    func at(_ microseconds: Int64) -> Instant {
      RecordingFile.start.advanced(byNanoseconds: microseconds * 1000)
    }
    let records: [Record] = [
      .activity(.output(bytes: 500, at(0))), .activity(.updateFrame(at(0))), .mark(at(5)),
      .activity(.output(bytes: 700, at(16_667))), .mark(at(16_667)),
      .activity(.updateFrame(at(16_667))),
      .activity(.output(bytes: 900, at(33_000))),
      .activity(.frame(at(33_000), .terminal, missed: 0)),
      .activity(.output(bytes: 1, at(40_000))), .activity(.output(bytes: 2, at(40_000))),
      .activity(.updateFrame(at(39_000))),
      .peaksReset(at(41_000)), .activity(.output(bytes: 3, at(50_000))),
    ]
    let found = try RecordingFile.records(try RecordingFile.bytes(records))
    #expect(found.records.map(text) == records.map(text))
  }

  @Test func `rounded records are what a recording has, in the same order`() throws {
    var random = RandomRecords(seed: 9)
    var before = Instant(nanoseconds: 0)
    for _ in 0..<300 {
      random.time = random.time.advanced(byNanoseconds: Int64(random.numbers.pick(0...999)))
      let record = random.next()
      if case .processes = record { continue }
      let rounded = record.rounded()
      #expect(rounded.time == record.time.wholeMicroseconds)
      #expect(rounded.time >= before)
      before = rounded.time
    }
  }

  @Test func `an index leads to the blocks and their times`() throws {
    let records = MadeUpRun.records(seconds: 30, seed: 5)
    let bytes = try RecordingFile.bytes(records)
    let path = "/tmp/perfhud-index-\(getpid())"
    try write(bytes, path)
    defer { unsafe unlink(path) }
    let index = try RecordingReader.index(path: path)
    try write(Array(bytes.dropLast(3)), path)
    #expect(try RecordingReader.index(path: path).entries == index.entries)
    #expect(index.entries.count > 25)
    var reader = try RecordingReader(path: path)
    for number in [0, 20, 4, index.entries.count - 1] {
      let entry = index.entries[number]
      let isFound = reader.resume(
        at: RecordingBookmark(offset: entry.offset, number: UInt32(number)))
      let record = reader.next()
      #expect(isFound && record?.time.nanoseconds == entry.time)
    }
    #expect(reader.damage == RecordingDamage())
  }

  private func write(_ bytes: [UInt8], _ path: String) throws {
    let file = try Descriptor(
      open: path, .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
  }

  @Test func `the check value of the checksum`() {
    let digits = Array("123456789".utf8)
    let checksum = unsafe CRC32C.checksum(digits.span.bytes)
    #expect(checksum == 0xE306_9283)
  }
}

extension BitWriter {
  /// What it has, as bytes.
  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return bytes
  }
}
