import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import SystemPackage
import Testing

@testable import Recording

/// Records → a file that stays below a size, and → the newest blocks in memory.
@Suite struct RecordingLimitTests {
  /// A folder of its own, removed at the end.
  private final class Folder {
    let path: String

    init() throws {
      var template = Array("/tmp/perfhud-limit-XXXXXX".utf8CString)
      let made = unsafe template.withUnsafeMutableBufferPointer {
        unsafe $0.baseAddress.flatMap { unsafe mkdtemp($0) }
      }
      path = unsafe String(cString: try #require(made))
    }

    func file(_ name: String) -> String { path + "/" + name }

    var names: [String] {
      guard let folder = unsafe opendir(path) else { return [] }
      defer { unsafe closedir(folder) }
      var names: [String] = []
      while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
          unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        if !name.hasPrefix(".") { names.append(name) }
      }
      return names.sorted()
    }

    deinit {
      for name in names { _ = unsafe unlink(file(name)) }
      _ = unsafe rmdir(path)
    }
  }

  private static func phase(_ name: String) -> Event {
    var event = Event(.phase)
    event.name = Event.Name(name)
    return event
  }

  /// A second of records with many different texts: about 30 such seconds fill a file of 1 MiB.
  private func second(_ number: Int) -> [Record] {
    var numbers = SeededRandom(seed: UInt64(number))
    let start = RecordingFile.start.advanced(bySeconds: Double(number))
    var records: [Record] = []
    for index in 0..<400 {
      let time = start.advanced(byNanoseconds: Int64(index) * 2_000_000)
      var event = Event(.action)
      event.name = Event.Name((0..<50).map { _ in "\(numbers.pick(0...9))" }.joined())
      records.append(.event(event, time))
      if index % 40 == 0 {
        var sample = Sample()
        sample.time = time
        sample.pid = 42
        sample.residentBytes = .value(UInt64(numbers.pick(1_000_000...2_000_000)))
        sample.cpuNanoseconds = .value(UInt64(number) * 1_000_000)
        records.append(.sample(sample))
      }
    }
    return records
  }

  private func size(_ path: String) throws -> UInt64 {
    var facts = stat()
    try #require(unsafe stat(path, &facts) == 0)
    return UInt64(facts.st_size)
  }

  private func writer(_ path: String, limit: UInt64) throws -> RecordingWriter {
    let output = try RecordingWriter.open(path: path)
    let limit = try RecordingLimit(bytes: limit, path: path, output: output)
    return RecordingWriter(
      output: output, limit: limit, name: path, header: RecordingFile.header,
      host: RecordingFile.host, keepsCommand: true)
  }

  @Test func `a file never exceeds its limit, is readable after each block, and loses the oldest`()
    throws
  {
    let folder = try Folder()
    let path = folder.file("run.phr")
    let limit: UInt64 = 1 << 20
    var writer = try writer(path, limit: limit)
    writer.add(.event(RecordingLimitTests.phase("canvas"), RecordingFile.start))
    var greatest: UInt64 = 0
    for number in 0..<160 {
      for record in second(number) {
        writer.writeIfDue(now: record.time)
        writer.add(record)
      }
      let size = try size(path)
      greatest = max(greatest, size)
      #expect(size <= limit)
      guard number % 13 == 12 else { continue }
      var reader = try RecordingReader(path: path)
      var last: Instant?
      var first: Instant?
      while let record = reader.next() {
        if first == nil { first = record.time }
        last = record.time
      }
      let damage = reader.damage
      #expect(damage.gaps == 0 && damage.tailBytes == 0)
      let (begin, end) = (try #require(first), try #require(last))
      #expect(end.seconds(since: RecordingFile.start) > Double(number) - 2)
      #expect(end.seconds(since: begin) >= min(Double(number) - 2, 10))
    }
    // It grows beyond half of the limit before it is replaced, and was replaced several times.
    #expect(greatest > limit * 3 / 4)
    writer.finish(RecordingEnd(time: RecordingFile.start.advanced(bySeconds: 160), command: nil))
    let problem = writer.takeProblem()
    #expect(problem == nil)
    #expect(try size(path) <= limit)
    #expect(folder.names == ["run.phr"])
    try checkIndex(try readFile(path, limit: 1 << 21))

    var reader = try RecordingReader(path: path)
    let began = reader.header.began
    let start = reader.header.run.start
    #expect(began == RecordingFile.start && start > RecordingFile.start.advanced(bySeconds: 100))
    var run = Run(reader.header.run)
    var actions = 0
    while let record = reader.next() {
      run.apply(record)
      if case .event(let event, _) = record, event.kind == .action { actions += 1 }
    }
    let (isWhole, end) = (reader.isWhole, reader.end)
    #expect(isWhole && end != nil)
    #expect(actions > 400 * 10)
    // The phase began before the part, and holds in it.
    #expect(run.latest?.phase.map { "\($0.name.text)" } == "canvas")
    let remark = reader.remark
    #expect(try #require(remark).contains("into the run: what came before was not kept"))
  }

  @Test func `a file below its limit is as without a limit`() throws {
    let folder = try Folder()
    let path = folder.file("run.phr")
    let records = MadeUpRun.records(seconds: 5, seed: 4)
    var writer = try writer(path, limit: 1 << 20)
    for record in records {
      writer.writeIfDue(now: record.time)
      writer.add(record)
    }
    writer.finish(nil)
    let file = try Descriptor(open: path)
    var bytes = [UInt8](repeating: 0, count: Int(try size(path)))
    _ = try unsafe bytes.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
    #expect(bytes == (try RecordingFile.bytes(records)))
    #expect(folder.names == ["run.phr"])
  }

  @Test func `what was followed goes on in the file that takes its place`() throws {
    let folder = try Folder()
    let path = folder.file("run.phr")
    var writer = try writer(path, limit: 1 << 20)
    for record in second(0) + second(1) + second(2) {
      writer.writeIfDue(now: record.time)
      writer.add(record)
    }
    let reader = try RecordingReader(path: path)
    let wasReplaced = reader.isReplaced
    #expect(!wasReplaced)
    for number in 3..<60 {
      for record in second(number) {
        writer.writeIfDue(now: record.time)
        writer.add(record)
      }
    }
    let next = try RecordingReader(path: path)
    let (isReplaced, isNew) = (reader.isReplaced, !next.isReplaced)
    #expect(isReplaced && isNew)
    let (began, start) = (next.header.began, reader.header.run.start)
    #expect(began == start)
    writer.finish(nil)
  }

  @Test func `a limit needs a file that can be replaced`() throws {
    let folder = try Folder()
    let path = folder.file("run.phr")
    let foreign = folder.file("run.phr.next")
    let other = try Descriptor(
      open: foreign, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
    try unsafe Array("text".utf8).withUnsafeBytes { try unsafe other.writeAll($0) }
    let output = try RecordingWriter.open(path: path)
    #expect(throws: RecordingError.self) {
      _ = try RecordingLimit(bytes: 1 << 20, path: path, output: output)
    }
    #expect(folder.names.contains("run.phr.next"))
    let null = try RecordingWriter.open(path: "/dev/null")
    #expect(throws: RecordingError.self) {
      _ = try RecordingLimit(bytes: 1 << 20, path: "/dev/null", output: null)
    }
  }

  /// Checks that the end of a whole file says where its index is, and that where each block begins.
  private func checkIndex(_ bytes: [UInt8], _ location: SourceLocation = #_sourceLocation) throws {
    let stored = bytes.suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let offset = try #require(Int(exactly: stored), sourceLocation: location)
    let frame = try #require(BlockFrame(bytes, at: offset), sourceLocation: location)
    #expect(frame.kind == .index, sourceLocation: location)
    let payload = bytes[offset + BlockFrame.headBytes..<offset + frame.totalBytes]
    let index = try #require(BlockIndex(Array(payload)), sourceLocation: location)
    #expect(index.entries.count > 1, sourceLocation: location)
    for entry in index.entries {
      let block = BlockFrame(bytes, at: Int(entry.offset))
      #expect(block?.kind == .records && block?.time == entry.time, sourceLocation: location)
    }
  }

  // MARK: In memory

  private func keeping(_ seconds: Int, capacity: Int = 1 << 26) -> RecordingWriter {
    RecordingWriter(
      keepingLast: Int64(seconds) * 1_000_000_000, capacity: capacity,
      header: RecordingFile.header, host: RecordingFile.host, keepsCommand: true)
  }

  private func records(_ part: [UInt8]?) throws -> [Record] {
    let found = try RecordingFile.records(try #require(part))
    #expect(found.damage == RecordingDamage())
    return found.records
  }

  @Test func `a part taken from memory has the last 10 s, and the state before them`() throws {
    var writer = keeping(10)
    let all = MadeUpRun.records(seconds: 60, seed: 3)
    var state = Run(RecordingFile.header)
    var target = TargetChange(name: ProcessName(), pid: 7, isMark: true)
    for byte in "job".utf8 { target.name.append(byte) }
    writer.add(.target(target, RecordingFile.start))
    state.apply(.target(target, RecordingFile.start))
    for record in all {
      writer.writeIfDue(now: record.time)
      writer.add(record)
      state.apply(record)
    }
    let part = writer.takePart()
    try checkIndex(try #require(part))
    let found = try records(part)
    let (first, last) = (try #require(found.first), try #require(found.last))
    let length = last.time.seconds(since: first.time)
    #expect(length >= 10 && length < 12)
    #expect(text(last) == text(try #require(all.last)))
    // Its records are those of the run, after the state.
    let carried = found.prefix { $0.time == first.time && !isActivity($0) }.count
    let rest = found.dropFirst(carried)
    #expect(rest.map(text) == all.suffix(rest.count).map(text))
    let header = try RecordingFile.reader(try #require(part)).header
    #expect(header.run.start == first.time && header.began == RecordingFile.start)
    var run = Run(header.run)
    for record in found { run.apply(record) }
    #expect(run.latest?.phase?.name == state.latest?.phase?.name && run.latest?.phase != nil)
  }

  private func isActivity(_ record: Record) -> Bool {
    switch record {
    case .activity, .sample: true
    default: false
    }
  }

  @Test func `a part of a short run is the same as its file`() throws {
    var writer = keeping(60)
    let all = MadeUpRun.records(seconds: 5, seed: 9)
    for record in all {
      writer.writeIfDue(now: record.time)
      writer.add(record)
    }
    let part = writer.takePart()
    #expect(part == (try RecordingFile.bytes(all)))
    // To take a part leaves the blocks where they are.
    let end = RecordingEnd(time: RecordingFile.start.advanced(bySeconds: 6), command: nil)
    writer.finish(end)
    let last = writer.takePart()
    var reader = try RecordingFile.reader(try #require(last))
    var count = 0
    while reader.next() != nil { count += 1 }
    let found = reader.end
    #expect(count == all.count && found == end)
  }

  @Test func `memory is bounded by bytes, too`() throws {
    var writer = keeping(100_000, capacity: 200_000)
    for number in 0..<60 {
      for record in second(number) {
        writer.writeIfDue(now: record.time)
        writer.add(record)
      }
    }
    let taken = writer.takePart()
    let part = try #require(taken)
    let head = try #require(BlockFrame(part, at: BlockFrame.magic.count)).totalBytes
    #expect(part.count > 100_000 && part.count < 200_000 + 2 * head + 65536)
    let found = try records(part)
    #expect(found.count > 1000)
  }

  @Test func `before the first record there is no part`() {
    var writer = keeping(10)
    let part = writer.takePart()
    #expect(part == nil)
  }
}
