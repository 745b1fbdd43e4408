import PerfHUDBase
import Terminal

/// Limits how much of the HUD is sent over a slow link.
///
/// Sent bytes wait in buffers on the way that cannot be queried, and the answer to a key waits behind them. So if the
/// terminal answers late, it is asked for the cursor after each update of the HUD: its answer means that it has
/// received the update. Until then no other update is sent, and after that only once the link has been free for some
/// time. The first measurement is the time of the answer at the start.
struct HUDUpdatePace: Sendable {
  /// An answer that takes longer has come over a slow link; nanoseconds.
  static let slowness: Int64 = 150_000_000
  /// The link counts as fast again after this many faster answers in a row.
  private static let fastLimit = 3
  /// After an update of the HUD, the link is left to the program for this many times the update's own time.
  private static let freeShare: Int64 = 3
  /// The maximum time to wait for an answer, in nanoseconds.
  private static let patience = TerminalFeatures.limit

  private struct Question {
    var number: Int
    var askedAt: Instant
  }

  private var question: Question?
  private(set) var isSlow = false
  private var fastAnswers = 0
  private var hasMeasuredUpdate = false
  /// The shortest time of an answer: the round trip without bytes ahead of it.
  private var shortestRoundTrip: Int64 = .max
  private var nextUpdate = Instant(nanoseconds: 0)

  /// Begins with the question for the cursor that was sent at the start.
  init(number: Int, now: Instant) { question = Question(number: number, askedAt: now) }

  /// Whether to ask after an update: after each one over a slow link; otherwise only after the first, since the answer
  /// at the start reveals little about a link with low bandwidth and short delay.
  var wantsQuestion: Bool {
    question == nil && shortestRoundTrip < .max && (isSlow || !hasMeasuredUpdate)
  }

  /// When the open question was sent.
  var askedAt: Instant? { question?.askedAt }

  /// Notes that a question was sent after an update.
  mutating func ask(number: Int, now: Instant) {
    question = Question(number: number, askedAt: now)
    hasMeasuredUpdate = true
  }

  /// Checks whether the terminal has answered the open question, or will not answer it any more.
  ///
  /// - Parameter isAnswered: whether the question with a number was answered.
  mutating func noteAnswers(now: Instant, isAnswered: (Int) -> Bool) {
    guard let open = question else { return }
    let time = now.nanoseconds(since: open.askedAt)
    if time >= HUDUpdatePace.patience {
      // The terminal does not answer questions.
      question = nil
      isSlow = false
      shortestRoundTrip = .max
      return
    }
    guard isAnswered(open.number) else { return }
    question = nil
    shortestRoundTrip = min(shortestRoundTrip, time)
    fastAnswers = time < HUDUpdatePace.slowness ? fastAnswers + 1 : 0
    if time >= HUDUpdatePace.slowness { isSlow = true }
    if fastAnswers >= HUDUpdatePace.fastLimit { isSlow = false }
    nextUpdate = now.advanced(byNanoseconds: HUDUpdatePace.freeShare * (time - shortestRoundTrip))
  }

  /// Notes that the terminal has not taken its bytes for some time.
  mutating func noteSlowTerminal() {
    if shortestRoundTrip < .max { isSlow = true }
  }

  /// Forgets the open question, which will not be answered.
  mutating func reset() { question = nil }

  /// Whether an update of the HUD may be sent.
  ///
  /// - Parameter isAwaited: whether the user has requested it with a key. If so, it does not wait until the link is
  ///   free.
  func allowsUpdate(now: Instant, isAwaited: Bool) -> Bool {
    guard let question else { return !isSlow || isAwaited || now >= nextUpdate }
    // If a terminal has not answered anything yet, nothing is known about it.
    let isLate =
      shortestRoundTrip < .max && now.nanoseconds(since: question.askedAt) >= HUDUpdatePace.slowness
    return !isSlow && !isLate
  }

  /// When an update that is not allowed now may be sent, if nothing arrives.
  var deadline: Instant {
    question?.askedAt.advanced(byNanoseconds: HUDUpdatePace.patience) ?? nextUpdate
  }
}
