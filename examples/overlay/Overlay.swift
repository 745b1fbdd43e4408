import Glibc
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// A HUD of one line over any program, from perfhud's own parts, without keys, settings and job control:
///
///     swift run example-overlay vim notes.txt
///
/// Five parts do the work: `TTY` is the real terminal, `Pty` runs the program in one of its own, `Compositor` draws
/// over its output, `OutputQueue` holds what the terminal does not take yet, and `ProcessSampler` measures.
@main
struct Overlay: ~Copyable {
  private static let samplePeriod: Int64 = 500_000_000
  private var tty: TTY
  private var pty: Pty
  private var compositor: Compositor
  private var queue = OutputQueue()
  private var sampler: ProcessSampler
  private var lastSample: Sample
  private var text = "…"
  private var isIdle = true
  private var status: PtyStatus?

  static func main() {
    let command = Array(CommandLine.arguments.dropFirst())
    guard !command.isEmpty else { return fail("example-overlay COMMAND [ARGUMENT …]", status: 64) }
    do {
      // Before a signal is blocked for `signalfd(2)`: the program below gets the mask that was found.
      let mask = Pty.signalMask()
      let signals = try SignalDescriptor([SIGWINCH])
      var overlay = try Overlay(command, mask: mask)
      try overlay.run(signals)
      let status = overlay.status
      _ = consume overlay  // restores the terminal
      if case .exited(let code) = status { exit(code) }
      exit(128)
    } catch {
      fail("\(error)", status: 125)
    }
  }

  private static func fail(_ text: String, status: Int32) {
    let line = "example-overlay: \(text)\n"
    _ = unsafe line.withCString { unsafe write(STDERR_FILENO, $0, strlen($0)) }
    exit(status)
  }

  private init(_ command: [String], mask: sigset_t) throws {
    var tty = try TTY()
    let size = tty.size()
    let pty = try Pty(command: command, size: tty.reportedSize() ?? size, mask: mask)
    // What a crash, or the end of this value, sends to the terminal: the program's modes may be in force.
    try tty.enter(restore: Array("\u{1B}[0m\u{1B}[r\u{1B}[?25h".utf8))
    let options = SamplerOptions(includesChildren: true)
    var sampler = try ProcessSampler(pid: pty.commandProcess, options: options)
    lastSample = sampler.sample()
    self.tty = tty
    self.pty = pty
    self.sampler = sampler
    // The number of a style in the HUD's cells is its place in this list.
    compositor = Compositor(
      size: size.cells, options: Screen.Options(), styles: [.plain, Style(attributes: .reverse)])
    // The model of the screen begins empty, with the cursor in the corner, so the terminal has to as well.
    queue.append("\u{1B}[H\u{1B}[2J")
  }

  // MARK: The loop

  private mutating func run(_ signals: borrowing SignalDescriptor) throws {
    var poller = Poller()
    let output = poller.add(pty.masterDescriptor)
    let report = poller.add(pty.statusDescriptor)
    let keys = poller.add(tty.inputDescriptor)
    let sizes = poller.add(signals.raw)
    let room = poller.add(tty.outputDescriptor, events: Int32(POLLOUT))
    var sampleDue = Instant.now()
    show()
    while status == nil || pty.isEnding {
      // Nothing blocks: while the terminal takes no more, the program is not read.
      poller.replace(queue.isEmpty ? nil : tty.outputDescriptor, slot: room)
      poller.replace(queue.isEmpty ? pty.masterDescriptor : nil, slot: output)
      poller.replace(status == nil ? pty.statusDescriptor : nil, slot: report)
      var now = Instant.now()
      let picture = compositor.deadline(now: now, isIdle: isIdle)
      let wakeUp = pty.isEnding ? now : min(sampleDue, picture ?? sampleDue)
      poller.wait(until: wakeUp, now: now)
      now = .now()
      if poller.isReady(sizes) { followSize(signals, now: now) }
      if poller.isReady(keys) { try passKeys() }
      if queue.isEmpty { passOutput(now: now) }
      while let next = pty.nextStatus() { note(next) }
      if now >= sampleDue {
        sampleDue = now.advanced(byNanoseconds: Overlay.samplePeriod)
        takeSample()
        show()
      }
      // Draws the HUD again where the program's output has erased or overwritten it, when that pauses.
      if queue.isEmpty { compositor.settle(now: now, isIdle: isIdle, to: &queue) }
      try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
    }
    compositor.release(now: .now(), to: &queue)
    try queue.flush(to: tty.outputDescriptor, mayBlock: tty.mayBlock)
  }

  /// The program's bytes go to the terminal as they are; before what would move the HUD, it is erased.
  private mutating func passOutput(now: Instant) {
    let count = unsafe pty.read(into: compositor.space) ?? 0
    isIdle = count == 0
    compositor.pass(count, now: now, to: &queue)
  }

  private mutating func passKeys() throws {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = try unsafe bytes.withUnsafeMutableBytes {
      try unsafe tty.read(into: $0, isReady: true)
    }
    guard let count, count > 0 else { return }
    unsafe pty.write(bytes.span.bytes.extracting(first: count))
  }

  private mutating func followSize(_ signals: borrowing SignalDescriptor, now: Instant) {
    while signals.next() != nil {}
    if let size = tty.reportedSize() { pty.resize(size) }
    compositor.resize(to: tty.size().cells, reflow: .unknown, now: now, to: &queue)
    show()
  }

  private mutating func note(_ next: PtyStatus) {
    switch next {
    // There is no shell to give the terminal back to.
    case .stopped: pty.continueForeground()
    case .continued: break
    case .exited, .signaled, .lost: status = next
    }
  }

  // MARK: The HUD

  private mutating func takeSample() {
    let sample = sampler.sample()
    let elapsed = Double(sample.time.nanoseconds(since: lastSample.time))
    let memory = sample.anonymousBytes.value.map { NumberFormat.compactBytes(Double($0)) }
    if let before = lastSample.cpuNanoseconds.value, let after = sample.cpuNanoseconds.value,
      after >= before, elapsed > 0
    {
      let percent = NumberFormat.compactPercent(Double(after - before) / elapsed * 100)
      text = "CPU \(Overlay.string(percent))  MEM \(memory.map(Overlay.string) ?? "–")"
    }
    lastSample = sample
  }

  private static func string(_ text: ShortText) -> String {
    String(decoding: (0..<text.count).map { text[$0] }, as: UTF8.self)
  }

  /// Puts the line into the upper right corner, one column from the edge: the last one has to stay free.
  private mutating func show() {
    let line = Array(" \(text) ".unicodeScalars)
    let screen = compositor.screen.size
    guard screen.columns > line.count + 1 else { return compositor.hide() }
    var grid = CellGrid(Size(rows: 1, columns: line.count))
    for (column, scalar) in line.enumerated() { grid[0, column] = Cell(scalar, style: StyleID(1)) }
    compositor.show(
      grid, at: Rect(row: 0, column: screen.columns - line.count - 1, rows: 1, columns: line.count))
  }
}
