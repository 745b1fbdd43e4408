import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The list of processes to choose one from: keys → picker, processes → picker → terminal. It owns the terminal until
/// the view of the process takes it over.
struct PickerLoop: ~Copyable {
  enum Choice: Equatable {
    case attach(Target)
    case quit
    /// A signal that means "end".
    case signal(Int32)
  }

  private var terminal: PaneTerminal
  private var picker: ProcessPicker
  private var scanner = ProcessScanner()
  private let users = UserNames()
  /// Finds what is offered; `nil` offers all.
  private var finder: ProcessFinder?
  private let joinsDescendants: Bool
  private var scanDue = Instant(nanoseconds: 0)
  private var scans = 0
  private var isOutdated = true

  /// From one scan to the next, in nanoseconds.
  private static let period: Int64 = 1_000_000_000
  /// From the first scan to the second, which has the first shares of CPU: nothing is drawn before it.
  private static let firstPeriod: Int64 = 100_000_000
  /// A scan may take this part of the time.
  private static let greatestShare: Int64 = 20

  /// - Parameters:
  ///   - terminal: taken over already.
  ///   - finder: finds what is offered; `nil` offers all.
  init(
    terminal: consuming PaneTerminal, settings: Settings, environment: Environment,
    finder: consuming ProcessFinder? = nil, joinsDescendants: Bool = false
  ) {
    let isASCII = terminal.isASCII
    picker = ProcessPicker(
      size: terminal.resize(), language: isASCII ? .english : settings.language(in: environment),
      isASCII: isASCII)
    self.terminal = terminal
    self.finder = finder
    self.joinsDescendants = joinsDescendants
  }

  /// Gives the terminal to what shows the process.
  consuming func handOver() -> PaneTerminal { terminal }

  /// Shows why the chosen process could not be shown, in the place of the filter.
  mutating func note(_ error: SamplerError) {
    if case .noSuchProcess = error {
      picker.note = "\(Word.pickerEnded.text(picker.language))"
    } else {
      picker.note = String(error.description.prefix { $0 != ";" })
    }
    scanDue = Instant(nanoseconds: 0)
    isOutdated = true
  }

  /// Runs until the user has chosen. May be called again.
  mutating func choose(_ signals: borrowing SignalDescriptor) throws -> Choice {
    var waiter = PaneWaiter(signals, terminal)
    var events: [InputEvent] = []
    while !terminal.hasHungUp {
      try scan(now: .now())
      if isOutdated, scans > 1, !terminal.isAboveHighWater {
        picker.draw()
        terminal.present(picker.canvas.grid)
        isOutdated = false
      }
      waiter.flush(&terminal)
      var now = Instant.now()
      waiter.wait(until: earliest(terminal.deadline(now: now), scanDue), now: now)
      now = Instant.now()
      if waiter.hasSignal {
        while let signal = signals.next() {
          if let choice = try serve(signal) { return choice }
        }
      }
      events.removeAll(keepingCapacity: true)
      if terminal.read(isReady: waiter.hasInput, into: &events, now: now) {
        isOutdated = true
      }
      for event in events {
        let request: PickerRequest?
        switch event {
        case .key(let key): request = picker.handle(key)
        case .mouse(let event): request = picker.handle(event)
        default: continue
        }
        isOutdated = true
        if let choice = try serve(request) { return choice }
      }
    }
    return .quit
  }

  private mutating func scan(now: Instant) throws {
    guard now >= scanDue else { return }
    var only: Set<Target>?
    if finder != nil {
      only = Set(try finder?.all(joinsDescendants: joinsDescendants).map(\.target) ?? [])
    }
    let found = try scanner.scan(only: only)
    picker.update(found.map { PickerRow($0, user: users[$0.user]) })
    scans += 1
    let period = scans == 1 ? PickerLoop.firstPeriod : PickerLoop.period
    scanDue = Instant.now()
      .advanced(byNanoseconds: max(period, scanner.cost * PickerLoop.greatestShare))
    isOutdated = true
  }

  private mutating func serve(_ request: PickerRequest?) throws(RunError) -> Choice? {
    switch request {
    case .attach(let target): return .attach(target)
    case .quit: return .quit
    case .suspend: try suspend()
    case .redraw: redrawAll()
    case nil: break
    }
    return nil
  }

  private mutating func serve(_ signal: Int32) throws(RunError) -> Choice? {
    switch PaneSignal(signal) {
    case .resize:
      picker.resize(to: terminal.resize())
      isOutdated = true
    case .suspend: try suspend()
    case .resume:
      try terminal.resume()
      redrawAll()
    case .ignore: break
    case .end: return .signal(signal)
    }
    return nil
  }

  private mutating func suspend() throws(RunError) {
    try terminal.suspend()
    redrawAll()
    terminal.enterAgain()
  }

  private mutating func redrawAll() {
    picker.resize(to: terminal.resize())
    terminal.redrawAll()
    isOutdated = true
  }
}
