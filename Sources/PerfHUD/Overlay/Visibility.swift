import PerfHUDBase

/// Whether the HUD over a command is shown; pure.
///
/// Under a shell it shows itself once a job has run for a while, and goes at the prompt: some seconds after the end of
/// a job, so that its last values can be read, or with the next key. It does so at the start too, so that who starts
/// it sees that it is there. What the user chooses counts until it would have shown or hidden itself.
struct Visibility: Equatable {
  /// How long the HUD stays at the prompt after its start, or the end of a job; nanoseconds.
  static let stay: Int64 = 5_000_000_000

  private enum Shell: Equatable {
    case prompt
    /// The prompt, where nothing has been typed yet.
    case newPrompt(since: Instant)
    case job(since: Instant)
  }

  /// How long a job runs until the HUD shows itself, in nanoseconds; `nil`: it never does, nor hides itself.
  private let delay: Int64?
  private var shell = Shell.prompt
  private var standard: Bool
  private var chosen: Bool?

  /// - Parameters:
  ///   - isHidden: whether only the user shows it.
  ///   - delay: how long a job of a shell runs until the HUD shows itself, in nanoseconds; `nil`: it does not.
  init(isHidden: Bool, delay: Int64?, now: Instant) {
    self.delay = isHidden ? nil : delay
    standard = !isHidden
    notePrompt(now: now)
  }

  var isShown: Bool { chosen ?? standard }

  /// Takes what the user wants.
  mutating func choose(_ isShown: Bool) { chosen = isShown == standard ? nil : isShown }

  /// A job of the shell has had the terminal since a time.
  mutating func noteJob(since start: Instant) { shell = .job(since: start) }

  /// The shell has the terminal again.
  mutating func notePrompt(now: Instant) { shell = standard ? .newPrompt(since: now) : .prompt }

  /// The user goes on at the prompt.
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

  /// When it changes if nothing happens; `nil`: it does not.
  var deadline: Instant? {
    guard let delay else { return nil }
    return switch shell {
    case .prompt: nil
    case .job(let start): standard ? nil : start.advanced(byNanoseconds: delay)
    case .newPrompt(let start): start.advanced(byNanoseconds: Visibility.stay)
    }
  }
}
