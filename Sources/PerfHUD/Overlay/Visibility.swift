import PerfHUDBase

/// Whether the HUD over a command is shown. Pure.
///
/// Under a shell the HUD appears once a job has run for a while, and disappears at the prompt: some seconds after the
/// end of a job, so that its last values can be read, or with the next key. It also appears at the start, so that the
/// user sees that it is there. The user's choice applies until the HUD would appear or disappear by itself.
struct Visibility: Equatable {
  /// How long the HUD stays at the prompt after the start, or after the end of a job; nanoseconds.
  static let stay: Int64 = 5_000_000_000

  private enum Shell: Equatable {
    case prompt
    /// The prompt, before anything has been typed.
    case newPrompt(since: Instant)
    case job(since: Instant)
  }

  /// How long a job runs until the HUD appears, in nanoseconds; `nil` if it never appears or disappears by itself.
  private let delay: Int64?
  private var shell = Shell.prompt
  private var standard: Bool
  private var chosen: Bool?

  /// - Parameters:
  ///   - isHidden: whether only the user can show it.
  ///   - delay: how long a shell's job runs until the HUD appears, in nanoseconds; `nil` if it does not appear by
  ///     itself.
  init(isHidden: Bool, delay: Int64?, now: Instant) {
    self.delay = isHidden ? nil : delay
    standard = !isHidden
    notePrompt(now: now)
  }

  var isShown: Bool { chosen ?? standard }

  /// Applies the user's choice.
  mutating func choose(_ isShown: Bool) { chosen = isShown == standard ? nil : isShown }

  /// Notes that a job of the shell has had the terminal since a time.
  mutating func noteJob(since start: Instant) { shell = .job(since: start) }

  /// Notes that the shell has the terminal again.
  mutating func notePrompt(now: Instant) { shell = standard ? .newPrompt(since: now) : .prompt }

  /// Notes that the user types at the prompt.
  mutating func noteKeys() {
    if case .newPrompt = shell { shell = .prompt }
  }

  mutating func update(now: Instant) {
    guard delay != nil else { return }
    let isDue = deadline.map { now >= $0 }
    let isWanted: Bool
    switch shell {
    case .prompt: isWanted = false
    case .job: isWanted = standard || isDue == true
    case .newPrompt: isWanted = isDue == false
    }
    guard isWanted != standard else { return }
    standard = isWanted
    chosen = nil
    if !isWanted { shell = .prompt }
  }

  /// When the visibility changes if nothing happens; `nil` if it does not.
  var deadline: Instant? {
    guard let delay else { return nil }
    return switch shell {
    case .prompt: nil
    case .job(let start): standard ? nil : start.advanced(byNanoseconds: delay)
    case .newPrompt(let start): start.advanced(byNanoseconds: Visibility.stay)
    }
  }
}
