import CMallocCount
import Metrics
import PerfHUDBase
import Sampler
import TestSupport
import Testing

@testable import Metrics

@Suite struct HistoryTests {
  private let start = MadeUpProcess.start
  private let millisecond: UInt64 = 1_000_000

  private func instant(_ offset: UInt64) -> Instant {
    Instant(nanoseconds: start.nanoseconds + offset)
  }

  private func values(_ value: Float) -> InlineArray<4, Float> {
    [value, value, -value, .nan]
  }

  @Test func `a bucket keeps least, mean and greatest value of each value`() {
    var history = History(start: start, base: 1000 * millisecond)
    for (index, value) in ([3, 9, 6] as [Float]).enumerated() {
      history.add(
        values(value), at: instant(UInt64(index + 1) * 300 * millisecond), continues: true)
    }
    let cpu = history.extent(.cpu, from: start, to: instant(1000 * millisecond))
    #expect(cpu.min == 3 && cpu.mean == 6 && cpu.max == 9)
    let resident = history.extent(.io, from: start, to: instant(1000 * millisecond))
    #expect(resident.min == -9 && resident.max == -3)
    #expect(history.extent(.fps, from: start, to: instant(1000 * millisecond)).isEmpty)
  }

  @Test func `a value on a grid point belongs to the stretch that ends there`() {
    var history = History(start: start, base: 100 * millisecond)
    history.add(values(1), at: instant(100 * millisecond), continues: true)
    history.add(values(2), at: instant(200 * millisecond), continues: true)
    let first = history.extent(.cpu, from: start, to: instant(100 * millisecond))
    #expect(first.min == 1 && first.max == 1)
  }

  @Test func `nothing is known before the start, after the end and of an empty stretch`() {
    var history = History(start: start, base: 100 * millisecond)
    history.add(values(1), at: instant(1000 * millisecond), continues: true)
    let before = Instant(nanoseconds: start.nanoseconds - 5)
    #expect(history.extent(.cpu, from: before, to: start).isEmpty)
    #expect(
      history.extent(.cpu, from: instant(1000 * millisecond), to: instant(2000 * millisecond))
        .isEmpty)
    #expect(history.extent(.cpu, from: instant(9), to: instant(9)).isEmpty)
    #expect(history.extent(.cpu, from: instant(9), to: instant(8)).isEmpty)
    #expect(!history.extent(.cpu, from: before, to: instant(2000 * millisecond)).isEmpty)
    history.add(values(7), at: before, continues: true)
    #expect(history.extent(.cpu, from: before, to: instant(2000 * millisecond)).max == 1)
  }

  @Test func `values that hold on fill the stretch before them, others leave a gap`() {
    for continues in [true, false] {
      var history = History(start: start, base: 100 * millisecond)
      history.add(values(1), at: instant(100 * millisecond), continues: continues)
      history.add(values(5), at: instant(1000 * millisecond), continues: continues)
      let between = history.extent(
        .cpu, from: instant(200 * millisecond), to: instant(900 * millisecond))
      #expect(between.isEmpty != continues)
      if continues { #expect(between.min == 5 && between.max == 5) }
      #expect(!history.extent(.cpu, from: start, to: instant(100 * millisecond)).isEmpty)
    }
  }

  @Test func `a stretch longer than all buckets is filled up to its end`() {
    var history = History(start: start, base: 20 * millisecond)
    history.add(values(1), at: instant(20 * millisecond), continues: true)
    history.add(values(2), at: instant(3_600_000 * millisecond), continues: true)
    for minute in stride(from: UInt64(1), to: 59, by: 7) {
      let extent = history.extent(
        .cpu, from: instant(minute * 60_000 * millisecond),
        to: instant((minute + 1) * 60_000 * millisecond))
      #expect(extent.max == 2)
    }
  }

  @Test func `a missing value is no value`() {
    var history = History(start: start, base: 100 * millisecond)
    history.add([.nan, 4, .nan, .nan], at: instant(50 * millisecond), continues: true)
    #expect(history.extent(.cpu, from: start, to: instant(100 * millisecond)).isEmpty)
    #expect(history.extent(.memory, from: start, to: instant(100 * millisecond)).max == 4)
  }

  /// 24 hours at 100 ms, 1 hour at 20 ms, 24 hours at 10 s (whose buckets last a second).
  @Test(arguments: [(100, 864_000), (20, 180_000), (10_000, 8640)] as [(UInt64, Int)])
  func `extremes at random places are found and never far from where they were`(
    interval: UInt64, count: Int
  ) {
    var random = SeededRandom(seed: interval)
    var planted: [Int: Float] = [:]
    for number in 0..<60 {
      let extreme = Float(1000 + number) * (number % 2 == 0 ? 1 : -1)
      planted[Int.random(in: 0..<count, using: &random)] = extreme
    }
    let step = interval * millisecond
    var history = History(start: start, base: min(step, 1000 * millisecond))
    for index in 0..<count {
      let value = planted[index] ?? Float(100 + index % 100)
      history.add([value, 0, 0, 0], at: instant(UInt64(index + 1) * step), continues: true)
    }
    let newest = UInt64(count) * step
    var found = 0
    for round in 0..<400 {
      let length = max(1, newest >> UInt64(round % 18))
      let from = UInt64.random(in: 0...(newest - length), using: &random)
      let to = from + length
      let extent = history.extent(.cpu, from: instant(from), to: instant(to))
      // The finest bucket that is still there and that makes no more than 16 of the stretch.
      let bucket = max(history.base, max(length / 4, (newest - from) / 255))
      var inside: [Float] = []
      var near: Set<Float> = []
      for (index, value) in planted {
        let begin = UInt64(index) * step
        if begin >= from, begin + step <= to { inside.append(value) }
        if begin + step + bucket > from, begin < to + bucket { near.insert(value) }
      }
      for value in inside {
        found += 1
        #expect(extent.min <= value && value <= extent.max)
      }
      if extent.max >= 1000 { #expect(near.contains(extent.max)) }
      if extent.min <= -1000 { #expect(near.contains(extent.min)) }
      #expect(!extent.isEmpty)
    }
    #expect(found > 300)
  }

  @Test func `an hour without values stays a gap in every width of graph`() {
    let hour: UInt64 = 3_600_000 * millisecond
    var history = History(start: start, base: 100 * millisecond)
    for index in 0..<(6 * 36_000 as UInt64) {
      let offset = (index + 1) * 100 * millisecond
      if offset > 2 * hour, offset <= 3 * hour { continue }
      history.add(values(1), at: instant(offset), continues: index != 3 * 36_000)
    }
    for minutes in [1, 5, 10] as [UInt64] {
      let from = 2 * hour + 15 * 60_000 * millisecond
      let gap = history.extent(
        .cpu, from: instant(from), to: instant(from + minutes * 60_000 * millisecond))
      #expect(gap.isEmpty)
    }
    #expect(!history.extent(.cpu, from: instant(hour), to: instant(2 * hour)).isEmpty)
    #expect(!history.extent(.cpu, from: instant(3 * hour), to: instant(4 * hour)).isEmpty)
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0))
  func `its memory is fixed: 100000 values and 1000 questions allocate nothing`() {
    var history = History(start: start, base: 100 * millisecond)
    let added = allocations {
      for index in 0..<100_000 {
        history.add(
          values(Float(index)), at: instant(UInt64(index + 1) * 100 * millisecond), continues: true)
      }
    }
    #expect(added == 0)
    var greatest: Float = 0
    let asked = allocations {
      for index in 0..<1000 {
        let extent = history.extent(
          .cpu, from: instant(UInt64(index) * 10_000 * millisecond),
          to: instant(UInt64(index + 1) * 10_000 * millisecond))
        greatest = max(greatest, extent.max)
      }
    }
    #expect(asked == 0)
    #expect(greatest == 99_999)
  }

  @Test func `a base below 1 ms is taken as 1 ms`() {
    #expect(History(start: start, base: 0).base == millisecond)
    #expect(History(start: start, base: 20 * millisecond).base == 20 * millisecond)
  }

  @Test func `a slow frame is found in the cell of its sample, as long as the history goes back`() {
    var process = MadeUpProcess()
    for tenth in 1...3000 {
      let time = Double(tenth) / 10
      // 20 frames a second of 50 ms, and now and then one of 200.
      for half in 0..<2 {
        let isSlow = tenth % 500 == 400 && half == 1
        process.report(.frame, at: time - 0.06 + 0.05 * Double(half)) {
          $0.number = isSlow ? 200 : 50
        }
      }
      process.memory(100, at: time)
    }
    for second in 1..<300 {
      let from = MadeUpProcess.time(Double(second))
      let slowest = process.run.history.slowestFrame(from: from, to: from.advanced(bySeconds: 1))
      #expect(slowest == (second % 50 == 39 ? 200 : 0), "\(second) s")
    }
    #expect(process.run.frames?.slowFrames.total == 6)
  }

  @Test func `slow ticks are perfhud's own and no marks`() {
    var process = MadeUpProcess(tickPeriod: 16_666_667)
    for tenth in 1...100 {
      process.run.apply(.activity(.frame(MadeUpProcess.time(Double(tenth) / 10), .tick, missed: 5)))
      process.memory(100, at: Double(tenth) / 10)
    }
    #expect((process.run.frames?.slowFrames.total ?? 0) > 0)
    #expect(
      process.run.history.slowestFrame(from: MadeUpProcess.start, to: MadeUpProcess.time(10)) == 0)
  }
}
