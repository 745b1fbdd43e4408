// Measures the HUD alone: no terminal, no process.
//
//   bench-hud
//
// Prints what a redraw of the same run costs at some sizes, in microseconds and allocations, and what the
// formatter of figures costs against a naive one: interpolation, and blanks in front for the width.
// The best of several rounds counts, since other work on the machine can only make a round slower.

import CMallocCount
import Glibc
import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

func cpuSeconds() -> Double {
  var time = timespec()
  unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
}

/// Nanoseconds of a call, in the best of 200 rounds of `count` calls.
func nanoseconds(_ count: Int, _ body: (Int) -> Int) -> Double {
  var best = Double.infinity
  var sum = 0
  for _ in 0..<200 {
    let start = cpuSeconds()
    for index in 0..<count { sum &+= body(index) }
    best = min(best, cpuSeconds() - start)
  }
  // The sum is used, so that nothing is left out.
  precondition(sum != 0)
  return best / Double(count) * 1e9
}

func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }

// MARK: Redraw

/// Three minutes of a process whose figures go up and down.
func makeRun() -> Run {
  let start = Instant(nanoseconds: 1_000_000_000_000)
  var header = RunHeader(
    start: start, wallClockOffset: 1_700_000_000_000_000_000, interval: 100_000_000,
    tickPeriod: 16_666_667, command: "bench")
  if let rule = try? Rule("cpu > 90% for 10s") { header.alerts = [rule] }
  var run = Run(header)
  var cpu: UInt64 = 0
  for number in 1...1800 {
    cpu += UInt64(number % 97) * 1_000_000
    var sample = Sample()
    sample.time = start.advanced(byNanoseconds: Int64(number) * 100_000_000)
    sample.sequence = UInt32(number)
    sample.pid = 4711
    sample.state = .running
    sample.cpuNanoseconds = .value(cpu)
    sample.residentBytes = .value(UInt64(200 + number % 100) << 20)
    sample.anonymousBytes = .value(UInt64(100 + number % 100) << 20)
    sample.threads = .value(4)
    sample.usableProcessors = .value(4)
    for tick in 0..<6 {
      let time = sample.time.advanced(byNanoseconds: Int64(tick) * 16_666_667 - 100_000_000)
      run.apply(.activity(.frame(time, .tick, missed: 0)))
    }
    run.apply(.sample(sample))
  }
  return run
}

/// The same with processes or threads, and with actions and phases that it has told of.
func addLists(_ kind: ProcessTableRequest.Kind, to run: Run) -> Run {
  var run = run
  let now = run.latest?.time ?? run.header.start
  for number in 0..<200 {
    var event = Event(number.isMultiple(of: 40) ? .phase : .action)
    event.name = Event.Name("name \(number % 23)")
    run.apply(.event(event, now))
  }
  let rows = (0..<60).map { number in
    var row = ProcessRow()
    row.pid = 4711 + Int32(number)
    row.parent = 4710 + Int32(number / 3)
    for byte in "worker".utf8 { row.name.append(byte) }
    row.intervalNanoseconds = 500_000_000
    row.cpuNanoseconds = UInt64(number % 7) * 9_000_000
    row.footprintBytes = UInt64(number) << 20
    return row
  }
  run.apply(
    .processes(ProcessTable(request: ProcessTableRequest(kind), time: now, rows: rows)))
  return run
}

/// Keys that lead to a picture, and how it is called.
struct View {
  let name: String
  let keys: [Key]
  var layout: String?

  init(_ name: String, _ keys: Key..., layout: String? = nil) {
    self.name = name
    self.keys = keys
    self.layout = layout
  }

  init(_ name: String, _ key: Unicode.Scalar) { self.init(name, .character(key)) }

  /// Which list it shows, if it shows one.
  var kind: ProcessTableRequest.Kind {
    name == "threads" || layout?.contains("threads") == true ? .threads : .processes
  }
}

func measureRedraw(_ family: HUDFamily, _ size: Size, of run: Run, _ view: View? = nil) {
  var hud = HUD(size: size, state: HUDState(family: family))
  if let layout = view?.layout {
    var settings = Settings()
    guard (try? settings.set("layout", layout, from: .file)) != nil else {
      return print("no such layout: \(layout)")
    }
    hud.begin(with: settings)
  }
  if family == .overlay {
    // Windows beside the gauges need room.
    let frame = Rect(row: 0, column: 119 - size.columns, rows: size.rows, columns: size.columns)
    hud.place(at: frame, in: Rect(Size(rows: 40, columns: 119)))
    hud.hasKeys = true
  }
  for key in view?.keys ?? [] { _ = hud.handle(key, run: run) }
  let first = run.latest?.time ?? run.header.start
  hud.draw(run, now: first)
  // By then what the keys have set in motion rests, and what they have said is gone.
  let now = first.advanced(byNanoseconds: 10_000_000_000)
  func redraw() -> Int {
    hud.invalidateAll()
    hud.draw(run, now: now)
    return hud.bounds.rows
  }
  for _ in 0..<100 { _ = redraw() }
  let before = perfhud_malloc_count()
  for _ in 0..<1000 { _ = redraw() }
  let count = Double(perfhud_malloc_count() - before) / 1000
  let time = nanoseconds(20) { _ in redraw() }
  let allocations = perfhud_malloc_is_counted() != 0 ? "\(count)" : "uncounted"
  print(
    "redraw of \(family) \(size.columns)x\(size.rows)\(view.map { " " + $0.name } ?? ""): "
      + "\(rounded(time / 1000)) µs, \(allocations) allocations")
}

// MARK: Figures

let values = (0..<4096).map { Double($0 * $0) * 1_237.31 }

func naiveBytes(_ value: Double) -> String {
  let units = ["B", "KiB", "MiB", "GiB", "TiB"]
  var rest = value
  var unit = 0
  while rest >= 1024, unit < 4 {
    rest /= 1024
    unit += 1
  }
  let text = "\((rest * 100).rounded() / 100) \(units[unit])"
  return String(repeating: " ", count: max(0, 9 - text.count)) + text
}

func naivePercent(_ value: Double) -> String {
  let text = "\((value * 10).rounded() / 10) %"
  return String(repeating: " ", count: max(0, 7 - text.count)) + text
}

func compare(_ name: String, _ ours: (Int) -> Int, _ naive: (Int) -> Int) {
  let mine = nanoseconds(values.count, ours)
  let theirs = nanoseconds(values.count, naive)
  print(
    "\(name): \(rounded(mine)) ns, naive \(rounded(theirs)) ns, "
      + "\(rounded(theirs / mine)) times as much")
}

let run = makeRun()
for size in [Size(rows: 24, columns: 80), Size(rows: 50, columns: 160)] {
  measureRedraw(.pane, size, of: run)
}
for size in [Size(rows: 9, columns: 36), Size(rows: 20, columns: 72)] {
  measureRedraw(.overlay, size, of: run)
}
let pages: [View] = [
  View("log", "l"), View("phases", "p"), View("actions", "a"), View("frames", "F"),
  View("processes", "t"), View("threads", "T"), View("why slow", "y"), View("alerts", "!"),
]
let windows: [View] = [
  View("help", "?"), View("settings", ","),
  View("with a cursor in the graph", .tab, .left, .left),
  View("with a baseline", "b"), View("with a logarithmic axis", "L"),
  View("of all parts", layout: "details, memory-graph, cpu-graph, phases, actions, processes"),
  View("of the other parts", layout: "why-slow, frames, log, alerts, threads"),
]
for view in pages + windows {
  measureRedraw(.pane, Size(rows: 40, columns: 120), of: addLists(view.kind, to: run), view)
}
for view in pages + windows.prefix(2) {
  measureRedraw(.overlay, Size(rows: 9, columns: 36), of: addLists(view.kind, to: run), view)
}
compare(
  "bytes", { NumberFormat.bytes(values[$0]).count }, { naiveBytes(values[$0]).utf8.count })
compare(
  "percent", { NumberFormat.percent(values[$0] / 1e8).count },
  { naivePercent(values[$0] / 1e8).utf8.count })
