import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The list of processes from which the user chooses one: keys → picker, processes → picker → terminal. It owns the
/// terminal until the process view takes it over.
struct PickerLoop: PaneLoop, ~Copyable {
  var terminal: PaneTerminal
  /// The process that the user has chosen.
  private(set) var chosen: Target?
  private var picker: ProcessPicker
  private var scanner = ProcessScanner()
  private let users = UserNames()
  /// Finds the processes to offer; `nil` offers all.
  private var finder: ProcessFinder?
  private let joinsDescendants: Bool
  private var scanDue = Instant(nanoseconds: 0)
  private var scans = 0
  private var isOutdated = true

  /// The time between two scans, in nanoseconds.
  private static let period: Int64 = 1_000_000_000
  /// The time from the first scan to the second, which gives the first CPU values. Nothing is drawn before that.
  private static let firstPeriod: Int64 = 100_000_000
  /// A scan may take one part in this many of the time.
  private static let scanCostDivisor: Int64 = 20

  /// - Parameters:
  ///   - terminal: already taken over.
  ///   - finder: finds the processes to offer; `nil` offers all.
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

  /// Hands the terminal over to the view that shows the process.
  consuming func handOver() -> PaneTerminal { terminal }

  /// Shows in place of the filter why the chosen process could not be shown.
  mutating func note(_ error: SamplerError) {
    if case .noSuchProcess = error {
      picker.note = "\(Word.pickerEnded.text(picker.language))"
    } else {
      picker.note = String(error.description.prefix { $0 != ";" })
    }
    chosen = nil
    scanDue = Instant(nanoseconds: 0)
    isOutdated = true
  }

  mutating func present(now: Instant) throws {
    try scan(now: now)
    guard isOutdated, scans > 1, !terminal.isAboveHighWater else { return }
    picker.draw()
    terminal.present(picker.canvas.grid)
    isOutdated = false
  }

  func deadline(now: Instant) -> Instant? { scanDue }

  mutating func handle(_ event: InputEvent, now: Instant) throws -> Bool {
    let request: PickerRequest?
    switch event {
    case .key(let key): request = picker.handle(key)
    case .mouse(let event): request = picker.handle(event)
    default: return false
    }
    isOutdated = true
    switch request {
    case .attach(let target):
      chosen = target
      return true
    case .quit: return true
    case .suspend: try suspend()
    case .redraw: redrawAll()
    case nil: break
    }
    return false
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
      .advanced(byNanoseconds: max(period, scanner.cost * PickerLoop.scanCostDivisor))
    isOutdated = true
  }

  mutating func resize() {
    picker.resize(to: terminal.resize())
    isOutdated = true
  }

  mutating func invalidate() { isOutdated = true }
}
