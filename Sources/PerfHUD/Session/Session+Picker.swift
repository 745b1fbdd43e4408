import Glibc
import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// A run with a process that the user chooses from a list.
extension Session {
  /// Lists processes, and shows the chosen one in the same terminal.
  ///
  /// - Parameter choice: what was named, if several processes match; `nil` offers all.
  static func runPicker(
    _ choice: TargetChoice?, _ request: Request, environment: Environment
  ) throws -> Int32 {
    // This comes before curses sets handlers.
    let signals = try SignalDescriptor(LoopSignal.numbers)
    var loop = PickerLoop(
      terminal: try pickerTerminal(choice, request, environment), settings: request.settings,
      environment: environment, finder: try choice?.anotherFinder(),
      joinsDescendants: request.countsChildren)
    while true {
      if case .signal(let number) = try loop.run(signals), number != SIGINT {
        // Destroying the loop restores the terminal.
        _ = consume loop
        return die(by: number)
      }
      guard let target = loop.chosen else { return ExitStatus.done }
      let found: (header: RunHeader, sampler: SamplerThread)
      do {
        found = try attach(to: target, choice, request)
      } catch let error as SamplerError {
        loop.note(error)
        continue
      }
      let events = eventReceiver(found.sampler.facts, request, isInteractive: true)
      let end = try runAttach(
        request, found.header, found.sampler, loop.handOver(), signals, events: events,
        environment: environment)
      return status(end, found.header, found.sampler, request, environment)
    }
  }

  /// Takes over the terminal for the list.
  private static func pickerTerminal(
    _ choice: TargetChoice?, _ request: Request, _ environment: Environment
  ) throws -> PaneTerminal {
    let tty = try TTY()
    do throws(CursesError) {
      return try PaneTerminal(tty: tty, settings: request.settings, environment: environment)
    } catch {
      if case .system(let error) = error { throw RunError(error) }
      if let choice { throw choice.refusal() }
      let term = SafeText.clean(environment["TERM"] ?? "", limit: 40)
      throw RunError(
        "TERM=\(term) cannot show a list; name a process with: perfhud --pid N (find it with: "
          + "pgrep -a NAME)")
    }
  }

  /// Makes the first reading of the chosen process, if it is still the same one.
  private static func attach(
    to target: Target, _ choice: TargetChoice?, _ request: Request
  ) throws -> (RunHeader, SamplerThread) {
    guard try ProcessFacts(pid: target.pid).target == target else {
      throw SamplerError.noSuchProcess(target.pid)
    }
    let start = Instant.now()
    guard let choice else {
      return try attach(to: .pid(target.pid), request, start: start)
    }
    try choice.choose(target)
    return try attach(to: choice, request, start: start)
  }
}
