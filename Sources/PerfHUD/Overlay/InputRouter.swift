import HUD
import PerfHUDBase
import Terminal

/// Divides the input from an overlay's terminal: keys for the command or, after the prefix key, for the HUD, and
/// answers to perfhud.
///
/// While none of it can be for perfhud, bytes pass immediately and are only watched; a lone ESC is not delayed.
/// Otherwise a token waits until it is complete, and perfhud's tokens are taken out. Bytes that are passed on are never
/// changed: tokens only determine where to divide them.
///
/// A prefix key with Control is a single byte in every terminal, unless the command has requested a richer keyboard
/// (kitty's, or modifyOtherKeys). Then it is a sequence, and an ESC waits 25 ms for the rest of one. If the prefix key
/// is always a sequence, such as F12, and a read ends within it, the part that came waits for the rest, but never a
/// lone ESC.
///
/// A terminal answers questions in order. So all questions for the cursor are counted, including the command's, and
/// each answer gets the number of its question.
struct InputRouter: Sendable {
  private(set) var features: TerminalFeatures
  private var decoder = InputDecoder()
  /// The bytes of the incomplete token that have not been passed on.
  private var held: [UInt8] = []
  private var heldSince = Instant(nanoseconds: 0)
  /// Whether the command has received part of the incomplete token.
  private var hasPassedPart = false

  private let prefixKey: PrefixKey?
  private var filter: PrefixKeyFilter
  /// The tokens of one piece, in order.
  private var tokens: [Token] = []

  private struct Token {
    var length: Int
    /// The number of bytes at its start that belong to perfhud.
    var own: Int
  }

  /// How long the rest of a sequence may take; after that it was not a sequence.
  private static let sequencePatience: Int64 = 100_000_000
  /// The same while an answer is expected, which a network may have split.
  private static let answerPatience: Int64 = 1_000_000_000

  /// The number of questions for the cursor that were sent.
  private var asked = 0
  /// How many of them were answered or given up.
  private var answered = 0
  /// The open questions of perfhud, oldest first.
  private var questions: [Question] = []
  private var notedQuestions = 0
  private var report: CursorReport?
  /// Whether the terminal has the focus, as it last reported to the command.
  private(set) var hasFocus = true
  /// Whether the terminal has answered DA1, but not the question for the cursor before it.
  private(set) var lacksCursorReports = false

  private struct Question {
    var number: Int
    var deadline: Instant
    /// Whether it was sent before DA1: after the answer to that, none can come any more.
    var isProbe: Bool
  }

  /// The position of the cursor when a question reached the terminal.
  struct CursorReport: Equatable {
    /// The number returned by `expectCursor`.
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
  /// The number of keys passed to the command since the start.
  var passedKeys: Int { filter.passed }
  /// Whether the command has requested a keyboard that sends keys as sequences.
  var hasRichKeyboard: Bool {
    get { filter.isRich }
    set { if newValue != filter.isRich { filter.isRich = newValue } }
  }

  /// The keys for the HUD since the last call.
  mutating func takeKeys() -> [Key] { filter.takeKeys() }

  /// The mouse events in the HUD's windows, while it had the focus, since the last call.
  mutating func takeMouse() -> [MouseEvent] { filter.takeMouse() }

  /// Sets the windows of the HUD that the mouse can reach; none while they are not on the screen.
  ///
  /// - Parameter pixels: the size of a cell if the mouse is reported in pixels (`?1016`).
  mutating func setWindows(_ windows: RectList, pixels: Size? = nil) {
    filter.windows = windows
    filter.cellPixels = pixels
  }

  /// Adopts from the HUD where its keys go, while it has the focus.
  mutating func follow(_ focus: KeyFocus) { filter.follow(focus) }

  /// Moves the focus back to the command.
  mutating func endHUDFocus() { filter.end() }

  /// Whether only the next key is for the HUD.
  var awaitsOneKey: Bool { filter.awaitsOneKey }

  /// Notes that perfhud has asked for the cursor.
  ///
  /// - Parameter isProbe: whether it was sent with the questions of the start, before DA1.
  /// - Returns: the number that the answer will have.
  mutating func expectCursor(at now: Instant, isProbe: Bool = false) -> Int {
    defer { asked += 1 }
    questions.append(
      Question(
        number: asked, deadline: now.advanced(byNanoseconds: TerminalFeatures.limit),
        isProbe: isProbe))
    return asked
  }

  /// Whether a question for the cursor was answered, or will not be.
  func isDone(question number: Int) -> Bool { answered > number }

  /// Notes how often the command has asked for the cursor.
  mutating func note(cursorQuestions count: Int) {
    guard notedQuestions < count else { return }
    asked += count - notedQuestions
    notedQuestions = count
  }

  /// The cursor's position, if the terminal has reported it since the last call.
  mutating func takeCursor() -> CursorReport? {
    defer { report = nil }
    return report
  }

  /// Stops waiting for answers to the questions of the start.
  mutating func giveUp() { features.giveUp() }

  /// Forgets everything pending: after a stop, the rest of it will not come.
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

  /// Whether input may be for perfhud, so that a token must wait until it is complete.
  private var isCareful: Bool {
    isExpecting || hasHUDFocus || hasRichKeyboard || mayBeginPrefixKey
  }

  /// Whether the held bytes may become the prefix key.
  private var mayBeginPrefixKey: Bool {
    guard !held.isEmpty, !decoder.isInPaste, let prefixKey else { return false }
    return prefixKey.mayBegin(with: held)
  }

  /// When to call `resolve` if nothing arrives: then the held bytes are not for perfhud.
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
    // The usual case, in each turn.
    if held.isEmpty, questions.isEmpty, decoder.isAtGround { return }
    while let oldest = questions.first, now >= oldest.deadline { closeOldest() }
    if let deadline = decoder.pendingDeadline, now >= deadline {
      var decoder = decoder.takeOut()
      decoder.resolve(now: now) { event, token in note(event, token) }
      self.decoder = decoder
      settleTokens(decoder.pendingCount, &passed)
    }
    // After the prefix key, half of a sequence waits for the other half, since it may be for the HUD.
    let isLate = !hasHUDFocus && !held.isEmpty && now >= giveUpDue
    if !isCareful || isLate { passOn(&passed) }
  }

  /// Takes bytes up to the first token that is for the HUD, and appends what the command should get to `passed`.
  ///
  /// What the bytes after that mean depends on what the HUD does with the token: handle `takeKeys` and `takeMouse`, use
  /// `follow` to set where keys go then, and continue with the rest. Call `resolve` first, for what waits for the
  /// clock.
  ///
  /// - Returns: the number of bytes taken, at least one.
  mutating func take(_ bytes: RawSpan, at now: Instant, into passed: inout [UInt8]) -> Int {
    if arePlainKeys(bytes) {
      filter.passPlainKeys(bytes.byteCount)
      hasFocus = true
      append(bytes, to: &passed)
      return bytes.byteCount
    }
    // The decoder is moved out, since its events change the other properties.
    var decoder = decoder.takeOut()
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
      // No token for perfhud is this long.
      if held.count > InputDecoder.tokenLimit { passOn(&passed) }
      if filter.hasNews { break }
    }
    self.decoder = decoder
    // The rest of a token may be in the remaining bytes.
    if index == bytes.byteCount, !isCareful { passOn(&passed) }
    return index
  }

  /// Whether each of the bytes is a key for the command, whatever came before. This is most input, and needs no decoder:
  /// what a key waits for here is mostly code that must be brought into the caches.
  private func arePlainKeys(_ bytes: RawSpan) -> Bool {
    guard held.isEmpty, !hasPassedPart, decoder.isAtGround, !isExpecting, filter.passesAllKeys
    else { return false }
    for index in 0..<bytes.byteCount {
      let byte = FieldCursor.byte(at: index, in: bytes)
      if byte >= 0x80 || byte == 0x1B || byte == prefixKey?.byte { return false }
    }
    return true
  }

  /// The end of the bytes that can be taken at once: before the next byte that may be the prefix key or begin a
  /// sequence.
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
    // Whoever types is there, whatever the terminal has reported.
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

  /// Passes on the complete tokens, except those for perfhud.
  ///
  /// - Parameter pending: the number of bytes of `held` that belong to an incomplete token.
  private mutating func settleTokens(_ pending: Int, _ passed: inout [UInt8]) {
    guard !tokens.isEmpty else { return }
    let whole = max(0, held.count - pending)
    // The bytes of the tokens that are not in `held`: passed on before, or part of a token too long to be kept.
    var gone = tokens.reduce(0) { $0 + $1.length } - whole
    var place = 0
    for token in tokens {
      let isLonger = gone < 0
      let length = token.length - min(gone, token.length)
      gone = isLonger ? 0 : gone - (token.length - length)
      // Passes the end of the token; its start may have been passed before.
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

  /// Takes an answer. Returns whether it was for perfhud.
  private mutating func takeAnswer(_ answer: Answer, _ bytes: RawSpan) -> Bool {
    if case .cursorPosition(let place) = answer {
      // DECXCPR answers a different question.
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

  /// Closes the oldest question, and all before it: it was answered, or will not be.
  private mutating func closeOldest() {
    answered = max(answered, questions.removeFirst().number + 1)
  }

  private func append(_ bytes: RawSpan, to list: inout [UInt8]) {
    unsafe bytes.withUnsafeBytes { unsafe list.append(contentsOf: $0) }
  }
}
