import Metrics
import PerfHUDBase
import PerfHUDEvents
import Recording
import SystemPackage
import Terminal

/// The demo program as it was recorded, with the records that perfhud would have made of it.
enum DemoPlay {
  /// The visits to the canvas: when each begins and ends, in seconds.
  private static let visits = [(4.0, 10.0), (14.0, 20.0)]

  /// When the demo shows something else, in seconds, and what.
  static let phases =
    [(seconds: 0.0, name: "gallery")]
    + visits.flatMap { [(seconds: $0.0, name: "canvas"), (seconds: $0.1, name: "gallery")] }

  /// The memory of the demo, as its status line shows it, with that of the process itself.
  private static func mebibytes(_ seconds: Double) -> Double {
    var mebibytes = 2.6
    for (begin, end) in visits where seconds >= begin {
      // Layers of 4 MiB, one every 0.12 s; three of them are kept.
      mebibytes += seconds < end ? 4 * min(12, ((seconds - begin) / 0.12).rounded(.up)) : 12
    }
    return mebibytes
  }

  private static func isOnCanvas(_ seconds: Double) -> Bool {
    visits.contains { $0.0 <= seconds && seconds < $0.1 }
  }

  /// Plays the demo below the HUD.
  ///
  /// - Parameter output: What goes to the terminal, and when.
  static func play(
    _ recordings: FilePath, until end: Double, on stage: inout OverlayStage,
    output: (_ bytes: [UInt8], _ seconds: Double) -> Void
  ) throws {
    let recording = try ScreenRecording(path: recordings.appending("demo.screen"))
    var facts = SceneProgram.Facts()
    facts.name = "perfhud-demo"
    facts.command = "perfhud-demo --leak"
    facts.isOverlay = true
    facts.includesChildren = true
    var program = SceneProgram(facts) { seconds in
      let number = Int(seconds * 10)
      var moment = SceneProgram.Moment()
      moment.cpu = isOnCanvas(seconds) ? 0.055 + 0.03 * SceneProgram.noise(number) : 0.004
      if visits.contains(where: { $0.0 <= seconds && seconds < $0.0 + 1.4 }) { moment.cpu += 0.11 }
      moment.mebibytes = mebibytes(seconds)
      moment.fileMebibytes = 3
      moment.waits = 0.0003
      return moment
    }
    var next = 0
    while program.seconds < end {
      let seconds = program.seconds
      for phase in phases where phase.seconds == seconds {
        let isCanvas = phase.name == "canvas"
        program.enter(phase.name, icon: isCanvas ? "🎨" : "🖼", isCanvas ? .purple : .cyan)
      }
      if isOnCanvas(seconds) { program.drawFrames(3) }
      while next < recording.pieces.count,
        recording.pieces[next].milliseconds < (program.tenths + 1) * 100
      {
        let bytes = stage.pass(recording.pieces[next].bytes, now: program.now)
        output(bytes, seconds)
        program.apply(
          .activity(.output(bytes: UInt64(recording.pieces[next].bytes.count), program.now)))
        next += 1
      }
      program.pass()
      output(stage.show(program.run, now: program.now), program.seconds)
    }
  }
}

/// The demo below the HUD as a recording of the terminal.
enum DemoCast {
  private static let size = Size(rows: 24, columns: 80)
  private static let seconds = 21.0

  static func bytes(_ recordings: FilePath) throws -> [UInt8] {
    var writer = AsciicastWriter(
      columns: size.columns, rows: size.rows,
      AsciicastWriter.Origin(title: "perfhud perfhud-demo --leak"))
    var bytes = writer.takeBytes()
    var stage = OverlayStage(size)
    var phases = DemoPlay.phases[...]
    try DemoPlay.play(recordings, until: seconds, on: &stage) { output, seconds in
      guard !output.isEmpty else { return }
      let time = UInt64((seconds * 1e9).rounded())
      while let phase = phases.first, phase.seconds <= seconds {
        writer.writeMark(phase.name, nanoseconds: time)
        phases.removeFirst()
      }
      writer.writeOutput(output[...], nanoseconds: time)
      bytes += writer.takeBytes()
    }
    writer.finish()
    return bytes + writer.takeBytes()
  }
}
