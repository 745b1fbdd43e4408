import PerfHUDBase
import PerfHUDClient

/// The drawing program without its terminal: what it shows, the memory it has, and what it does by itself.
struct Studio: ~Copyable {
  /// What is on the screen.
  enum Mode: Equatable {
    case gallery
    case canvas
  }

  enum Key: Equatable {
    case open, back, up, down, left, right, leak, quit, other
  }

  private(set) var mode = Mode.gallery
  private(set) var picture = 0
  private(set) var isDone = false
  private(set) var leaks: Bool
  /// The drawing on the canvas.
  private(set) var drawing = Drawing()
  private(set) var frames = 0
  private(set) var moves = 0
  /// When it next has something to do.
  private(set) var nextTurn: Instant

  private let options: DemoOptions
  private var layers = LayerStack()
  private var kept = LayerStack()
  private var visits = 0
  private var modeSince: Instant
  private var playsFrom: Instant
  private var frameDue: Instant
  private var shownStatus = -1
  private var log = ""

  static let pictures = ["harbour", "garden", "mountain", "night", "market", "winter"]
  /// The number of layers that a canvas takes, one after another, in its first 1.5 seconds.
  static let layerLimit = 12
  static let layerMebibytes = 4
  /// The MiB that a leaking visit keeps: three layers.
  static let leakMebibytes = 12
  static let frameRate = 30.0
  /// Each frame reads the pen four times, and each read is an action: far too often.
  static let movesPerFrame = 4
  /// How long after the last key it plays by itself again, in seconds.
  private static let patience = 20.0
  private static let gallerySeconds = 4.0
  private static let canvasSeconds = 6.0

  init(_ options: DemoOptions, now: Instant) {
    self.options = options
    leaks = options.leaks
    modeSince = now
    playsFrom = now
    frameDue = now
    nextTurn = now
    PerfHUD.phase("gallery", icon: "🖼", color: .cyan)
    note("gallery", now)
  }

  /// The MiB in all of its layers.
  var mebibytes: Int { layers.mebibytes + kept.mebibytes }

  // MARK: Keys

  mutating func take(_ key: Key, now: Instant) {
    playsFrom = now.advanced(bySeconds: Studio.patience)
    act(on: key, now: now)
  }

  private mutating func act(on key: Key, now: Instant) {
    switch (mode, key) {
    case (.gallery, .open): enterCanvas(now: now)
    case (.gallery, .quit), (.gallery, .back): isDone = key == .quit
    case (.gallery, .left), (.gallery, .up): choose(picture - 1)
    case (.gallery, .right), (.gallery, .down): choose(picture + 1)
    case (.canvas, .back), (.canvas, .quit): leaveCanvas(now: now)
    case (.canvas, .up), (.canvas, .down), (.canvas, .left), (.canvas, .right):
      drawing.push(key)
      PerfHUD.action("pen.move")
      moves += 1
    case (_, .leak): leaks.toggle()
    default: break
    }
  }

  private mutating func choose(_ index: Int) {
    picture = (index + Studio.pictures.count) % Studio.pictures.count
    PerfHUD.action("gallery.choose", detail: Studio.pictures[picture])
  }

  private mutating func enterCanvas(now: Instant) {
    PerfHUD.action("canvas.open", detail: Studio.pictures[picture])
    PerfHUD.phase("canvas", icon: "🎨", color: .purple)
    mode = .canvas
    modeSince = now
    frameDue = now
    drawing = Drawing(picture: picture)
    note("canvas", now)
  }

  private mutating func leaveCanvas(now: Instant) {
    PerfHUD.action("canvas.save", detail: Studio.pictures[picture])
    note("leaving holding=\(mebibytes) frames=\(frames) moves=\(moves)", now)
    if leaks { kept.push(mebibytes: Studio.leakMebibytes) }
    layers.removeAll()
    visits += 1
    mode = .gallery
    modeSince = now
    // Reading memory takes time: log the moment of the report to the HUD.
    let reported = Instant.now()
    PerfHUD.phase("gallery", icon: "🖼", color: .cyan)
    PerfHUD.toast("saved \(Studio.pictures[picture])")
    note("gallery holding=\(mebibytes)", reported)
  }

  // MARK: Turns

  /// Does what is due.
  mutating func turn(now: Instant) {
    guard now >= nextTurn else { return }
    if now >= playsFrom { play(now: now) }
    switch mode {
    case .gallery: nextTurn = min(now.advanced(bySeconds: 0.25), playEnd)
    case .canvas: if now >= frameDue { paintFrame(now: now) }
    }
    if nextTurn <= now { nextTurn = now.advanced(bySeconds: 1 / Studio.frameRate) }
  }

  /// Does what a user would do: look at the gallery, draw for a while, go back.
  private mutating func play(now: Instant) {
    guard now >= playEnd else { return }
    if mode == .canvas { return leaveCanvas(now: now) }
    if let limit = options.visits, visits >= limit {
      isDone = true
      return
    }
    choose(picture + 1)
    enterCanvas(now: now)
  }

  private var playEnd: Instant {
    let seconds = mode == .gallery ? Studio.gallerySeconds : Studio.canvasSeconds
    return max(modeSince.advanced(bySeconds: seconds / options.pace), playsFrom)
  }

  private mutating func paintFrame(now: Instant) {
    let seconds = now.seconds(since: modeSince) * options.pace
    if layers.count < Studio.layerLimit, seconds > Double(layers.count) * 0.12 {
      layers.push(mebibytes: Studio.layerMebibytes)
      PerfHUD.value("layers", Double(layers.count))
    }
    if now >= playsFrom {
      for step in 0..<Studio.movesPerFrame {
        let share = Double(step) / Double(Studio.movesPerFrame)
        drawing.movePen(to: seconds + share / Studio.frameRate)
        PerfHUD.action("pen.move")
        moves += 1
      }
    }
    frames += 1
    PerfHUD.frame()
    note("frame", .now())
    // Frames follow an absolute schedule, but missed frames are not made up for.
    frameDue = frameDue.advanced(bySeconds: 1 / Studio.frameRate)
    if frameDue <= now { frameDue = now.advanced(bySeconds: 1 / Studio.frameRate) }
    nextTurn = frameDue
  }

  // MARK: What is shown

  /// The dots since the last call.
  mutating func takeFreshDots() -> [Drawing.Dot] { drawing.takeFresh() }

  /// What the status line shows, as one number.
  private var status: Int { frames * 4096 + mebibytes * 2 + (leaks ? 1 : 0) }
  /// Whether the status line has changed.
  var hasNewStatus: Bool { status != shownStatus }
  mutating func noteStatusShown() { shownStatus = status }

  // MARK: The log

  mutating func close() {
    // The memory is freed with the process, as in any program. If layers were released one by one before that, the HUD
    // would attribute this to the visit.
    layers.abandon()
    kept.abandon()
    note("end frames=\(frames) moves=\(moves) visits=\(visits)", .now())
  }

  /// What has been done since the last call, one line each.
  mutating func takeLog() -> String {
    defer { log = "" }
    return log
  }

  private mutating func note(_ text: String, _ now: Instant) {
    guard options.logPath != nil else { return }
    log += "\(now.nanoseconds) \(text)\n"
  }
}

/// Layers, the newest on top.
struct LayerStack: ~Copyable {
  private final class Node {
    let layer: Layer
    let next: Node?
    init(_ layer: consuming Layer, next: Node?) {
      self.layer = layer
      self.next = next
    }
  }

  private var top: Node?
  private(set) var count = 0
  private(set) var mebibytes = 0

  /// Takes memory; does nothing if none is available.
  mutating func push(mebibytes: Int) {
    guard let layer = Layer(mebibytes: mebibytes) else { return }
    top = Node(layer, next: top)
    count += 1
    self.mebibytes += mebibytes
  }

  /// Leaves all of it allocated until the process ends.
  mutating func abandon() {
    if let top { _ = unsafe Unmanaged.passRetained(top) }
  }

  /// Releases all of it.
  mutating func removeAll() {
    top = nil
    count = 0
    mebibytes = 0
  }
}
