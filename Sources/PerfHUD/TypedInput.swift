import Base
import Terminal

/// What comes from the terminal of an overlay: keys for the command, and answers to perfhud.
///
/// While no answer is expected the bytes go through as they come, and are only watched; a lone ESC is
/// not held up. While one is, a token waits until it is whole, and the answer is taken out. What is
/// passed on is always what came, byte for byte: the tokens only tell where it is to be cut.
///
/// A terminal answers in the order of asking. So the questions for the cursor are counted, those of
/// the command too: the answer to each has its number.
struct TypedInput: Sendable {
  private(set) var features: TerminalFeatures
  private var decoder = InputDecoder()
  /// What has come of the token that is not whole and has not been passed on.
  private var held: [UInt8] = []

  /// How many questions for the cursor went out, and how many of them are done with.
  private var asked = 0
  private var answered = 0
  /// Those of perfhud that are open, oldest first.
  private var questions: [Question] = []
  private var notedQuestions = 0
  private var report: CursorReport?

  private struct Question {
    var number: Int
    var deadline: Instant
    /// It went out in front of DA1, behind whose answer none can come.
    var isProbe: Bool
  }

  /// Where the cursor was when a question reached the terminal.
  struct CursorReport: Equatable {
    /// What `expectCursor` has returned.
    var question: Int
    var place: Point
  }

  init(features: TerminalFeatures) { self.features = features }

  /// perfhud has asked for the cursor.
  ///
  /// - Parameter isProbe: with the questions of the start, in front of DA1.
  /// - Returns: the number that the answer will have.
  mutating func expectCursor(at now: Instant, isProbe: Bool = false) -> Int {
    defer { asked += 1 }
    questions.append(
      Question(
        number: asked, deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
        isProbe: isProbe))
    return asked
  }

  /// Takes note of how often the command has asked for the cursor.
  mutating func note(cursorQuestions count: Int) {
    guard notedQuestions < count else { return }
    asked += count - notedQuestions
    notedQuestions = count
  }

  /// Where the cursor is, if the terminal has told since the last call.
  mutating func takeCursor() -> CursorReport? {
    defer { report = nil }
    return report
  }

  /// No answer to the questions of the start is expected any more.
  mutating func giveUp() { features.giveUp() }

  /// After a stop nothing of what was pending will come.
  mutating func reset() {
    decoder.reset()
    held.removeAll()
    answered = asked
    questions.removeAll()
    report = nil
    features.giveUp()
  }

  /// Whether an answer to perfhud is still to come.
  var isExpecting: Bool { features.isWaiting || !questions.isEmpty }

  /// When `resolve` has to be called if nothing comes: what is held is not an answer then.
  var deadline: Instant? {
    guard !held.isEmpty else { return nil }
    guard let pending = decoder.pendingDeadline else { return questions.first?.deadline }
    return min(pending, questions.first?.deadline ?? pending)
  }

  /// Passes on what waits for the clock, if its time is over.
  mutating func resolve(now: Instant, into passed: inout [UInt8]) {
    while let oldest = questions.first, now >= oldest.deadline { closeOldest() }
    if let deadline = decoder.pendingDeadline, now >= deadline {
      decoder.resolve(now: now) { (_: InputEvent) in }
      passOn(&passed)
    }
    if !isExpecting { passOn(&passed) }
  }

  /// Takes bytes; what the command is to get is appended to `passed`.
  mutating func take(_ bytes: RawSpan, at now: Instant, into passed: inout [UInt8]) {
    resolve(now: now, into: &passed)
    // The decoder is taken out, since its events change the rest.
    var decoder = decoder
    decoder.expectedCursorReports = max(0, asked - answered)
    var index = 0
    while index < bytes.byteCount, isExpecting {
      let byte = bytes.extracting(index..<index + 1)
      index += 1
      append(byte, to: &held)
      var answerLength = 0
      decoder.feed(byte, at: now) { event, token in
        if takeAnswer(event, token) { answerLength = token.byteCount }
      }
      // What belongs to a whole token; an answer can only be the last that has become whole.
      let whole = max(0, held.count - decoder.pendingCount)
      passed.append(contentsOf: held[..<max(0, whole - answerLength)])
      held.removeFirst(whole)
      // No answer to perfhud is as long.
      if held.count > InputDecoder.tokenLimit { passOn(&passed) }
    }
    if !isExpecting { passOn(&passed) }
    if index < bytes.byteCount {
      let rest = bytes.extracting(index..<bytes.byteCount)
      append(rest, to: &passed)
      decoder.feed(rest, at: now) { event, token in _ = takeAnswer(event, token) }
    }
    self.decoder = decoder
  }

  private mutating func passOn(_ passed: inout [UInt8]) {
    passed.append(contentsOf: held)
    held.removeAll(keepingCapacity: true)
  }

  /// Whether it is an answer to perfhud.
  private mutating func takeAnswer(_ event: InputEvent, _ bytes: RawSpan) -> Bool {
    guard case .answer(let answer) = event else { return false }
    if case .cursorPosition(let place) = answer {
      // DECXCPR is another question.
      guard FieldCursor.byte(at: 2, in: bytes) != UInt8(ascii: "?"), answered < asked else {
        return false
      }
      guard let oldest = questions.first, oldest.number == answered else {
        answered += 1
        return false
      }
      closeOldest()
      report = CursorReport(question: oldest.number, place: place)
      return true
    }
    let isOurs = features.take(answer, bytes)
    if isOurs, !features.isWaiting {
      while let oldest = questions.first, oldest.isProbe { closeOldest() }
    }
    return isOurs
  }

  /// The oldest question has been answered or will not be, nor will those before it.
  private mutating func closeOldest() {
    answered = max(answered, questions.removeFirst().number + 1)
  }

  private func append(_ bytes: RawSpan, to list: inout [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe list.append(contentsOf: $0) }
  }
}
