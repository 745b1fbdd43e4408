import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The windows other than the gauges, each over a program and in a pane.
extension Gallery {
  mutating func addWindows() {
    for (name, family) in [("medium", HUDFamily.overlay), ("large", .pane)] {
      let size = family == .pane ? Size(rows: 24, columns: 80) : Size(rows: 20, columns: 44)
      let run = GalleryProgram.running(.processes)
      let state = state(family)
      func hud() -> HUD {
        var hud = HUD(size: size, state: state)
        hud.begin(with: Settings())
        if family == .overlay {
          hud.place(at: Rect(row: 0, column: 8, rows: 5, columns: 36), in: Rect(size))
        }
        hud.hasKeys = family == .overlay
        return hud
      }
      add("list", name, .list, hud()) { hud in
        for key in [Key.character("p"), .tab] { _ = hud.handle(key, run: run) }
      }
      add("toasts", name, .toast, hud()) { hud in
        let until = run.header.start.advanced(bySeconds: 3600)
        let texts = ["saved harbour.png", "canvas: grows +12.00 MiB a visit", "夜の港"]
        hud.show(toasts: texts.map { ToastLine($0, until: until) })
      }
      add("loading", name, .loading, hud()) { hud in
        hud.show(loading: LoadingLine("harbour.png", progress: 0.4))
      }
      add("loading over the screen", name, .loading, hud()) { hud in
        hud.show(loading: LoadingLine("harbour.png", progress: 0.4, coversScreen: true))
      }
      add("settings", name, .settings, hud()) { hud in
        _ = hud.handle(.character(","), run: run)
        _ = hud.handle(.down, run: run)
      }
      add("help", name, .help, hud()) { hud in _ = hud.handle(.character("?"), run: run) }
      let list = [Key.character("t"), family == .pane ? .character("f") : .tab]
      add("processes", name, .list, hud()) { hud in
        for key in list { _ = hud.handle(key, run: run) }
      }
      add("signals", name, .signals, hud()) { hud in
        for key in list { _ = hud.handle(key, run: run) }
        // Draw first: the rows to choose from are those of the last picture.
        hud.drawAll(run)
        for key in [Key.down, .character("k")] { _ = hud.handle(key, run: run) }
      }
    }
  }

  /// Adds a window as it is shown, cut out of the picture.
  private mutating func add(
    _ title: String, _ family: String, _ id: WindowID, _ hud: HUD, open: (inout HUD) -> Void
  ) {
    var hud = hud
    open(&hud)
    hud.drawAll(GalleryProgram.running(.processes))
    guard let frame = hud.stack[id]?.frame,
      let surface = hud.surfaces.first(where: { $0.id == id })
    else { return }
    begin("\(title), \(family) \(frame.columns)x\(frame.rows)")
    add("data", surface.canvas.grid)
    end()
  }
}
