import PerfHUDBase
import Terminal

/// Decides when the terminal is asked where its cursor is, and which of its answers count.
///
/// An answer contains where the cursor was when the question reached the terminal. So the command's output is
/// held back for a while after a question, and an answer counts if nothing has passed since. The answer to the
/// first question counts as long as the output since the start is kept: a slow link may need longer than anybody
/// would wait.
struct CursorPositionQuery: Sendable {
  private var question: Question?
  private var attempts = 0
  private var isStopped = false
  /// Until then the terminal may take another size without a signal, so that nothing is asked and nothing passes.
  private var restsUntil: Instant?
  private(set) var askedAt: Instant

  private struct Question {
    /// What `InputRouter.expectCursor` has returned.
    var number: Int
    /// How much of the command's output was sent before it.
    var passedBytes: UInt64
    var deadline: Instant
    var holdsOutputUntil: Instant?
  }

  private static let patience: Int64 = 300_000_000
  /// The limit of questions that follow one another at once.
  private static let attemptLimit = 3
  /// After that a terminal that does answer questions is asked again after this time in seconds.
  private static let pause = 2.0

  /// A question has gone out with those of the start.
  init(number: Int, now: Instant) {
    askedAt = now
    ask(number: number, passedBytes: 0, now: now)
    attempts = 0
  }

  /// A question has gone out.
  mutating func ask(number: Int, passedBytes: UInt64, now: Instant) {
    attempts += 1
    askedAt = now
    restsUntil = nil
    question = Question(
      number: number, passedBytes: passedBytes,
      deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
      holdsOutputUntil: now.advanced(byNanoseconds: CursorPositionQuery.patience))
  }

  /// What an answer is about.
  enum Finding: Equatable {
    /// Where the cursor is now.
    case current(Point)
    /// Where it was before the first output of the command.
    case start(Point)
  }

  /// Takes an answer; returns nothing if it is of no use.
  mutating func answer(_ report: InputRouter.CursorReport, passedBytes: UInt64) -> Finding? {
    guard let question, report.question == question.number else { return nil }
    self.question = nil
    if question.passedBytes == passedBytes { return .current(report.place) }
    return question.passedBytes == 0 ? .start(report.place) : nil
  }

  /// The terminal does not answer such questions, so that no other goes out.
  mutating func stop() {
    question = nil
    restsUntil = nil
    isStopped = true
  }

  /// The answer was of use.
  mutating func succeed() { attempts = 0 }

  /// Gives up what has not come in time.
  mutating func expire(now: Instant) {
    if let rest = restsUntil, now >= rest.advanced(byNanoseconds: CursorPositionQuery.patience) {
      restsUntil = nil
    }
    guard let open = question else { return }
    if let until = open.holdsOutputUntil, now >= until { question?.holdsOutputUntil = nil }
    if now >= open.deadline { question = nil }
  }

  /// An answer to the open question is of no use any more.
  mutating func cancel() {
    question = nil
    restsUntil = nil
  }

  /// The same, and the next question may go out at once.
  ///
  /// - Parameter rest: not before then; the output of the command waits until it is answered.
  mutating func startOver(after rest: Instant? = nil) {
    question = nil
    attempts = 0
    restsUntil = rest
  }

  /// Whether the output of the command waits for the answer.
  var holdsOutput: Bool { restsUntil != nil || question?.holdsOutputUntil != nil }

  /// When `expire` has something to do.
  var deadline: Instant? {
    restsUntil?.advanced(byNanoseconds: CursorPositionQuery.patience)
      ?? question?.holdsOutputUntil ?? question?.deadline
  }

  /// When the next question may go out; `nil` while one is open, or if there is to be none.
  ///
  /// - Parameter answers: whether the terminal has answered other questions.
  func nextQuestion(now: Instant, answers: Bool) -> Instant? {
    guard question == nil, !isStopped else { return nil }
    if attempts < CursorPositionQuery.attemptLimit { return max(now, restsUntil ?? now) }
    return answers ? max(now, askedAt.advanced(bySeconds: CursorPositionQuery.pause)) : nil
  }
}
