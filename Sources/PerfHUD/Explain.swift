import Base
import Glibc
import HUD
import Metrics
import Sampler
import Terminal

extension Session {
  /// Prints the mode, the sources that would be used, what cannot be read and why, and what the
  /// terminal has. Makes one reading, so that permissions are tried and not guessed.
  static func explain(_ request: Request, environment: Environment) throws -> Int32 {
    var sampler = try ProcessSampler(
      pid: request.mode.pid, options: samplerOptions(request), root: "/proc")
    let sample = sampler.sample()
    let facts = sampler.facts
    var text = ""
    func line(_ label: String, _ value: String) {
      text += label + String(repeating: " ", count: max(1, 14 - label.count)) + value + "\n"
    }
    switch request.mode {
    case .attach: line("mode", "attach: the HUD fills this terminal")
    case .lines(_, let options):
      line("mode", "lines: \(options.format.rawValue) to \(options.path ?? "standard output")")
    }
    line("process", "\(sample.pid) \(facts.name.text) (\(word(sample.state)))")
    line("command", facts.commandLine)
    let settings = request.settings
    line("interval", "\(settings.interval / 1_000_000) ms")
    line("tick", settings.tick == 0 ? "off" : "\(settings.tick) Hz")
    line(
      "cpu",
      "\(sampler.cpuSource == .processClock ? "process CPU clock" : "/proc/PID/stat, in clock ticks: /proc shows another pid namespace")"
    )
    line("memory", "\(settings.memory.rawValue) leads")
    let figures: [(String, StaticString, Reading<UInt64>)] = [
      ("rss", Metric.resident.source, sample.residentBytes),
      ("footprint", Metric.footprint.source, sample.anonymousBytes),
      ("swap", Metric.swap.source, sample.swapBytes),
      ("pss", Metric.pss.source, sample.pssBytes),
      ("limit", Metric.memoryLimit.source, sample.limitBytes),
      ("cpu wait", Metric.cpuWait.source, sample.cpuWaitNanoseconds),
      ("io", Metric.readRate.source, sample.readBytes),
    ]
    for (name, source, reading) in figures {
      switch reading {
      case .value: line(name, "\(source)")
      case .absent(let reason): line(name, "none: \(reason.word.english) (\(source))")
      }
    }
    let term = environment["TERM"].map { SafeText.clean($0, limit: 40) } ?? "not set"
    line(
      "terminal",
      "TERM \(term), \(environment.isUTF8 ? "UTF-8" : "ASCII")"
        + (environment.wantsNoColor ? ", NO_COLOR" : ""))
    line("language", language(settings, environment).rawValue)
    line(
      "settings", ConfigFile.path(environment: environment).map { SafeText.clean($0) } ?? "no file")
    ExitStatus.put(text, on: STDOUT_FILENO)
    return ExitStatus.done
  }

  private static func word(_ state: ProcessState) -> String { "\(state.word.english)" }
}
