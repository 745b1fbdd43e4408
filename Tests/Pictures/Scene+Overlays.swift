import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents
import SVG
import SystemPackage
import Terminal

/// The HUD over programs.
extension Scene {
  static let overlays = [
    Scene(
      name: "overlay-make", title: "perfhud make -j2",
      description: "The HUD over make: CPU, memory and storage of all its processes.",
      draw: overMake),
    Scene(
      name: "overlay-demo", title: "perfhud --size 44x10 perfhud-demo --leak",
      description:
        "The HUD over a drawing program: its phase, frames and memory, colored by phase.",
      draw: overDemo),
    Scene(
      name: "overlay-vim", title: "perfhud vim src/sky.c",
      description: "The HUD over vim: how long it takes from a key to what it shows.", draw: overVim
    ),
    Scene(
      name: "overlay-light", title: "perfhud make -j2",
      description: "The HUD over make on a light background.", colors: .light, draw: overMakeOnLight
    ),
  ]

  private static let size = Size(rows: 24, columns: 80)

  // MARK: make

  private static func overMake(_ recordings: FilePath) throws -> ScreenPicture {
    try makePicture(recordings, .dark)
  }

  private static func overMakeOnLight(_ recordings: FilePath) throws -> ScreenPicture {
    try makePicture(recordings, .light)
  }

  private static func makePicture(
    _ recordings: FilePath, _ background: Background
  ) throws -> ScreenPicture {
    var facts = SceneProgram.Facts()
    facts.command = "make -j2"
    facts.processors = 2
    facts.isOverlay = true
    facts.includesChildren = true
    var program = SceneProgram(facts) { seconds in
      let number = Int(seconds * 10)
      var moment = SceneProgram.Moment()
      // Two compilers, but for a part that one of them waits for.
      let busy = Curve(
        (0, 0.5), (2.2, 0.95), (2.4, 1.9), (4.8, 1.95), (5, 1.05), (7.4, 1.2), (7.6, 1.92),
        (10, 1.7),
        (12.4, 1.88))
      moment.cpu = min(1.98, busy.at(seconds) + 0.1 * SceneProgram.noise(number))
      // Each compiler grows until it ends.
      let first = Double((number + 8) % 44) / 44
      let second = Double((number + 31) % 61) / 61
      moment.mebibytes = 3 + 26 * first + 33 * second
      moment.fileMebibytes = 46
      moment.writes = 14_000 + 90_000 * SceneProgram.noise(number / 11 + 5)
      moment.waits = 0.041
      moment.processes = 6
      return moment
    }
    while program.tenths < 124 { program.pass() }
    var stage = OverlayStage(size, background: background)
    let recording = try ScreenRecording(path: recordings.appending("make.screen"))
    _ = stage.pass(Array("\u{1B}[1m$\u{1B}[0m perfhud make -j2\r\n".utf8), now: SceneProgram.start)
    // The program that is linked last is still to come.
    for piece in recording.pieces.dropLast(2) {
      _ = stage.pass(piece.bytes, now: program.now)
    }
    _ = stage.show(program.run, now: program.now)
    return ScreenPicture(stage.terminal, showsCursor: true)
  }

  // MARK: vim

  private static func overVim(_ recordings: FilePath) throws -> ScreenPicture {
    var facts = SceneProgram.Facts()
    facts.name = "vim"
    facts.command = "vim src/sky.c"
    facts.age = 96
    facts.isOverlay = true
    facts.includesChildren = true
    var program = SceneProgram(facts) { seconds in
      let number = Int(seconds * 10)
      var moment = SceneProgram.Moment()
      moment.cpu = 0.008 + (number % 9 < 3 ? 0.05 * SceneProgram.noise(number) : 0)
      moment.mebibytes = 7.4 + Curve((0, 0), (4, 0), (4.5, 1.1), (20, 1.2)).at(seconds)
      moment.waits = 0.0002
      return moment
    }
    while program.tenths < 180 {
      // Somebody types and moves around.
      if program.tenths % 2 == 0, program.tenths < 170 {
        let answer = Int64(2_100_000 + 2_400_000 * program.noise(1))
        let time = program.now.advanced(byNanoseconds: 20_000_000)
        program.apply(.activity(.frame(time, .terminal, missed: 0)))
        program.apply(.answer(nanoseconds: answer, time))
      }
      program.pass()
    }
    var stage = OverlayStage(size)
    let recording = try ScreenRecording(path: recordings.appending("vim.screen"))
    _ = stage.pass(recording.bytes(), now: program.now)
    _ = stage.show(program.run, now: program.now)
    return ScreenPicture(stage.terminal, showsCursor: true)
  }

  // MARK: The demo

  /// In the middle of its second visit to the canvas.
  private static func overDemo(_ recordings: FilePath) throws -> ScreenPicture {
    var stage = OverlayStage(size, size: .cells(Size(rows: 10, columns: 44)))
    try DemoPlay.play(recordings, until: 19.6, on: &stage) { _, _ in }
    return ScreenPicture(stage.terminal)
  }
}
