import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// Whole pictures: the HUD over each kind of program, a full-screen view with each of its tabs, the picker.
extension Gallery {
  mutating func addScreens() {
    let kinds: [(String, GalleryProgram.Kind)] = [
      ("an app that draws frames", .app), ("an app with phases", .phases), ("a command", .command),
    ]
    for (name, kind) in kinds { addOverlay(name, kind) }
    for tab in PaneTab.allCases { addPane(tab) }
    addPicker()
  }

  /// The HUD over a program in its default size.
  private mutating func addOverlay(_ name: String, _ kind: GalleryProgram.Kind) {
    let screen = Size(rows: 24, columns: 80)
    guard let place = Placement.place(.medium, at: .topRight, in: screen) else { return }
    begin("HUD over \(name), medium \(place.columns)x\(place.rows)")
    for example in Example.allCases {
      var hud = HUD(size: Size(rows: place.rows, columns: place.columns), state: state(.overlay))
      hud.begin(with: Settings())
      let run = example.run(kind, .processes)
      hud.draw(run, now: run.latest?.time ?? run.header.start)
      add(example.rawValue, hud.picture)
    }
    end()
  }

  private mutating func addPane(_ tab: PaneTab) {
    let size = Size(rows: 24, columns: 80)
    begin("full-screen view, \(tab.word.text(.english)) \(size.columns)x\(size.rows)")
    var state = state(.pane)
    state.isAnimated = false
    var hud = HUD(size: size, state: state)
    hud.begin(with: Settings())
    var run = GalleryProgram.running(.processes)
    let now = run.latest?.time ?? run.header.start
    hud.draw(run, now: now)
    _ = hud.handle(.character(Unicode.Scalar(UInt8(ascii: "1") + UInt8(tab.rawValue))), run: run)
    if let table = hud.wantedTable { run = GalleryProgram.running(table.kind) }
    hud.redrawAtOnce()
    hud.draw(run, now: now)
    add("data", hud.picture)
    end()
  }

  private mutating func addPicker() {
    let size = Size(rows: 8, columns: 76)
    begin("picker \(size.columns)x\(size.rows)")
    for (name, typed, rows) in [
      ("placeholder", "", []), ("data", "", GalleryProgram.candidates),
      ("filtered", "paint", GalleryProgram.candidates), ("none", "xyz", GalleryProgram.candidates),
    ] {
      var picker = ProcessPicker(size: size, language: language, isASCII: isASCII)
      picker.update(rows)
      for scalar in typed.unicodeScalars { _ = picker.handle(.character(scalar)) }
      picker.draw()
      add(name, picker.canvas.grid)
    }
    end()
  }
}
