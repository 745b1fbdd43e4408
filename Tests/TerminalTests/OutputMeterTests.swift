import Base
import Terminal
import Testing

@Suite final class OutputMeterTests {
  private var meter = OutputMeter()

  private func add(bytes: Int, updateEnds: Int, at time: Instant) -> Bool {
    meter.add(bytes: bytes, updateEnds: updateEnds, at: time)
  }

  private func nextFrame(now: Instant) -> Instant? { meter.nextFrame(now: now) }

  private func takeAnswer() -> Int64? { meter.takeAnswer() }

  private func takeBytes() -> Int { meter.takeBytes() }

  private func at(_ milliseconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000 + UInt64(milliseconds * 1_000_000))
  }

  @Test func `a burst is a frame after 4 ms of silence, at the time of its last byte`() {
    #expect(meter.deadline == nil && nextFrame(now: at(0)) == nil)
    #expect(!add(bytes: 10, updateEnds: 0, at: at(0)))
    #expect(!add(bytes: 10, updateEnds: 0, at: at(3)))
    #expect(meter.deadline == at(7))
    #expect(nextFrame(now: at(6.9)) == nil)
    #expect(nextFrame(now: at(7)) == at(3))
    #expect(meter.deadline == nil && nextFrame(now: at(20)) == nil)
  }

  @Test func `a synchronized update is a frame at once, and not once more by silence`() {
    #expect(!add(bytes: 10, updateEnds: 0, at: at(0)))
    #expect(add(bytes: 10, updateEnds: 1, at: at(1)))
    #expect(meter.deadline == nil && nextFrame(now: at(50)) == nil)
  }

  @Test func `several updates in one read are one frame`() {
    #expect(add(bytes: 10, updateEnds: 5, at: at(0)))
    #expect(!add(bytes: 10, updateEnds: 5, at: at(20)))
  }

  @Test func `at most one frame in 1/120 s`() {
    #expect(add(bytes: 1, updateEnds: 1, at: at(0)))
    #expect(!add(bytes: 1, updateEnds: 2, at: at(8.3)))
    #expect(add(bytes: 1, updateEnds: 3, at: at(8.4)))
    #expect(!add(bytes: 1, updateEnds: 3, at: at(10)))
    #expect(nextFrame(now: at(14)) == nil && meter.deadline == nil)
  }

  @Test func `the next frame answers the oldest key`() {
    #expect(takeAnswer() == nil)
    meter.noteKey(at: at(0))
    meter.noteKey(at: at(10))
    #expect(!add(bytes: 1, updateEnds: 0, at: at(20)))
    #expect(takeAnswer() == nil, "the burst has not ended")
    #expect(!add(bytes: 1, updateEnds: 0, at: at(22)))
    #expect(nextFrame(now: at(26)) == at(22))
    #expect(takeAnswer() == 22_000_000)
    #expect(takeAnswer() == nil)
    // A frame that is too early to be counted is an answer all the same.
    meter.noteKey(at: at(24))
    #expect(!add(bytes: 1, updateEnds: 1, at: at(25)))
    #expect(takeAnswer() == 1_000_000)
    _ = add(bytes: 1, updateEnds: 2, at: at(100))
    #expect(takeAnswer() == nil, "nobody has asked")
  }

  @Test func `a key that nothing answers for 5 s is none, and the next one counts`() {
    meter.noteKey(at: at(0))
    _ = add(bytes: 1, updateEnds: 1, at: at(5001))
    #expect(takeAnswer() == nil)
    meter.noteKey(at: at(6000))
    meter.noteKey(at: at(12_000))
    _ = add(bytes: 1, updateEnds: 2, at: at(12_003))
    #expect(takeAnswer() == 3_000_000)
  }

  @Test func `bytes are counted until they are taken`() {
    _ = add(bytes: 10, updateEnds: 0, at: at(0))
    _ = add(bytes: 5, updateEnds: 1, at: at(1))
    #expect(takeBytes() == 15 && takeBytes() == 0)
  }
}
