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
