import PerfHUDBase
import PerfHUDEvents
import Sampler
import Testing

@testable import Metrics

/// Which programs draw frames, so that the HUD shows their rate.
@Suite struct FrameDrawingTests {
  private func summary(_ frames: Int) -> FrameStatistics.Summary {
    var summary = FrameStatistics.Summary()
    summary.framesInLastSecond = frames
    return summary
  }

  private func time(_ seconds: Double) -> Instant {
    Instant(nanoseconds: UInt64((10 + seconds) * 1e9))
  }

  @Test func `a frame that a program reports is enough`() {
    var drawing = FrameDrawing()
    #expect(!drawing.drawsFrames)
    drawing.addFrame(.app, isUpdate: false)
    #expect(drawing.drawsFrames)
  }

  @Test func `of synchronized updates it takes three`() {
    var drawing = FrameDrawing()
    for number in 1...3 {
      drawing.addFrame(.terminal, isUpdate: true)
      #expect(drawing.drawsFrames == (number == 3))
    }
  }

  @Test func `20 frames a second count after two seconds, and go on counting`() {
    var drawing = FrameDrawing()
    for tenth in 0...20 {
      #expect(!drawing.drawsFrames)
      drawing.update(summary(20), .terminal, at: time(Double(tenth) / 10))
    }
    #expect(drawing.drawsFrames)
    drawing.update(summary(0), .terminal, at: time(60))
    #expect(drawing.drawsFrames)
  }

  @Test func `a line of progress at 10 Hz is no frame rate, nor is the tick`() {
    var drawing = FrameDrawing()
    for tenth in 0...100 {
      drawing.addFrame(.terminal, isUpdate: false)
      drawing.update(summary(10), .terminal, at: time(Double(tenth) / 10))
      drawing.addFrame(.tick, isUpdate: false)
      drawing.update(summary(60), .tick, at: time(Double(tenth) / 10))
    }
    #expect(!drawing.drawsFrames)
  }

  @Test func `a program that answers two keys and has drawn four frames draws frames`() {
    var drawing = FrameDrawing()
    drawing.addAnswer()
    drawing.addAnswer()
    for number in 1...4 {
      drawing.update(summary(1), .terminal, at: time(Double(number)))
      #expect(!drawing.drawsFrames)
      drawing.addFrame(.terminal, isUpdate: false)
    }
    drawing.update(summary(1), .terminal, at: time(5))
    #expect(drawing.drawsFrames)
  }

  @Test func `a frame or two for each key are answers; those of an animation are not`() {
    for (perKey, drawsOnlyAfterKeys) in [(1, true), (2, true), (5, false)] {
      var frames = KeyedFrames()
      for key in 0..<30 {
        let pressed = Double(key) * 0.15
        for frame in 0..<perKey { frames.addFrame(at: time(pressed + Double(frame) * 0.02)) }
        frames.addAnswer(at: time(pressed + 0.01))
        frames.update(asOf: time(pressed + 0.1))
        #expect(frames.drawsOnlyAfterKeys == drawsOnlyAfterKeys)
      }
    }
  }

  @Test func `a program that has drawn for keys and begins to draw by itself has a frame rate`() {
    var frames = KeyedFrames()
    frames.addFrame(at: time(0))
    frames.addAnswer(at: time(0.01))
    frames.update(asOf: time(0.1))
    frames.update(asOf: time(9))
    #expect(frames.drawsOnlyAfterKeys, "nothing was drawn since")
    for number in 0...30 { frames.addFrame(at: time(10 + Double(number) / 30)) }
    frames.update(asOf: time(11))
    #expect(!frames.drawsOnlyAfterKeys)
  }

  @Test func `a game whose key is held down has a frame rate`() {
    var frames = KeyedFrames()
    for number in 0..<600 {
      let drawn = Double(number) / 60
      frames.addFrame(at: time(drawn))
      // From the third second on, the key repeats 30 times a second.
      if drawn >= 3, number % 2 == 0 { frames.addAnswer(at: time(drawn)) }
      frames.update(asOf: time(drawn))
      #expect(!frames.drawsOnlyAfterKeys)
    }
  }

  @Test func `a frame rate that is that of the typing raises no alert`() throws {
    var header = MadeUpProcess(framesFromTerminal: true).run.header
    header.alerts = [try Rule("fps < 30 for 1s")]
    for answersKeys in [true, false] {
      var process = MadeUpProcess(framesFromTerminal: true)
      process.run = Run(header)
      for number in 1...40 {
        let drawn = MadeUpProcess.time(Double(number) * 0.1)
        process.run.apply(.activity(.frame(drawn, .terminal, missed: 0)))
        if answersKeys { process.run.apply(.answer(nanoseconds: 1_000_000, drawn)) }
        process.read(at: Double(number) * 0.1 + 0.05)
      }
      #expect(process.run.latest?.isIdle == false)
      #expect(process.run.latest?.drawsOnlyAfterKeys == answersKeys)
      #expect(process.run.alerts.raisedCount == (answersKeys ? 0 : 1))
    }
  }

  @Test func `another target begins anew`() {
    var process = MadeUpProcess()
    process.report(.frame, at: 1)
    process.read(at: 1.1)
    #expect(process.run.latest?.drawsFrames == true)
    var name = ProcessName()
    for byte in "make".utf8 { name.append(byte) }
    process.run.apply(
      .target(TargetChange(name: name, pid: 7, isMark: true), MadeUpProcess.time(2)))
    process.read(at: 2.1)
    #expect(process.run.latest?.drawsFrames == false)
  }
}
