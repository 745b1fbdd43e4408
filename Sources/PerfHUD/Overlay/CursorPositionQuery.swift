import PerfHUDBase
import Terminal

/// Decides when to ask the terminal for its cursor position, and which answers to use.
///
/// An answer contains the position at which the question reached the terminal. So the command's output is held back for
/// a while after a question, and an answer is used only if no output has passed since. The answer to the first question
/// is useful as long as the output since the start is kept: a slow link may need longer than anyone would wait.
struct CursorPositionQuery: Sendable {
  private var question: Question?
  private var attempts = 0
  private var isStopped = false
  /// Until then the terminal may change its size again without a signal, so no question is sent and no output passes.
  private var restsUntil: Instant?
  private(set) var askedAt: Instant

  private struct Question {
    /// The number returned by `InputRouter.expectCursor`.
    var number: Int
    /// The number of the command's bytes sent before the question.
    var passedBytes: UInt64
    var deadline: Instant
    var holdsOutputUntil: Instant?
  }

  private static let patience: Int64 = 300_000_000
  /// The maximum number of questions sent immediately after one another.
  private static let attemptLimit = 3
  /// After that, a terminal that answers other questions is asked again after this time in seconds.
  private static let pause = 2.0

  /// Begins with the question that was sent together with those of the start.
  init(number: Int, now: Instant) {
    askedAt = now
    ask(number: number, passedBytes: 0, now: now)
    attempts = 0
  }

  /// Notes that a question was sent.
  mutating func ask(number: Int, passedBytes: UInt64, now: Instant) {
    attempts += 1
    askedAt = now
    restsUntil = nil
    question = Question(
      number: number, passedBytes: passedBytes,
      deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
      holdsOutputUntil: now.advanced(byNanoseconds: CursorPositionQuery.patience))
  }

  /// What follows from an answer.
  enum Finding: Equatable {
    /// The cursor's current position.
    case current(Point)
    /// The cursor's position before the first output of the command.
    case start(Point)
  }

  /// Takes an answer; returns `nil` if it is not useful.
  mutating func answer(_ report: InputRouter.CursorReport, passedBytes: UInt64) -> Finding? {
    guard let question, report.question == question.number else { return nil }
    self.question = nil
    if question.passedBytes == passedBytes { return .current(report.place) }
    return question.passedBytes == 0 ? .start(report.place) : nil
  }

  /// Stops asking, because the terminal does not answer such questions.
  mutating func stop() {
    question = nil
    restsUntil = nil
    isStopped = true
  }

  /// Notes that the answer was useful.
  mutating func succeed() { attempts = 0 }

  /// Gives up questions that were not answered in time.
  mutating func expire(now: Instant) {
    if let rest = restsUntil, now >= rest.advanced(byNanoseconds: CursorPositionQuery.patience) {
      restsUntil = nil
    }
    guard let open = question else { return }
    if let until = open.holdsOutputUntil, now >= until { question?.holdsOutputUntil = nil }
    if now >= open.deadline { question = nil }
  }

  /// Ignores any answer to the open question.
  mutating func cancel() {
    question = nil
    restsUntil = nil
  }

  /// As `cancel`, and the next question may be sent immediately.
  ///
  /// - Parameter rest: the earliest time for the question. Until it is answered, the command's output waits.
  mutating func startOver(after rest: Instant? = nil) {
    question = nil
    attempts = 0
    restsUntil = rest
  }

  /// Whether the command's output waits for an answer.
  var holdsOutput: Bool { restsUntil != nil || question?.holdsOutputUntil != nil }

  /// When `expire` has something to do.
  var deadline: Instant? {
    restsUntil?.advanced(byNanoseconds: CursorPositionQuery.patience)
      ?? question?.holdsOutputUntil ?? question?.deadline
  }

  /// When the next question may be sent; `nil` while one is open, or if none will be sent.
  ///
  /// - Parameter answers: whether the terminal has answered other questions.
  func nextQuestion(now: Instant, answers: Bool) -> Instant? {
    guard question == nil, !isStopped else { return nil }
    if attempts < CursorPositionQuery.attemptLimit { return max(now, restsUntil ?? now) }
    return answers ? max(now, askedAt.advanced(bySeconds: CursorPositionQuery.pause)) : nil
  }
}
