import CLinux
import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Recording

/// The player: any position has the state of a straight fold up to it.
@Suite struct PlayerTests {
  /// Two readers of the same bytes.
  private func player(
    _ bytes: [UInt8], snapshots: Int = 8, stride: Int = 64, last: Instant? = nil
  ) throws -> RecordingPlayer {
    RecordingPlayer(
      try RecordingFile.reader(bytes), try RecordingFile.reader(bytes), last: last,
      snapshots: snapshots, stride: stride)
  }

  private func indexAll(_ player: inout RecordingPlayer) {
    while !player.isIndexed { _ = player.index(500) }
  }

  /// The straight fold of all records that are not after a time.
  private func fold(_ records: [Record], to time: Instant) -> Run {
    var run = Run(RecordingFile.header)
    var clock = RecordingFile.start
    for record in records {
      clock = max(clock, record.time)
      if clock > time { break }
      run.apply(record)
    }
    return run
  }

  /// - Returns: the positions that differ, at most one.
  private func differences(
    _ records: [Record], _ player: inout RecordingPlayer, seed: UInt64, count: Int
  ) -> [UInt64] {
    var numbers = SeededRandom(seed: seed)
    for _ in 0..<count {
      let length = Int(player.end.nanoseconds(since: player.start))
      let time = player.start.advanced(byNanoseconds: Int64(numbers.pick(0...length)))
      if numbers.pick(0...3) == 0 { player.advance(to: time) } else { player.seek(to: time) }
      if text(player.run) != text(fold(records, to: player.position)) {
        return [player.position.nanoseconds]
      }
    }
    return []
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `after any seek the run is that of a straight fold`(seed: UInt64) throws {
    let records = MadeUpRun.records(seconds: 15, seed: seed)
    var player = try player(try RecordingFile.bytes(records))
    indexAll(&player)
    #expect(differences(records, &player, seed: seed, count: 10) == [])
  }

  @Test(arguments: 1...2 as ClosedRange<UInt64>)
  func `after any seek in records of every kind the run is that of a straight fold`(
    seed: UInt64
  ) throws {
    var random = RandomRecords(seed: seed)
    let bytes = try RecordingFile.bytes((0..<800).map { _ in random.next() })
    var player = try player(bytes)
    indexAll(&player)
    // Of lists of processes a file does not have what is derived from them.
    let records = try RecordingFile.records(bytes).records
    #expect(differences(records, &player, seed: seed, count: 8) == [])
  }

  @Test func `stepping forwards and backwards visits the same samples`() throws {
    let records = MadeUpRun.records(seconds: 8, seed: 3)
    var player = try player(try RecordingFile.bytes(records))
    indexAll(&player)
    var rows: [String] = []
    while player.step(1) { rows.append("\(player.run.latest as Row?)") }
    let samples = records.count { if case .sample = $0 { true } else { false } }
    #expect(rows.count == samples)
    for index in stride(from: rows.count - 2, through: 0, by: -1) {
      let stepped = player.step(-1)
      #expect(stepped)
      if "\(player.run.latest as Row?)" != rows[index] {
        #expect("\(player.run.latest as Row?)" == rows[index], "sample \(index)")
        break
      }
    }
    let first = player.step(-1)
    #expect(first && player.run.latest == nil)
    let before = player.step(-1)
    #expect(!before)
  }

  @Test func `a seek beyond what was read waits and is done once that was read`() throws {
    let records = MadeUpRun.records(seconds: 20, seed: 4)
    let last = try #require(records.last?.time)
    var player = try player(try RecordingFile.bytes(records), last: last)
    let time = player.start.advanced(bySeconds: 15)
    player.seek(to: time)
    #expect(player.target == time && player.position == player.start)
    var turns = 0
    while !player.index(50) { turns += 1 }
    #expect(turns > 3 && !player.isIndexed)
    #expect(player.target == nil && player.position == time)
    #expect(text(player.run) == text(fold(records, to: time)))
  }

  @Test func `a seek before what waits takes its place`() throws {
    let records = MadeUpRun.records(seconds: 20, seed: 4)
    var player = try player(try RecordingFile.bytes(records), last: records.last?.time)
    _ = player.index(600)
    player.seek(to: player.end)
    #expect(player.target == player.end)
    player.seek(to: player.start)
    indexAll(&player)
    #expect(player.target == nil && player.position == player.start)
  }

  @Test func `positions are within the recording`() throws {
    let records = MadeUpRun.records(seconds: 5, seed: 5)
    var player = try player(try RecordingFile.bytes(records))
    indexAll(&player)
    player.seek(to: Instant(nanoseconds: 0))
    #expect(player.position == player.start)
    player.seek(to: Instant(nanoseconds: .max))
    #expect(player.position == player.end)
    #expect(player.end == records.map(\.time).max())
    #expect(text(player.run) == text(fold(records, to: player.end)))
  }

  @Test func `a recording without records has one position`() throws {
    var player = try player(try RecordingFile.bytes([]))
    indexAll(&player)
    #expect(player.position == player.start && player.end == player.start)
    let steps = [player.step(1), player.step(-1)]
    #expect(steps == [false, false])
    let marker = player.marker(.phase, 1)
    #expect(marker == nil)
  }

  @Test func `a cut file is played to its end, and that is said`() throws {
    let records = MadeUpRun.records(seconds: 10, seed: 6)
    let bytes = try RecordingFile.bytes(records, finishes: false)
    var player = try player(Array(bytes.prefix(bytes.count - 3000)))
    indexAll(&player)
    #expect(player.remark?.contains("cut") == true)
    player.seek(to: player.end)
    #expect(player.end.seconds(since: player.start) > 2)
    #expect(text(player.run) == text(fold(records, to: player.position)))
  }

  @Test func `damage is a gap that is said once, however often it is passed`() throws {
    let records = MadeUpRun.records(seconds: 10, seed: 7)
    var bytes = try RecordingFile.bytes(records)
    bytes[bytes.count / 2] ^= 0x55
    var player = try player(bytes)
    indexAll(&player)
    #expect(player.gaps == 1)
    for _ in 0..<3 {
      player.seek(to: player.start)
      player.seek(to: player.end)
    }
    #expect(player.gaps == 1)
    let straight = try RecordingFile.records(bytes).records
    #expect(text(player.run) == text(fold(straight, to: player.end)))
    #expect(differences(straight, &player, seed: 7, count: 10) == [])
  }

  @Test func `markers are where the marks of the run are`() throws {
    let records = MadeUpRun.records(seconds: 60, seed: 8)
    let marks = records.compactMap { if case .mark(let time) = $0 { time } else { nil } }
    try #require(!marks.isEmpty)
    var player = try player(try RecordingFile.bytes(records))
    indexAll(&player)
    var found: [Instant] = []
    while let time = player.marker(.mark, 1) {
      found.append(time)
      player.seek(to: time)
    }
    #expect(found == marks)
    var before: [Instant] = []
    player.seek(to: player.end)
    while let time = player.marker(.mark, -1) {
      before.append(time)
      player.seek(to: time)
    }
    #expect(before == marks.reversed())
    #expect(player.phases.count > 5)
    for time in player.phases.prefix(5) {
      player.seek(to: time)
      #expect(player.run.phases.newestBegin.map { $0 <= time } == true)
    }
  }

  @Test func `the number of snapshots is bounded, and they thin out evenly`() {
    var snapshots = Snapshots(capacity: 16, stride: 10)
    var state = FoldedRun(RecordingFile.header)
    for number in 0..<3000 {
      state.clock = RecordingFile.start.advanced(byNanoseconds: Int64(number))
      state.cost = number
      guard snapshots.isDue(cost: number) else { continue }
      snapshots.add(Snapshot(state: state, mark: RecordingBookmark(offset: 0, number: 0)))
    }
    let costs = snapshots.list.map(\.state.cost)
    #expect(costs.count <= 16 && costs.count >= 8)
    #expect(costs.first == 0)
    let gaps = Set(zip(costs, costs.dropFirst()).map { $1 - $0 })
    #expect(gaps.count == 1 && (gaps.first ?? 0) <= 3000 / 8)
    let found = snapshots.last(notAfter: RecordingFile.start.advanced(byNanoseconds: 1700))
    #expect(found?.state.cost == costs.last { $0 <= 1700 })
  }

  @Test func `a file that grows is followed, and its end is shown`() throws {
    let records = MadeUpRun.records(seconds: 12, seed: 9)
    let bytes = try RecordingFile.bytes(records)
    let raw = RecordingFile.memory()
    defer { close(raw) }
    let file = Descriptor(owning: dup(raw))
    func write(_ range: Range<Int>) throws {
      let piece = Array(bytes[range])
      lseek(raw, off_t(range.lowerBound), SEEK_SET)
      try unsafe piece.withUnsafeBytes { try unsafe file.writeAll($0) }
    }
    // A block is cut in the middle.
    let heads = BlockFrame.magic.count
    let head = try #require(BlockFrame(bytes, at: heads)).totalBytes
    var end = heads + 2 * head + (bytes.count - heads - 2 * head) / 3
    try write(0..<end)
    let path = "/proc/self/fd/\(raw)"
    var player = try RecordingPlayer(path: path)
    indexAll(&player)
    var lengths = [player.end]
    while end < bytes.count {
      let next = min(bytes.count, end + bytes.count / 5)
      try write(end..<next)
      end = next
      let mayGrow = player.follow()
      #expect(mayGrow)
      indexAll(&player)
      lengths.append(player.end)
      player.advance(to: player.end)
      #expect(text(player.run) == text(fold(records, to: player.position)))
    }
    #expect(lengths == lengths.sorted() && lengths.first != lengths.last)
    #expect(player.end == records.map(\.time).max())
    #expect(player.remark == nil)
    let mayGrow = player.follow()
    #expect(!mayGrow)
  }

  @Test func `speed and pause change how fast time passes`() {
    let zero = Instant(nanoseconds: 1_000_000_000)
    func at(_ milliseconds: Int64) -> Instant {
      zero.advanced(byNanoseconds: milliseconds * 1_000_000)
    }
    var clock = PlayClock(now: zero)
    #expect(clock.elapsed(now: at(100)) == 100_000_000)
    clock.changeSpeed(1)
    #expect(clock.speed == 2)
    #expect(clock.elapsed(now: at(200)) == 200_000_000)
    clock.pause(true)
    #expect(clock.elapsed(now: at(900)) == 0)
    clock.pause(false)
    #expect(clock.elapsed(now: at(1000)) == 200_000_000)
    for _ in 0..<9 { clock.changeSpeed(-1) }
    #expect(clock.speed == 0.25)
    #expect(clock.elapsed(now: at(1100)) == 25_000_000)
    for _ in 0..<20 { clock.changeSpeed(1) }
    #expect(clock.speed == 64)
    // Whoever was stopped for an hour goes on where he was.
    #expect(clock.elapsed(now: at(3_600_000)) == 0)
  }
}
