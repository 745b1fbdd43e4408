import Metrics
import PerfHUDBase
import Sampler
import Testing

/// Frames and output of a program under the overlay.
@Suite struct OutputTests {
  private func overlay() -> MadeUpProcess { MadeUpProcess(framesFromTerminal: true) }

  /// Frames at a distance in milliseconds, each with its bytes, from a time on; both in seconds.
  private func draw(
    _ process: inout MadeUpProcess, from start: Double, to end: Double, every period: Double,
    bytes: UInt64
  ) {
    var time = start
    while time <= end {
      process.run.apply(.activity(.output(bytes: bytes, MadeUpProcess.time(time))))
      process.run.apply(.activity(.frame(MadeUpProcess.time(time), .terminal, missed: 0)))
      time += period
    }
  }

  @Test func `before the first frame there is no rate, however long that lasts`() {
    var process = overlay()
    for time in [0.5, 1.5, 60] {
      process.run.apply(.activity(.output(bytes: 500, MadeUpProcess.time(time))))
      process.read(at: time, cpu: 0)
      #expect(process.run.latest?.fpsSource == nil)
      #expect(process.run.latest?.isIdle == false)
      #expect(process[.fps] == .absent(.noFrames))
      #expect(process[.frameP99] == .absent(.noFrames))
      #expect(process[.bytesPerFrame] == .absent(.noFrames))
    }
    process.run.apply(.activity(.frame(MadeUpProcess.time(61), .terminal, missed: 0)))
    process.read(at: 61.1, cpu: 0)
    #expect(process.run.latest?.fpsSource == .terminal)
    #expect(process[.fps] == .value(1))
    process.read(at: 63, cpu: 0)
    #expect(process[.fps] == .value(0))
    #expect(process.run.latest?.isIdle == true)
  }

  @Test(arguments: [5.0, 7, 24, 59.94, 240])
  func `without a pause the rate is exact, wherever the second ends`(rate: Double) {
    var process = overlay()
    draw(&process, from: 0.5, to: 4, every: 1 / rate, bytes: 1)
    for step in 0..<10 {
      var copy = process
      copy.read(at: 4 + Double(step) * 0.009, cpu: 0)
      #expect(isClose(copy[.fps], rate, within: rate * 0.001))
    }
  }

  @Test func `a rate with frames that may be several is a lower bound`() {
    var process = overlay()
    draw(&process, from: 0.5, to: 4, every: 0.02, bytes: 1)
    process.read(at: 4, cpu: 0)
    #expect(process.run.latest?.fpsIsLowerBound == false)
    process.run.apply(.activity(.mergedFrame(MadeUpProcess.time(4.02))))
    process.read(at: 4.03, cpu: 0)
    #expect(process.run.latest?.fpsIsLowerBound == false, "one of fifty")
    process.run.apply(.activity(.mergedFrame(MadeUpProcess.time(4.04))))
    process.read(at: 4.05, cpu: 0)
    #expect(process.run.latest?.fpsIsLowerBound == true)
    draw(&process, from: 4.06, to: 6, every: 0.02, bytes: 1)
    process.read(at: 6, cpu: 0)
    #expect(process.run.latest?.fpsIsLowerBound == false, "a second later")
  }

  @Test func `while more keys are unclear than clear there is no time from key to frame`() {
    var process = overlay()
    process.run.apply(.answer(nanoseconds: 20_000_000, MadeUpProcess.time(1)))
    process.run.apply(.unclearAnswer(MadeUpProcess.time(2)))
    process.read(at: 3, cpu: 0)
    #expect(isClose(process[.keyToFrame], 20))
    process.run.apply(.unclearAnswer(MadeUpProcess.time(4)))
    process.read(at: 5, cpu: 0)
    #expect(process[.keyToFrame] == .absent(.unclear))
    #expect(process.run.latest?.keyToFrameP99 == .absent(.unclear))
    process.run.apply(.answer(nanoseconds: 40_000_000, MadeUpProcess.time(6)))
    process.read(at: 7, cpu: 0)
    #expect(process[.keyToFrame]?.value != nil)
    process.read(at: 70, cpu: 0)
    #expect(process[.keyToFrame] == .absent(.pending))
  }

  @Test func `answers to keys have a median and a 99th percentile, for a minute`() {
    var process = overlay()
    process.read(at: 1, cpu: 0)
    #expect(process[.keyToFrame] == .absent(.pending))
    for number in 1...10 {
      let time = MadeUpProcess.time(1 + Double(number) / 10)
      process.run.apply(.answer(nanoseconds: Int64(11 - number) * 2_000_000, time))
    }
    process.read(at: 2, cpu: 0)
    #expect(isClose(process[.keyToFrame], 12))
    #expect(process.run.latest?.keyToFrameP99 == .value(20))
    process.read(at: 61.5, cpu: 0)
    #expect(isClose(process[.keyToFrame], 6), "five of them are older than a minute")
    process.read(at: 62.1, cpu: 0)
    #expect(process[.keyToFrame] == .absent(.pending))
    // The last 64 of many.
    for number in 0..<200 {
      let time = MadeUpProcess.time(63 + Double(number) / 100)
      process.run.apply(.answer(nanoseconds: number < 136 ? 1 : 5_000_000, time))
    }
    process.read(at: 66, cpu: 0)
    #expect(isClose(process[.keyToFrame], 5))
  }

  @Test func `20 frames a second of 500 bytes are 20 FPS of 500 bytes`() {
    var process = overlay()
    draw(&process, from: 0.5, to: 4, every: 0.05, bytes: 500)
    process.read(at: 4.01, cpu: 0)
    #expect(process[.fps] == .value(20))
    #expect(isClose(process[.bytesPerFrame], 500, within: 30))
    #expect(process.run.latest?.isIdle == false)
    #expect(process.run.latest?.fpsSource == .terminal)
  }

  @Test func `while idle the last bytes per frame stay and the rate is the honest count`() {
    var process = overlay()
    draw(&process, from: 0.5, to: 4, every: 0.05, bytes: 500)
    process.read(at: 4.1, cpu: 0)
    let before = process[.bytesPerFrame]
    process.run.apply(.activity(.output(bytes: 1_000_000, MadeUpProcess.time(4.4))))
    process.read(at: 4.5, cpu: 0)
    #expect(process.run.latest?.isIdle == true)
    #expect(process[.bytesPerFrame] == before)
    #expect((process[.fps]?.value ?? 0) > 5)
    process.read(at: 6, cpu: 0)
    #expect(process[.fps] == .value(0))
    #expect(process[.bytesPerFrame] == before)
  }

  @Test func `a frame alone is idle, and its bytes are the bytes per frame`() {
    var process = overlay()
    draw(&process, from: 0.5, to: 4, every: 0.5, bytes: 700)
    process.read(at: 4.1, cpu: 0)
    #expect(process.run.latest?.isIdle == true)
    #expect(isClose(process[.bytesPerFrame], 700))
  }

  @Test func `of the cells that were written in the last second the share that was there already`()
  {
    var process = overlay()
    process.read(at: 1, cpu: 0)
    #expect(process[.unchangedCells] == .absent(.pending))
    process.run.apply(.activity(.cells(written: 1000, unchanged: 0, MadeUpProcess.time(1))))
    process.run.apply(.activity(.cells(written: 300, unchanged: 100, MadeUpProcess.time(2.5))))
    process.run.apply(.activity(.cells(written: 100, unchanged: 0, MadeUpProcess.time(2.9))))
    process.read(at: 3, cpu: 0)
    #expect(process[.unchangedCells] == .value(25))
    process.read(at: 6, cpu: 0)
    #expect(process[.unchangedCells] == .value(25), "while nothing is written it stays")
  }

  @Test func `output that left the second is forgotten`() {
    var process = overlay()
    draw(&process, from: 0, to: 1, every: 0.1, bytes: 100_000)
    draw(&process, from: 2.2, to: 4, every: 0.1, bytes: 10)
    process.read(at: 4.01, cpu: 0)
    #expect(isClose(process[.bytesPerFrame], 10, within: 1))
  }

  @Test func `an idle stretch is a gap in the history of the rate`() {
    var process = overlay()
    draw(&process, from: 0.5, to: 2, every: 0.05, bytes: 1)
    process.read(at: 2, cpu: 0)
    process.read(at: 2.1, cpu: 0)
    for step in 1...5 { process.read(at: 2.1 + Double(step) / 2, cpu: 0) }
    func extent(_ from: Double, _ to: Double) -> Extent {
      process.run.history.extent(
        .fps, from: MadeUpProcess.time(from), to: MadeUpProcess.time(to))
    }
    #expect(!extent(1.9, 2.1).isEmpty)
    #expect(extent(3, 4).isEmpty)
  }

  @Test func `output without the terminal as the source is counted when it comes`() {
    var process = MadeUpProcess()
    process.read(at: 1, cpu: 0)
    #expect(process[.bytesPerFrame] == .absent(.notRequested))
    process.run.apply(.activity(.output(bytes: 5, MadeUpProcess.time(1.1))))
    process.read(at: 1.2, cpu: 0)
    #expect(process[.bytesPerFrame] == .absent(.pending))
  }

  @Test func `frames of the program lead over those of the tick, and its own reports over both`() {
    var process = overlay()
    process.run.apply(.activity(.frame(MadeUpProcess.time(1), .terminal, missed: 0)))
    process.run.apply(.activity(.frame(MadeUpProcess.time(1.1), .tick, missed: 0)))
    process.read(at: 1.2, cpu: 0)
    #expect(process.run.latest?.fpsSource == .terminal)
    #expect(process[.fps] == .value(1))
    process.run.apply(.activity(.frame(MadeUpProcess.time(1.3), .app, missed: 0)))
    process.run.apply(.activity(.frame(MadeUpProcess.time(1.4), .terminal, missed: 0)))
    process.read(at: 1.5, cpu: 0)
    #expect(process.run.latest?.fpsSource == .app)
    #expect(process[.fps] == .value(1))
  }

  @Test func `the tick is never idle`() {
    var process = MadeUpProcess(tickPeriod: 20_000_000)
    process.read(at: 1, cpu: 0)
    #expect(process.run.latest?.isIdle == false)
    process.run.apply(.activity(.frame(MadeUpProcess.time(1), .tick, missed: 0)))
    process.read(at: 3, cpu: 0)
    #expect(process.run.latest?.isIdle == false)
  }

  @Test func `descendants that found no room are in the row`() {
    var process = MadeUpProcess()
    process.read(at: 1, cpu: 0) {
      $0.processes = 513
      $0.leftOutProcesses = 88
    }
    #expect(process[.processes] == .value(513))
    #expect(process.run.latest?.leftOutProcesses == 88)
  }
}
