import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents
import SVG
import Sampler
import SystemPackage
import Terminal

/// Full-screen views, and the list to choose a process from.
extension Scene {
  static let panes = [
    Scene(
      name: "pane-overview", title: "perfhud --pid 2190",
      description: "The overview of a service in a full-screen view of 120 by 40."
    ) { _ in pane(120, 40, service.run) },
    Scene(
      name: "pane-44x15", title: "perfhud --pid 2190",
      description: "The overview of a service in a pane of 44 by 15."
    ) { _ in pane(44, 15, service.run) },
    Scene(
      name: "memory-by-phase", title: "perfhud --name sketch",
      description: "Memory of a drawing program by what it shows: the canvas keeps 12 MiB a visit."
    ) { _ in pane(100, 30, sketch.run, keys: [.character("2")]) },
    Scene(
      name: "processes", title: "perfhud --tree --name make",
      description: "The processes of a build as a tree, with CPU, memory and command lines."
    ) { _ in pane(100, 22, build.run, keys: [.character("3")]) },
    Scene(
      name: "picker", title: "perfhud --pick",
      description: "The list of processes to choose one from, filtered by what was typed."
    ) { _ in picker(96, 11, typed: "py") },
  ]

  /// What a full-screen view shows of a run, with the list that it asks for.
  private static func pane(_ columns: Int, _ rows: Int, _ run: Run, keys: [Key] = [])
    -> ScreenPicture
  {
    var state = HUDState()
    state.isAnimated = false
    var hud = HUD(size: Size(rows: rows, columns: columns), state: state)
    hud.begin(with: Settings())
    let now = run.latest?.time ?? SceneProgram.start
    var run = run
    hud.draw(run, now: now)
    for key in keys { _ = hud.handle(key, run: run) }
    // What a list leaves room for is known once it has been drawn.
    if !keys.isEmpty { hud.draw(run, now: now) }
    if let request = hud.wantedTable { run.apply(.processes(SceneTables.table(request, now))) }
    hud.invalidateAll()
    hud.draw(run, now: now.advanced(byNanoseconds: 600_000_000))
    return ScreenPicture(hud.picture, styles: Theme(depth: .direct).styles)
  }

  // MARK: Programs

  /// A service: it builds an index, serves with bursts, and makes a report now and then.
  private static let service: SceneProgram = {
    var facts = SceneProgram.Facts()
    facts.name = "catalog"
    facts.command = "python3 -m catalog --port 8080 --workers 6"
    facts.pid = 2190
    facts.age = 7_420
    facts.limitMebibytes = 512
    facts.rules = ["cpu > 250%", "mem > 480MiB"]
    let memory = Curve(
      (0, 118), (8, 126), (30, 214), (36, 214), (37, 168), (74, 176), (76, 238), (92, 262),
      (94, 186),
      (128, 191), (130, 255), (146, 281), (148, 203), (180, 205))
    let load = Curve(
      (0, 0.9), (8, 1.6), (30, 1.7), (36, 0.4), (50, 0.55), (60, 0.8), (74, 0.5), (76, 2.3),
      (92, 2.1),
      (94, 0.6), (110, 1.0), (128, 0.55), (130, 2.4), (146, 2.2), (148, 0.7), (164, 1.2), (180, 0.8)
    )
    var program = SceneProgram(facts) { seconds in
      let number = Int(seconds * 10)
      var moment = SceneProgram.Moment()
      let burst = SceneProgram.noise(number / 12) > 0.78 ? 0.6 : 0
      moment.cpu = max(0.05, load.at(seconds) * (0.8 + 0.4 * SceneProgram.noise(number)) + burst)
      moment.mebibytes = memory.at(seconds) + 3 * SceneProgram.noise(number / 9)
      moment.fileMebibytes = 38
      moment.reads = 240_000 * SceneProgram.noise(number / 10)
      moment.writes = 90_000 + 1_400_000 * burst
      moment.waits = 0.03 + 0.08 * burst
      moment.threads = 9
      return moment
    }
    while program.tenths < 1780 {
      switch program.tenths {
      case 0: program.enter("index", icon: "📚", .blue)
      case 360, 930, 1470: program.enter("serve", icon: "🌐", .green)
      case 750, 1290: program.enter("report", icon: "🧾", .orange)
      default: break
      }
      for request in 0..<3 where program.noise(request) > 0.5 {
        program.act("GET /star", after: Int64(30 * request))
      }
      program.pass()
    }
    return program
  }()

  /// A drawing program that keeps 12 MiB each time the canvas is left.
  private static let sketch: SceneProgram = {
    var facts = SceneProgram.Facts()
    facts.name = "sketch"
    facts.command = "sketch harbour.png"
    facts.pid = 5120
    facts.age = 312
    facts.limitMebibytes = 1024
    @Sendable func isOnCanvas(_ seconds: Double) -> Bool { Int(seconds) % 24 >= 10 }
    var program = SceneProgram(facts) { seconds in
      let number = Int(seconds * 10)
      let visit = Double(Int(seconds) / 24)
      let inside = seconds - visit * 24 - 10
      var moment = SceneProgram.Moment()
      moment.cpu = isOnCanvas(seconds) ? 0.42 + 0.2 * SceneProgram.noise(number) : 0.03
      let layers = isOnCanvas(seconds) ? min(64, 64 * inside / 6) : 0
      moment.mebibytes = 72 + 12 * visit + layers
      moment.fileMebibytes = 31
      moment.threads = 6
      return moment
    }
    while program.tenths < 1000 {
      if program.tenths % 240 == 0 {
        program.enter("gallery", icon: "🖼", .cyan)
      } else if program.tenths % 240 == 100 {
        program.act("canvas.open")
        program.enter("canvas", icon: "🎨", .orange)
      }
      if isOnCanvas(program.seconds) {
        program.drawFrames(6)
        program.act("pen.move")
      }
      program.pass()
    }
    return program
  }()

  /// A build with its compilers.
  private static let build: SceneProgram = {
    var facts = SceneProgram.Facts()
    facts.command = "make -j4"
    facts.pid = SceneTables.makePid
    facts.includesChildren = true
    var program = SceneProgram(facts) { seconds in
      let number = Int(seconds * 10)
      var moment = SceneProgram.Moment()
      moment.cpu = 3.3 + 0.6 * SceneProgram.noise(number) - (number % 29 < 3 ? 1.3 : 0)
      moment.mebibytes = 180 + 140 * Double(number % 37) / 37 + 60 * Double(number % 23) / 23
      moment.fileMebibytes = 90
      moment.writes = 600_000 * SceneProgram.noise(number / 5)
      moment.waits = 0.11
      moment.processes = 13
      return moment
    }
    while program.tenths < 480 { program.pass() }
    return program
  }()

  // MARK: The picker

  private static func picker(_ columns: Int, _ rows: Int, typed: String) -> ScreenPicture {
    var picker = ProcessPicker(size: Size(rows: rows, columns: columns), language: .english)
    picker.update(SceneTables.candidates)
    for scalar in typed.unicodeScalars { _ = picker.handle(.character(scalar)) }
    picker.draw()
    return ScreenPicture(picker.canvas.grid, styles: Theme(depth: .direct).styles)
  }
}
