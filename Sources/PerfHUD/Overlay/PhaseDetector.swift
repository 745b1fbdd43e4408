import HUD
import PerfHUDBase
import PerfHUDEvents
import Terminal

/// Finds a program's phases in its output: from shell marks and from the title.
///
/// Unless the user has chosen a source, the best source that has reported anything is used: shell marks before the
/// title. `Run` prefers phases reported by the program itself. Pure.
struct PhaseDetector: Sendable {
  /// A phase has begun.
  struct Begin: Equatable, Sendable {
    var name: Event.Name
    var source: EventOrigin
    var time: Instant
  }

  /// A title that came too soon after the previous one, and the time at which it came.
  struct Waiting: Equatable, Sendable {
    var name: Event.Name
    var since: Instant
  }

  /// The observed state of the screen.
  struct View: Equatable, Sendable {
    var titleChanges = 0
    var shellMarks = 0
    var commandsStarted = 0
    var isCommandRunning = false
  }

  private let choice: PhaseChoice?
  /// The source of the last phase.
  private(set) var source: EventOrigin?
  /// The state at the last look.
  private(set) var view = View()
  private var current = Event.Name()
  private var changedAt: Instant?
  /// A title that came too soon after the previous one. It becomes a phase if no other replaces it within `titlePause`.
  private(set) var waiting: Waiting?

  /// The minimum time between titles that begin phases, so that a program that shows its progress in the title does not
  /// begin one with each step.
  static let titlePause: Int64 = 250_000_000

  init(choice: PhaseChoice?) { self.choice = choice }

  /// Looks at the screen after a piece of output has passed.
  ///
  /// What began and ended within the piece was never visible, so only the last title counts. A shell command counts
  /// even if it has already ended; of several, the last one.
  ///
  /// - Parameters:
  ///   - title: called only if the title is needed.
  ///   - command: called only if a command has begun.
  /// - Returns: the phases that have begun, in order.
  mutating func look(
    at new: View, now: Instant, title: () -> String, command: () -> InlineText<256>
  ) -> [Begin] {
    defer { view = new }
    if new.shellMarks != view.shellMarks, leads(.shell) {
      return takeMarks(new, command, now: now)
    }
    if new.titleChanges != view.titleChanges, leads(.title) {
      let name = PhaseDetector.name(ofTitle: title())
      if !name.isEmpty { return list(takeTitle(name, now: now)) }
    }
    return []
  }

  private func list(_ begin: Begin?) -> [Begin] { begin.map { [$0] } ?? [] }

  /// Returns the title that has waited long enough, as a phase that began when the title came.
  mutating func resolve(now: Instant) -> Begin? {
    guard let deadline, now >= deadline, let title = waiting else { return nil }
    waiting = nil
    return begin(title.name, from: .title, now: title.since)
  }

  /// When `resolve` may begin a phase.
  var deadline: Instant? {
    guard waiting != nil, source == .title else { return nil }
    return changedAt?.advanced(byNanoseconds: PhaseDetector.titlePause)
  }

  /// Whether this source may begin phases.
  private func leads(_ candidate: EventOrigin) -> Bool {
    if let choice { return choice.origins.contains(candidate) }
    return candidate.rank >= source?.rank ?? 0
  }

  private mutating func begin(
    _ name: Event.Name, from source: EventOrigin, now: Instant
  ) -> Begin? {
    guard name != current || self.source != source else { return nil }
    self.source = source
    current = name
    changedAt = now
    return Begin(name: name, source: source, time: now)
  }

  private mutating func takeTitle(_ name: Event.Name, now: Instant) -> Begin? {
    if source == .title, let changedAt,
      now.nanoseconds(since: changedAt) < PhaseDetector.titlePause
    {
      if name != waiting?.name { waiting = name == current ? nil : Waiting(name: name, since: now) }
      return nil
    }
    waiting = nil
    return begin(name, from: .title, now: now)
  }

  /// Handles shell marks. There was a prompt between two commands, however short.
  private mutating func takeMarks(
    _ new: View, _ command: () -> InlineText<256>, now: Instant
  ) -> [Begin] {
    var begins: [Begin] = []
    func add(_ name: Event.Name) { begins += list(begin(name, from: .shell, now: now)) }
    if new.commandsStarted != view.commandsStarted {
      if view.isCommandRunning { add(PhaseDetector.prompt) }
      let name = PhaseDetector.name(ofCommand: command().text)
      add(name.isEmpty ? Event.Name("command") : name)
    }
    if !new.isCommandRunning { add(PhaseDetector.prompt) }
    return begins
  }

  /// The phase of a shell between two commands.
  static let prompt = Event.Name("prompt")

  /// A title without its moving parts: spinners (braille) and percentages.
  static func name(ofTitle title: String) -> Event.Name {
    var kept = ""
    var digits = ""
    for scalar in title.unicodeScalars {
      if ("0"..."9").contains(scalar) {
        digits.unicodeScalars.append(scalar)
        continue
      }
      if scalar != "%" { kept += digits }
      let isMotion = (0x2800...0x28FF).contains(scalar.value) || (scalar == "%" && !digits.isEmpty)
      digits = ""
      if !isMotion { kept.unicodeScalars.append(scalar) }
    }
    kept += digits
    let words = kept.split(whereSeparator: { $0 == " " || $0 == "\t" })
    return Event.Name(words.joined(separator: " "))
  }

  /// The program of a command line, with its subcommand: `git log`, `make test`, `vim`.
  static func name(ofCommand text: String) -> Event.Name {
    let words = text.split(whereSeparator: { $0 == " " || $0 == "\t" })
    var rest = words.drop { isAssignment($0) }
    if let first = rest.first, ["sudo", "exec", "command", "nohup", "time"].contains(String(first))
    {
      rest = rest.dropFirst().drop { $0.hasPrefix("-") || isAssignment($0) }
    }
    guard let program = rest.first else { return Event.Name() }
    let base = program.split(separator: "/").last.map(String.init) ?? String(program)
    guard let second = rest.dropFirst().first, isSubcommand(second) else { return Event.Name(base) }
    return Event.Name("\(base) \(second)")
  }

  private static func isAssignment(_ word: Substring) -> Bool {
    guard let sign = word.firstIndex(of: "="), sign > word.startIndex else { return false }
    return word[..<sign].utf8.allSatisfy { byte in
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
        || byte == 0x5F
    }
  }

  /// A word of letters and hyphens: neither an option, nor a path, nor a number.
  private static func isSubcommand(_ word: Substring) -> Bool {
    guard word.first?.isLetter == true else { return false }
    return word.utf8.allSatisfy { byte in
      (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D
    }
  }
}
