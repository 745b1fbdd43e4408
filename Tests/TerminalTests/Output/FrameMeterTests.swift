import PerfHUDBase
import Terminal
import Testing

@Suite final class FrameMeterTests {
  private var meter = FrameMeter()
  private var updateEnds = 0
  /// What `takeFrames` has handed over.
  private var frames: [FrameMeter.Frame] = []

  private func at(_ milliseconds: Double) -> Instant {
    Instant(nanoseconds: 1_000_000_000 + UInt64(milliseconds * 1_000_000))
  }

  /// Output that draws, of a program that may end updates with it.
  private func add(
    at milliseconds: Double, ends: Int = 0, isUpdating: Bool = false, isDrawing: Bool = true,
    isRedraw: Bool = false, isUnfinished: Bool = false, wait: Int64 = 0
  ) {
    updateEnds += ends
    _ = meter.endBurst(now: at(milliseconds), wait: wait)
    let piece = FrameMeter.Piece(
      bytes: 10, updateEnds: updateEnds, isUpdating: isUpdating, isDrawing: isDrawing,
      isRedraw: isRedraw, isUnfinished: isUnfinished)
    meter.add(piece, at: at(milliseconds), wait: wait)
  }

  /// The times of the frames up to now, in milliseconds.
  private func times(now milliseconds: Double) -> [Double] {
    _ = meter.endBurst(now: at(milliseconds))
    meter.takeFrames { frames.append($0) }
    return frames.map { Double($0.time.nanoseconds(since: at(0))) * 1e-6 }
  }

  @Test func `a burst is a frame after 4 ms of silence, at the time of its last byte`() {
    #expect(meter.deadline == nil)
    add(at: 0)
    add(at: 3)
    #expect(meter.deadline == at(7))
    #expect(times(now: 6.9) == [])
    #expect(times(now: 7) == [3])
    #expect(meter.deadline == nil && times(now: 20) == [3])
  }

  @Test func `of slow redraws each but the first counts as one, whatever its pauses`() {
    for start in [0.0, 500, 1000, 30_000, 30_500] {
      add(at: start, isRedraw: true)
      add(at: start + 2)
    }
    add(at: 31_000)
    _ = times(now: 31_010)
    #expect(frames.map(\.isRedraw) == [false, true, true, false, true, false])
  }

  @Test func `quick redraws with pauses may be several frames`() {
    for start in [0.0, 20, 40] {
      add(at: start, isRedraw: true)
      add(at: start + 2)
    }
    #expect(times(now: 100).count == 3 && frames.allSatisfy { !$0.isRedraw && $0.isMerged })
  }

  @Test func `silence that nobody looked at ends a burst too`() {
    add(at: 0)
    add(at: 10)
    #expect(times(now: 10) == [0])
    #expect(times(now: 14) == [0, 10])
  }

  @Test(arguments: [240.0, 200, 144, 120, 60, 5])
  func `frames of one write are counted at any pace`(rate: Double) {
    let period = 1000 / rate
    for number in 0..<500 { add(at: Double(number) * period) }
    let count = times(now: 500 * period).count
    // The first ones show the pace.
    #expect(count >= 498 && count <= 500)
  }

  @Test func `a frame of several writes is one at 240 a second`() {
    for number in 0..<480 {
      let start = Double(number) * 1000 / 240
      for write in 0..<8 { add(at: start + Double(write) * 0.1) }
    }
    // The first quarter of a second shows the pace.
    let last = times(now: 2010).filter { $0 >= 1000 }
    #expect(last.count == 240, "\(last.count)")
    #expect(frames.suffix(240).allSatisfy { !$0.isMerged })
    #expect(frames.first?.isMerged == true)
  }

  @Test func `pauses within the frames of a slow program make no frames, but the rate is a bound`()
  {
    for number in 0..<20 {
      for write in 0..<5 { add(at: Double(number) * 100 + Double(write) * 2) }
    }
    #expect(times(now: 2100).count == 20)
    #expect(frames.allSatisfy { $0.isMerged })
  }

  @Test func `a burst without an end is a frame a second, which may be many`() {
    for number in 0..<25_000 { add(at: Double(number) * 0.1) }
    #expect(times(now: 2500).count == 2)
    #expect(frames.allSatisfy { $0.isMerged })
  }

  @Test func `silence within a sequence ends nothing`() {
    add(at: 0, isUnfinished: true)
    #expect(meter.deadline == nil && times(now: 50) == [])
    add(at: 60)
    #expect(times(now: 64) == [60])
  }

  @Test func `what is not read is no silence`() {
    add(at: 0)
    meter.hold(at: at(10))
    #expect(meter.deadline == at(14))
    #expect(times(now: 11) == [])
    meter.hold(at: at(20))
    add(at: 21)
    #expect(times(now: 25) == [21])
    #expect(frames.allSatisfy { $0.isMerged })
  }

  @Test func `what is read after a key did not come before it, however long perfhud waited`() {
    add(at: 0)
    meter.noteKey(at: at(400))
    add(at: 400.25, wait: 1_000_000)
    #expect(times(now: 410) == [0, 400])
    // Read together with the key it may have come before it.
    meter.noteKey(at: at(800))
    add(at: 800, wait: 1_000_000)
    #expect(times(now: 810) == [0, 400, 799])
  }

  @Test func `the time for which perfhud waited for a processor is no silence`() {
    add(at: 0)
    add(at: 6, wait: 5_000_000)
    #expect(times(now: 6) == [], "the program may have written after 1 ms")
    #expect(times(now: 12) == [1])
    add(at: 20)
    add(at: 32, wait: 5_000_000)
    #expect(times(now: 32) == [1, 20], "7 ms are silence all the same")
  }

  @Test func `a synchronized update is a frame at once, and not once more by silence`() {
    add(at: 0)
    add(at: 1, ends: 1)
    #expect(meter.deadline == nil && times(now: 50) == [1])
  }

  @Test func `a pause in a synchronized update ends nothing`() {
    add(at: 0, isUpdating: true)
    #expect(meter.deadline == nil && times(now: 400) == [])
    add(at: 400, isUpdating: true)
    #expect(times(now: 450) == [])
    add(at: 500, ends: 1)
    #expect(times(now: 600) == [500])
  }

  @Test func `an update that never ends is waited for 5 s`() {
    add(at: 0, isUpdating: true)
    add(at: 4900, isUpdating: true)
    #expect(times(now: 4990) == [])
    add(at: 5100, isUpdating: true)
    #expect(times(now: 5200) == [5100])
  }

  @Test func `output beside synchronized updates is no frame, until they have ended for a second`()
  {
    add(at: 0, ends: 1)
    add(at: 2)
    add(at: 900)
    #expect(times(now: 950) == [0])
    add(at: 1001)
    #expect(times(now: 1010) == [0, 1001])
  }

  @Test func `several updates in one read are as many frames, as far apart as usual`() {
    for number in 0..<100 { add(at: Double(number) * 4, ends: 1) }
    add(at: 408, ends: 3)
    let last = times(now: 408).suffix(4)
    #expect(zip(last, [396.0, 400, 404, 408]).allSatisfy { abs($0 - $1) < 0.01 }, "\(last)")
  }

  @Test func `updates that are written together after a pause are close together`() {
    for number in 0..<20 { add(at: Double(number) * 16, ends: 1) }
    add(at: 10_000, ends: 2)
    #expect(abs(times(now: 10_000).suffix(2)[20] - 9984) < 0.01)
  }

  @Test func `updates of which nothing is known are all at the time of the read`() {
    add(at: 0, ends: 1)
    add(at: 1000, ends: 5)
    #expect(times(now: 1000) == [0, 1000, 1000, 1000, 1000, 1000])
  }

  @Test func `an update that was read late came when perfhud should have woken up`() {
    add(at: 0, ends: 1)
    add(at: 20, ends: 1, wait: 3_000_000)
    #expect(times(now: 20) == [0, 17])
    add(at: 21, ends: 1, wait: 30_000_000)
    #expect(times(now: 21) == [0, 17, 20], "not before the last read")
  }

  @Test func `lines of text are no drawing, but a burst of both is`() {
    add(at: 0, isDrawing: false)
    #expect(times(now: 10) == [0] && !frames[0].isDrawn)
    add(at: 20, isDrawing: false)
    add(at: 21)
    #expect(times(now: 30) == [0, 21] && frames[1].isDrawn)
  }

  @Test func `bytes are counted until they are taken`() {
    add(at: 0)
    add(at: 1, ends: 1)
    #expect(meter.takeBytes() == 20 && meter.takeBytes() == 0)
  }
}
