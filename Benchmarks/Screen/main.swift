// Measures the parser and the screen model alone: no pty, no terminal, no other process.
//
//   bench-screen [FILE ...]
//   bench-screen --passes NUMBER feed|paint|draw|sample
//
// Prints how many MB (10^6 bytes) a second of CPU time go through `Screen.feed` with nothing on top
// and below a HUD, and through the compositor with its HUD drawn. Files are measured instead of
// made-up output. The best of several rounds counts, since other work on the machine can only make a round slower.
// With --passes it prints nothing and does the same each time, so that instructions can be counted (Passes.swift).

import Glibc
import PerfHUDBase
import Terminal

let size = Size(rows: 40, columns: 120)
/// What the overlay passes at once while a program writes all the time.
let piece = 12 * 4095
/// How long it takes for that, at 60 MB/s; nanoseconds.
let pieceTime: Int64 = 800_000
let hud = Rect(row: 0, column: 83, rows: 9, columns: 36)
let seconds = 0.4

func cpuSeconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// The best rate of as many rounds as fit.
func rate(_ count: Int, _ body: () -> Void) -> Int {
  body()
  var best = Double.infinity
  let end = cpuSeconds() + seconds
  while cpuSeconds() < end {
    let start = cpuSeconds()
    body()
    best = min(best, cpuSeconds() - start)
  }
  return Int(Double(count) / best / 1e6)
}

/// What a terminal is sent for a file: line feeds with a carriage return before them.
func terminalLines(_ file: [UInt8]) -> [UInt8] {
  file.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] }
}

func options() -> Screen.Options {
  var options = Screen.Options()
  options.quirks = .xterm
  return options
}

/// As an overlay feeds it: after a stop the HUD is erased for a while.
func feed(_ input: [UInt8], _ screen: inout Screen, _ hudRegion: HUDRegion) {
  unsafe input.withUnsafeBytes { bytes in
    var at = 0
    while at < bytes.count {
      let isLong = at / piece % 4 == 0
      var current = isLong ? hudRegion : HUDRegion()
      let end = min(bytes.count, at + piece)
      let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[(at - screen.pendingBytes)..<end])
      var index = screen.pendingBytes
      while true {
        let stop = unsafe screen.feed(part, from: index, hudRegion: current)
        index = stop.resume
        if stop.reason == .end { break }
        current = HUDRegion()
      }
      at = end
    }
  }
}

/// - Parameter passes: how often the same output comes, with a rest after each in which the HUD is painted.
func composite(_ input: [UInt8], _ grid: borrowing CellGrid, passes: Int = 1) {
  var compositor = Compositor(size: size, options: options(), styles: [.plain])
  compositor.hasSynchronizedUpdates = true
  compositor.joinsUpdates = true
  var queue = OutputQueue()
  compositor.show(grid, at: hud)
  var now = Instant(nanoseconds: 1_000_000_000)
  for _ in 0..<passes {
    unsafe input.withUnsafeBytes { bytes in
      var at = 0
      while at < bytes.count {
        let count = min(piece, bytes.count - at)
        unsafe compositor.space.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[at..<at + count]))
        at += count
        now = now.advanced(byNanoseconds: pieceTime)
        compositor.pass(count, hasMore: at < bytes.count, now: now, to: &queue)
        compositor.show(grid, at: hud)
        compositor.settle(now: now, isIdle: at == bytes.count, to: &queue)
        queue.removeAll()
      }
    }
  }
}

var picture = CellGrid(Size(rows: hud.rows, columns: hud.columns))
picture.fill(Cell("x"))
let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "--passes", let passes = Int(arguments[2]) {
  do { try pass(arguments[3], passes, picture) } catch { exit(1) }
  exit(0)
}
var inputs = CommandLine.arguments.count > 1 ? [] : BenchInput.all()
for path in CommandLine.arguments.dropFirst() {
  inputs.append(BenchInput(name: path, bytes: terminalLines(try readFile(path))))
}

func pad(_ text: String, _ width: Int) -> String {
  let name = text.split(separator: "/").last.map(String.init) ?? text
  return name + String(repeating: " ", count: max(1, width - name.utf8.count))
}
func right(_ number: Int) -> String {
  let text = String(number)
  return String(repeating: " ", count: max(1, 12 - text.utf8.count)) + text
}

print(pad("MB/s of CPU time", 28) + "        bare     covered  composited")
for input in inputs {
  let bytes = input.bytes
  let bare = rate(bytes.count) {
    var screen = Screen(size, options: options())
    feed(bytes, &screen, HUDRegion())
  }
  var hudRegion = HUDRegion(hud)
  hudRegion.stopsAtUpdateEnd = true
  let covered = rate(bytes.count) {
    var screen = Screen(size, options: options())
    feed(bytes, &screen, hudRegion)
  }
  let composited = rate(bytes.count) { composite(bytes, picture) }
  print(pad(input.name, 28) + right(bare) + right(covered) + right(composited))
}
