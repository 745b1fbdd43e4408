import PerfHUDBase
import Terminal

/// How much of the HUD a slow link gets.
///
/// What has been written waits in buffers on the way that cannot be queried, and the answer to a key waits behind it. So
/// where the terminal answers late, it is asked for the cursor after each update of the HUD: the answer says that it
/// has got that far. Until then no other update goes out, and after that only when the link was free for some time.
/// The first measurement is how long the answer of the start took.
struct HUDUpdatePace: Sendable {
  /// An answer that takes longer comes over a slow link; nanoseconds.
  static let slowness: Int64 = 150_000_000
  /// This number of faster answers in a row ends that.
  private static let fastLimit = 3
  /// After an update of the HUD the link is the program's for this many times the time that the update took.
  private static let freeShare: Int64 = 3
  /// An answer that takes longer is not waited for; nanoseconds.
  private static let patience = TerminalFeatures.limit

  private struct Question {
    var number: Int
    var askedAt: Instant
  }

  private var question: Question?
  private(set) var isSlow = false
  private var fastAnswers = 0
  private var hasMeasuredUpdate = false
  /// The shortest time in which an answer has come: that of the way, without bytes before it.
  private var way: Int64 = .max
  private var nextUpdate = Instant(nanoseconds: 0)

  /// The question for the cursor that goes out at the start.
  init(number: Int, now: Instant) { question = Question(number: number, askedAt: now) }

  /// Whether a question is to follow an update: over a slow link each, otherwise the first alone, since the answer of
  /// the start says little of a link that is narrow and short.
  var wantsQuestion: Bool { question == nil && way < .max && (isSlow || !hasMeasuredUpdate) }

  /// The time of the open question.
  var askedAt: Instant? { question?.askedAt }

  /// A question has gone out after an update.
  mutating func ask(number: Int, now: Instant) {
    question = Question(number: number, askedAt: now)
    hasMeasuredUpdate = true
  }

  /// The terminal has got as far as the open question, or will not answer it any more.
  ///
  /// - Parameter isAnswered: whether the question of a number is answered.
  mutating func noteAnswers(now: Instant, isAnswered: (Int) -> Bool) {
    guard let open = question else { return }
    let time = now.nanoseconds(since: open.askedAt)
    if time >= HUDUpdatePace.patience {
      // No terminal that could be asked.
      question = nil
      isSlow = false
      way = .max
      return
    }
    guard isAnswered(open.number) else { return }
    question = nil
    way = min(way, time)
    fastAnswers = time < HUDUpdatePace.slowness ? fastAnswers + 1 : 0
    if time >= HUDUpdatePace.slowness { isSlow = true }
    if fastAnswers >= HUDUpdatePace.fastLimit { isSlow = false }
    nextUpdate = now.advanced(byNanoseconds: HUDUpdatePace.freeShare * (time - way))
  }

  /// The terminal has not taken for some time what it was given.
  mutating func noteSlowTerminal() {
    if way < .max { isSlow = true }
  }

  /// Nothing of what was asked will be answered.
  mutating func reset() { question = nil }

  /// Whether an update of the HUD may go out.
  ///
  /// - Parameter isAwaited: the user has asked for it with a key: it does not wait for the link to be free.
  func allowsUpdate(now: Instant, isAwaited: Bool) -> Bool {
    guard let question else { return !isSlow || isAwaited || now >= nextUpdate }
    // Of a terminal that has answered nothing yet nothing can be said.
    let isLate = way < .max && now.nanoseconds(since: question.askedAt) >= HUDUpdatePace.slowness
    return !isSlow && !isLate
  }

  /// When an update that was not allowed may go out, if nothing comes.
  var deadline: Instant {
    question?.askedAt.advanced(byNanoseconds: HUDUpdatePace.patience) ?? nextUpdate
  }
}
