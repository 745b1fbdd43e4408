import HUD
import PerfHUDBase
import Terminal

/// Divides what comes from the terminal of an overlay: keys for the command or, after the prefix key, for the
/// HUD, and answers to perfhud.
///
/// While nothing of it can be for perfhud the bytes pass as they come, and are only watched; a lone ESC is not
/// delayed. Otherwise a token waits until it is whole, and what is perfhud's is taken out. Bytes that are passed
/// on are never changed: the tokens only say where to divide them.
///
/// A prefix key with Control is a byte of its own in every terminal, unless the command has asked for a richer
/// keyboard (kitty's, or modifyOtherKeys): then it is a sequence, and an ESC waits 25 ms for the rest of one. Where the
/// prefix key is a sequence anyway, such as F12, what is most of it waits where a read ends within it.
///
/// A terminal answers in the order of asking. So the questions for the cursor are counted, those of
/// the command too: the answer to each has its number.
struct InputRouter: Sendable {
  private(set) var features: TerminalFeatures
  private var decoder = InputDecoder()
  /// What has come of the token that is not whole and has not been passed on.
  private var held: [UInt8] = []
  private var heldSince = Instant(nanoseconds: 0)
  /// Whether the command has got a part of the token that is not whole.
  private var hasPassedPart = false

  private let prefixKey: PrefixKey?
  private var filter: PrefixKeyFilter
  /// The tokens of one piece, in order.
  private var tokens: [Token] = []

  private struct Token {
    var length: Int
    /// The number of bytes at its start that are for perfhud.
    var own: Int
  }

  /// The rest of a sequence comes at once, or it was none.
  private static let sequencePatience: Int64 = 100_000_000
  /// The same while an answer is expected, which a network may have cut.
  private static let answerPatience: Int64 = 1_000_000_000

  /// How many questions for the cursor went out, and how many of them are done with.
  private var asked = 0
  private var answered = 0
  /// Those of perfhud that are open, oldest first.
  private var questions: [Question] = []
  private var notedQuestions = 0
  private var report: CursorReport?
  /// Whether the terminal has the focus, as it last reported to the command.
  private(set) var hasFocus = true
  /// The terminal has answered DA1, but not the question for the cursor before it.
  private(set) var lacksCursorReports = false

  private struct Question {
    var number: Int
    var deadline: Instant
    /// It was sent before DA1, after whose answer none can come.
    var isProbe: Bool
  }

  /// Where the cursor was when a question reached the terminal.
  struct CursorReport: Equatable {
    /// What `expectCursor` has returned.
    var question: Int
    var place: Point
  }

  init(features: TerminalFeatures, prefixKey: PrefixKey? = nil) {
    self.features = features
    self.prefixKey = prefixKey
    filter = PrefixKeyFilter(prefixKey)
  }

  /// Whether the HUD has the focus: the prefix key was pressed.
  var hasHUDFocus: Bool { filter.hasHUDFocus }
  /// Keys that were the command's, since the start.
  var passedKeys: Int { filter.passed }
  /// The command has asked for a keyboard that sends keys as sequences.
  var hasRichKeyboard: Bool {
    get { filter.isRich }
    set { if newValue != filter.isRich { filter.isRich = newValue } }
  }

  /// The keys that are for the HUD, since the last call.
  mutating func takeKeys() -> [Key] { filter.takeKeys() }

  /// What the mouse did in the HUD's windows while that had the keys, since the last call.
  mutating func takeMouse() -> [MouseEvent] { filter.takeMouse() }

  /// The windows of the HUD that the mouse can reach; none while they are not on the screen.
  ///
  /// - Parameter pixels: those of a cell, where the mouse is reported in pixels (`?1016`).
  mutating func setWindows(_ windows: RectList, pixels: Size? = nil) {
    filter.windows = windows
    filter.cellPixels = pixels
  }

  /// Takes over from the HUD where in it the keys are, while it has them.
  mutating func follow(_ focus: KeyFocus) { filter.follow(focus) }

  /// The keys go to the command again.
  mutating func endHUDFocus() { filter.end() }

  /// perfhud has asked for the cursor.
  ///
  /// - Parameter isProbe: with the questions of the start, before DA1.
  /// - Returns: the number that the answer will have.
  mutating func expectCursor(at now: Instant, isProbe: Bool = false) -> Int {
    defer { asked += 1 }
    questions.append(
      Question(
        number: asked, deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
        isProbe: isProbe))
    return asked
  }

  /// Whether a question for the cursor is answered, or will not be.
  func isDone(question number: Int) -> Bool { answered > number }

  /// Takes note of how often the command has asked for the cursor.
  mutating func note(cursorQuestions count: Int) {
    guard notedQuestions < count else { return }
    asked += count - notedQuestions
    notedQuestions = count
  }

  /// Where the cursor is, if the terminal has reported it since the last call.
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
    hasPassedPart = false
    answered = asked
    questions.removeAll()
    report = nil
    features.giveUp()
    filter.reset()
  }

  /// Whether an answer to perfhud is still to come.
  var isExpecting: Bool { features.isWaiting || !questions.isEmpty }

  /// Whether what comes may be for perfhud, so that a token waits until it is whole.
  private var isCareful: Bool {
    isExpecting || hasHUDFocus || hasRichKeyboard || mayBeginPrefixKey
  }

  /// Whether what is held may become the prefix key.
  private var mayBeginPrefixKey: Bool {
    guard !held.isEmpty, !decoder.isInPaste, let prefixKey else { return false }
    return prefixKey.mayBegin(with: held)
  }

  /// When `resolve` has to be called if nothing comes: what is held is not for perfhud then.
  var deadline: Instant? {
    guard !held.isEmpty else { return nil }
    var due = hasHUDFocus ? nil : giveUpDue
    if let oldest = questions.first?.deadline { due = min(oldest, due ?? oldest) }
    if let pending = decoder.pendingDeadline { due = min(pending, due ?? pending) }
    return due
  }

  private var giveUpDue: Instant {
    heldSince.advanced(
      byNanoseconds: isExpecting ? InputRouter.answerPatience : InputRouter.sequencePatience)
  }

  /// Passes on what waits for the clock, if its time is over.
  mutating func resolve(now: Instant, into passed: inout [UInt8]) {
    while let oldest = questions.first, now >= oldest.deadline { closeOldest() }
    if let deadline = decoder.pendingDeadline, now >= deadline {
      var decoder = decoder
      decoder.resolve(now: now) { event, token in note(event, token) }
      self.decoder = decoder
      settleTokens(decoder.pendingCount, &passed)
    }
    // Half of a sequence after the prefix key waits for the other half: it may be for the HUD.
    let isLate = !hasHUDFocus && !held.isEmpty && now >= giveUpDue
    if !isCareful || isLate { passOn(&passed) }
  }

  /// Takes bytes, as far as the first that is for the HUD; what the command is to get is appended to
  /// `passed`.
  ///
  /// What the bytes after it mean depends on what the HUD does with it: serve `takeKeys` and `takeMouse`, set
  /// with `follow` where its keys go then, and go on with the rest. Call `resolve` before, for what waits for the
  /// clock.
  ///
  /// - Returns: how many of the bytes were taken, one at least.
  mutating func take(_ bytes: RawSpan, at now: Instant, into passed: inout [UInt8]) -> Int {
    // The decoder is taken out, since its events change the rest.
    var decoder = decoder
    decoder.expectedCursorReports = max(0, asked - answered)
    var index = 0
    while index < bytes.byteCount {
      let end = isExpecting || hasHUDFocus ? index + 1 : endOfPiece(bytes, index, decoder)
      let piece = bytes.extracting(index..<end)
      index = end
      if held.isEmpty { heldSince = now }
      append(piece, to: &held)
      decoder.feed(piece, at: now) { event, token in note(event, token) }
      settleTokens(decoder.pendingCount, &passed)
      // No token for perfhud is as long.
      if held.count > InputDecoder.tokenLimit { passOn(&passed) }
      if filter.hasNews { break }
    }
    self.decoder = decoder
    // The rest of a token may be in the bytes that are left.
    if index == bytes.byteCount, !isCareful { passOn(&passed) }
    return index
  }

  /// The index from which bytes have to be examined one by one again: after the next that may be the prefix key
  /// or begin a sequence.
  private func endOfPiece(_ bytes: RawSpan, _ first: Int, _ decoder: InputDecoder) -> Int {
    guard decoder.isAtGround || decoder.isInPaste else { return first + 1 }
    var index = first
    while index < bytes.byteCount {
      let byte = FieldCursor.byte(at: index, in: bytes)
      let isPlain = decoder.isInPaste || (byte < 0x80 && byte != prefixKey?.byte)
      if byte == 0x1B || !isPlain { return max(first + 1, index) }
      index += 1
    }
    return index
  }

  private mutating func note(_ event: InputEvent, _ token: RawSpan) {
    switch event {
    // Who types is there, whatever the terminal has reported.
    case .focusGained, .key: hasFocus = true
    case .focusLost: hasFocus = false
    default: break
    }
    let own =
      switch event {
      case .answer(let answer): takeAnswer(answer, token) ? token.byteCount : 0
      case .key where hasPassedPart: passRest(token)
      case .key(let key): filter.take(key, token)
      case .keyReleased where hasPassedPart: 0
      case .keyReleased: filter.takeRelease(token) ? token.byteCount : 0
      case .mouse(let event): filter.take(event) ? token.byteCount : 0
      default: 0
      }
    hasPassedPart = false
    tokens.append(Token(length: token.byteCount, own: own))
  }

  private mutating func passRest(_ token: RawSpan) -> Int {
    filter.passRest(token)
    return 0
  }

  /// Passes on the tokens that have become whole, but those for perfhud.
  ///
  /// - Parameter pending: the number of bytes of `held` that belong to a token that is not whole.
  private mutating func settleTokens(_ pending: Int, _ passed: inout [UInt8]) {
    guard !tokens.isEmpty else { return }
    let whole = max(0, held.count - pending)
    // What of the tokens has been passed on before, and what of one too long to be kept is not in it.
    var gone = tokens.reduce(0) { $0 + $1.length } - whole
    var place = 0
    for token in tokens {
      let isLonger = gone < 0
      let length = token.length - min(gone, token.length)
      gone = isLonger ? 0 : gone - (token.length - length)
      // What is passed is the end of the token, of which the start may have gone before.
      let rest = isLonger ? length : min(length, token.length - token.own)
      passed.append(contentsOf: held[place + length - rest..<place + length])
      place += length
    }
    held.removeFirst(whole)
    tokens.removeAll(keepingCapacity: true)
  }

  private mutating func passOn(_ passed: inout [UInt8]) {
    if !held.isEmpty, !decoder.isInPaste { hasPassedPart = true }
    passed.append(contentsOf: held)
    held.removeAll(keepingCapacity: true)
  }

  /// Whether it is an answer to perfhud.
  private mutating func takeAnswer(_ answer: Answer, _ bytes: RawSpan) -> Bool {
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
      while let oldest = questions.first, oldest.isProbe {
        lacksCursorReports = true
        closeOldest()
      }
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
