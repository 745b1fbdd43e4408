import Glibc
import PerfHUDBase
import Testing

@testable import Sampler

@Suite struct SampleRingTests {
  private func sample(_ number: Int, hasEnded: Bool = false) -> Sample {
    var sample = Sample()
    sample.sequence = UInt32(number)
    sample.hasEnded = hasEnded
    return sample
  }

  @Test func `an empty ring gives nil`() {
    #expect(SampleRing().pop() == nil)
  }

  @Test func `samples come out in the order they went in, round and round`() {
    let ring = SampleRing()
    for number in 0..<1000 {
      ring.push(sample(number))
      if number % 3 == 2 {
        for past in (number - 2)...number { #expect(ring.pop()?.sequence == UInt32(past)) }
      }
    }
    #expect(ring.pop()?.missed == 0)
    #expect(ring.pop() == nil)
  }

  @Test func `130 samples and then the last one: 3 are dropped and counted, the last one is not`() {
    let ring = SampleRing()
    for number in 0..<130 { #expect(ring.push(sample(number)) == (number < 127)) }
    #expect(ring.push(sample(130, hasEnded: true)))
    var last: Sample?
    var count = 0
    while let next = ring.pop() {
      #expect(next.missed == (next.hasEnded ? 3 : 0))
      last = next
      count += 1
    }
    #expect(count == 128)
    #expect(last?.hasEnded == true)
  }

  @Test func `a slow reader that never catches up learns of each gap with the next sample`() {
    let ring = SampleRing()
    var received: UInt32 = 0
    func take() {
      guard let next = ring.pop() else { return }
      received += 1
      #expect(next.missed == next.sequence + 1 - received)
    }
    for number in 0..<1000 {
      ring.push(sample(number))
      if number % 3 == 2 { take() }
    }
    #expect(ring.count == 127)
    while ring.hasNext { take() }
    #expect(received < 500)
  }

  @Test func `10 000 samples from another thread arrive in order, apart from those counted`() {
    let ring = SampleRing()
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(ring).toOpaque()
    unsafe pthread_create(&thread, nil, fillRing, argument)
    var received: UInt32 = 0
    var next: UInt32 = 0
    var ended = false
    while !ended {
      guard let sample = ring.pop() else {
        sched_yield()
        continue
      }
      #expect(sample.sequence >= next)
      next = sample.sequence + 1
      received += 1
      #expect(received + sample.missed == next)
      ended = sample.hasEnded
    }
    pthread_join(thread, nil)
    #expect(next == 10_001)
  }
}

private func fillRing(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument = unsafe argument else { return nil }
  let ring = unsafe Unmanaged<SampleRing>.fromOpaque(argument).takeRetainedValue()
  var sample = Sample()
  for number in 0...10_000 {
    sample.sequence = UInt32(number)
    sample.hasEnded = number == 10_000
    ring.push(sample)
  }
  return nil
}

@Suite struct SampleGridTests {
  private let start = Instant(nanoseconds: 1_000_000_000)
  private let ms: UInt64 = 1_000_000

  @Test func `the first reading is due one interval after the start`() {
    let grid = SampleGrid(start: start, interval: 100 * ms)
    #expect(grid.due.nanoseconds == 1_100 * ms)
  }

  @Test func `a reading on time is 0 late and the next one is due an interval later`() {
    var grid = SampleGrid(start: start, interval: 100 * ms)
    #expect(grid.serve(at: grid.due) == .init(missed: 0, lateNanoseconds: 0))
    #expect(grid.due.nanoseconds == 1_200 * ms)
  }

  @Test func `99 ms late misses nothing and does not move the grid`() {
    var grid = SampleGrid(start: start, interval: 100 * ms)
    let late = Instant(nanoseconds: 1_199 * ms)
    #expect(grid.serve(at: late) == .init(missed: 0, lateNanoseconds: 99 * ms))
    #expect(grid.due.nanoseconds == 1_200 * ms)
  }

  @Test func `250 ms late misses two times and serves the third 50 ms late`() {
    var grid = SampleGrid(start: start, interval: 100 * ms)
    let late = Instant(nanoseconds: 1_350 * ms)
    #expect(grid.serve(at: late) == .init(missed: 2, lateNanoseconds: 50 * ms))
    #expect(grid.due.nanoseconds == 1_400 * ms)
  }

  @Test func `exactly one interval late misses one and serves the next on time`() {
    var grid = SampleGrid(start: start, interval: 20 * ms)
    let late = Instant(nanoseconds: 1_040 * ms)
    #expect(grid.serve(at: late) == .init(missed: 1, lateNanoseconds: 0))
    #expect(grid.due.nanoseconds == 1_060 * ms)
  }
}
