import Base
import Terminal

/// When the terminal is asked where its cursor is, and which of its answers count.
///
/// An answer tells something about the moment in which the question reached the terminal. So the output
/// of the command is held back for a while after it, and an answer counts only if nothing has passed.
struct CursorInquiry: Sendable {
  private var question: Question?
  private var attempts = 0
  private(set) var askedAt: Instant

  private struct Question {
    /// What `TypedInput.expectCursor` has returned.
    var number: Int
    /// How much of the command's output was in front of it.
    var passedBytes: UInt64
    var deadline: Instant
    var holdsOutputUntil: Instant?
  }

  private static let patience: Int64 = 300_000_000
  /// So often it is asked for again at once.
  private static let attemptLimit = 3
  /// After that a terminal that does answer questions is asked again after so many seconds.
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
    question = Question(
      number: number, passedBytes: passedBytes,
      deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
      holdsOutputUntil: now.advanced(byNanoseconds: CursorInquiry.patience))
  }

  /// Takes an answer; returns the place if it is that of the cursor now.
  mutating func answer(_ report: TypedInput.CursorReport, passedBytes: UInt64) -> Point? {
    guard let question, report.question == question.number else { return nil }
    self.question = nil
    return question.passedBytes == passedBytes ? report.place : nil
  }

  /// The answer was of use.
  mutating func succeed() { attempts = 0 }

  /// Gives up what has not come in time.
  mutating func expire(now: Instant) {
    guard let open = question else { return }
    if let until = open.holdsOutputUntil, now >= until { question?.holdsOutputUntil = nil }
    if now >= open.deadline { question = nil }
  }

  /// An answer to the open question is of no use any more.
  mutating func cancel() { question = nil }

  /// The same, and the next question may go out at once.
  mutating func startOver() {
    question = nil
    attempts = 0
  }

  /// Whether the output of the command waits for the answer.
  var holdsOutput: Bool { question?.holdsOutputUntil != nil }

  /// When `expire` has something to do.
  var deadline: Instant? { question?.holdsOutputUntil ?? question?.deadline }

  /// When the next question may go out; `nil` while one is open, or if there is to be none.
  ///
  /// - Parameter answers: whether the terminal has answered other questions.
  func nextQuestion(now: Instant, answers: Bool) -> Instant? {
    guard question == nil else { return nil }
    if attempts < CursorInquiry.attemptLimit { return now }
    return answers ? max(now, askedAt.advanced(bySeconds: CursorInquiry.pause)) : nil
  }
}
