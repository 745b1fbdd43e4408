import PerfHUDBase

/// Turns the bytes that come from a terminal into keys, mouse reports, pastes and answers.
///
/// It keeps its state across reads, so the events are the same wherever the bytes are cut. Each byte belongs to exactly
/// one token, and a token is handed over with its event, so a caller can pass on verbatim what it does not handle
/// itself. An unknown sequence is swallowed as a whole; no part of it is ever treated as keys. A control character
/// within a sequence ends it and counts as a key, so Ctrl-C works even after an incomplete sequence.
///
/// It reads no clock: the times come with the bytes, and `pendingDeadline` is when to call `resolve`. Nothing is
/// allocated after `init`.
///
/// Source: ECMA-48 section 5.4; XTerm Control Sequences; the kitty keyboard protocol.
package struct InputDecoder: Sendable {
  /// Bytes of a token beyond this limit are read but not kept, and the token becomes `.unknown`.
  package static let tokenLimit = 4096
  /// How long to wait for an ESC, or one with the character after it, to become a sequence.
  package static let escapeNanoseconds: Int64 = 25_000_000
  /// A paste without an end mark ends after this time without input; otherwise a lost mark would swallow every later
  /// key.
  package static let pasteNanoseconds: Int64 = 2_000_000_000

  enum State {
    case ground, character, escape, controlSequence, singleShift, linuxFunction, mouseReport
    case string, stringEscape, paste
  }

  var state = State.ground
  /// The bytes of the token so far; during a paste, the content that has not been handed over.
  var token: [UInt8] = []
  var isTooLong = false
  /// Bytes of the token that were read but not kept.
  private var lostCount = 0
  /// Whether the token began with two ESC, which means Alt with a sequence, or the Esc key and a sequence.
  var isDoubled = false
  var parameters = Parameters()
  var lastByte = Instant(nanoseconds: 0)
  private var scalar: UInt32 = 0
  private var missing = 0
  private var hasAlt = false
  /// How much of a paste's end mark the last bytes match; these are not in `token`.
  private var matched = 0

  /// The number of requested cursor positions that have not been answered. If there are any, `CSI 1;5R` is such an
  /// answer; otherwise it is Ctrl-F3. Increment it when the question is sent.
  package var expectedCursorReports = 0

  package init() { token.reserveCapacity(InputDecoder.tokenLimit) }

  /// Moves the state to another variable, so that no copy of the token is made when that one changes. Assign it back
  /// before anything but `isAtGround` and `isInPaste` is used.
  package mutating func takeOut() -> InputDecoder {
    let decoder = self
    token = []
    return decoder
  }

  /// Whether the last byte ended a token, so that nothing is pending.
  package var isAtGround: Bool { state == .ground }

  /// Whether the input is pasted text, up to the next ESC.
  package var isInPaste: Bool { state == .paste }

  /// The number of bytes read of the token that has not been handed over.
  package var pendingCount: Int {
    token.count + lostCount + matched + (state == .stringEscape ? 1 : 0)
  }

  /// When to call `resolve` if no byte comes before; `nil` if nothing waits for the clock.
  package var pendingDeadline: Instant? {
    switch state {
    case .escape: return lastByte.advanced(byNanoseconds: InputDecoder.escapeNanoseconds)
    case .controlSequence, .singleShift, .string:
      let isBare = token.count == (isDoubled ? 3 : 2)
      return isBare ? lastByte.advanced(byNanoseconds: InputDecoder.escapeNanoseconds) : nil
    case .paste: return lastByte.advanced(byNanoseconds: InputDecoder.pasteNanoseconds)
    default: return nil
    }
  }

  /// Reads bytes, and calls `body` for each event in order.
  package mutating func feed(_ bytes: RawSpan, at now: Instant, _ body: (InputEvent) -> Void) {
    feed(bytes, at: now) { (event: InputEvent, _: RawSpan) in body(event) }
  }

  /// Reads bytes, and calls `body` for each event in order, with the bytes that it consists of.
  ///
  /// Anything that is pending beyond its deadline is resolved first.
  /// - Parameters:
  ///   - now: when the bytes were read.
  ///   - body: its second argument is valid during the call only, and has at most `tokenLimit` bytes. The end of a
  ///     paste without an end mark has no bytes.
  package mutating func feed(
    _ bytes: RawSpan, at now: Instant, _ body: (InputEvent, RawSpan) -> Void
  ) {
    resolve(now: now, body)
    if bytes.byteCount > 0 { lastByte = now }
    for index in 0..<bytes.byteCount { take(FieldCursor.byte(at: index, in: bytes), body) }
    if state == .paste { handOverContent(body) }
  }

  /// Resolves what waits for the clock, if its deadline has passed: an ESC is the Esc key, ESC with a character is Alt
  /// with it, and a paste has ended.
  package mutating func resolve(now: Instant, _ body: (InputEvent) -> Void) {
    resolve(now: now) { (event: InputEvent, _: RawSpan) in body(event) }
  }

  /// As above, with the bytes of each event.
  package mutating func resolve(now: Instant, _ body: (InputEvent, RawSpan) -> Void) {
    guard let deadline = pendingDeadline, now >= deadline else { return }
    switch state {
    case .paste:
      handOverHeldBytes(body)
      handOverContent(body)
      emit(.pasteEnded, body)
    case .escape:
      splitDoubled(body)
      emit(.key(.escape), body)
    default:
      splitDoubled(body)
      emit(.key(.alt(Unicode.Scalar(token[1]))), body)
    }
  }

  /// Forgets what is pending: after a stop, the rest of it will not come.
  package mutating func reset() {
    token.removeAll(keepingCapacity: true)
    begin()
    expectedCursorReports = 0
  }

  // MARK: Tokens

  /// Hands over the event of the complete token and returns to the ground state.
  mutating func emit(_ event: InputEvent, _ body: (InputEvent, RawSpan) -> Void) {
    unsafe body(event, token.span.bytes)
    token.removeAll(keepingCapacity: true)
    begin()
  }

  private mutating func begin() {
    state = .ground
    isTooLong = false
    lostCount = 0
    isDoubled = false
    hasAlt = false
    matched = 0
  }

  /// Hands over the event of a sequence. Two ESC before a key mean Alt (rxvt); before anything else
  /// the first one was the Esc key.
  mutating func emitSequence(_ event: InputEvent, _ body: (InputEvent, RawSpan) -> Void) {
    var event = isTooLong ? .unknown : event
    if isDoubled, case .key(let key) = event {
      event = .key(Key(key.code, key.modifiers.union(.alt)))
    } else {
      splitDoubled(body)
    }
    emit(event, body)
    if event == .pasteBegan { state = .paste }
  }

  private mutating func splitDoubled(_ body: (InputEvent, RawSpan) -> Void) {
    guard isDoubled else { return }
    unsafe body(.key(.escape), token.span.bytes.extracting(0..<1))
    token.removeFirst()
    isDoubled = false
  }

  private mutating func keep(_ byte: UInt8) {
    if token.count < InputDecoder.tokenLimit {
      token.append(byte)
    } else {
      isTooLong = true
      lostCount += 1
    }
  }

  /// Drops the incomplete sequence; the byte starts a new token.
  private mutating func abort(_ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void) {
    splitDoubled(body)
    emit(.unknown, body)
    take(byte, body)
  }

  // MARK: Bytes

  private mutating func take(_ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void) {
    switch state {
    case .ground: takeGround(byte, body)
    case .character: takeCharacter(byte, body)
    case .escape: takeEscape(byte, body)
    case .controlSequence: takeControlSequence(byte, body)
    case .singleShift: takeSingleShift(byte, body)
    case .linuxFunction:
      guard byte >= 0x20 else { return abort(byte, body) }
      keep(byte)
      emitSequence(InputDecoder.linuxFunction(byte), body)
    case .mouseReport:
      keep(byte)
      missing -= 1
      if missing == 0 { emitSequence(legacyMouse(), body) }
    case .string:
      if byte == 0x1B {
        state = .stringEscape
      } else if byte == 0x07 {
        keep(byte)
        emitSequence(.answer(.other), body)
      } else if byte < 0x20 {
        abort(byte, body)
      } else {
        keep(byte)
      }
    case .stringEscape:
      guard byte == UInt8(ascii: "\\") else {
        abort(0x1B, body)
        return take(byte, body)
      }
      keep(0x1B)
      keep(byte)
      emitSequence(.answer(.other), body)
    case .paste: takePasted(byte, body)
    }
  }

  private mutating func takeGround(_ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void) {
    keep(byte)
    let modifiers: Modifiers = hasAlt ? .alt : []
    switch byte {
    case 0x1B: state = .escape
    case 0x20...0x7E: emit(.key(Key(.character(Unicode.Scalar(byte)), modifiers)), body)
    case 0x00...0x1F, 0x7F:
      let key = InputDecoder.controlKey(byte)
      emit(.key(Key(key.code, key.modifiers.union(modifiers))), body)
    case 0xC2...0xDF: beginCharacter(byte & 0x1F, missing: 1)
    case 0xE0...0xEF: beginCharacter(byte & 0x0F, missing: 2)
    case 0xF0...0xF4: beginCharacter(byte & 0x07, missing: 3)
    default: emit(.unknown, body)
    }
  }

  private mutating func beginCharacter(_ bits: UInt8, missing count: Int) {
    scalar = UInt32(bits)
    missing = count
    state = .character
  }

  /// UTF-8 (RFC 3629). Incomplete and overlong characters and surrogates are swallowed; so are C1 controls, which no
  /// key types.
  private mutating func takeCharacter(_ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void) {
    guard byte & 0xC0 == 0x80 else { return abort(byte, body) }
    keep(byte)
    scalar = scalar << 6 | UInt32(byte & 0x3F)
    missing -= 1
    guard missing == 0 else { return }
    let length = token.count - (hasAlt ? 1 : 0)
    let least: UInt32 = length == 2 ? 0xA0 : length == 3 ? 0x800 : 0x1_0000
    guard scalar >= least, let character = Unicode.Scalar(scalar) else {
      return emit(.unknown, body)
    }
    emit(.key(Key(.character(character), hasAlt ? .alt : [])), body)
  }

  private mutating func takeEscape(_ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void) {
    switch byte {
    case 0x1B:
      splitDoubled(body)
      keep(byte)
      isDoubled = true
      return
    case UInt8(ascii: "["):
      state = .controlSequence
      parameters = Parameters()
    case UInt8(ascii: "O"):
      state = .singleShift
      parameters = Parameters()
    case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      state = .string
    default:
      splitDoubled(body)
      hasAlt = true
      state = .ground
      return takeGround(byte, body)
    }
    keep(byte)
  }

  private mutating func takeControlSequence(
    _ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void
  ) {
    guard (0x20...0x7E).contains(byte) else { return abort(byte, body) }
    let isBare = token.count == (isDoubled ? 3 : 2)
    keep(byte)
    if byte < 0x40 {
      parameters.take(byte, isFirst: isBare)
    } else if isBare, byte == UInt8(ascii: "[") {
      state = .linuxFunction
    } else if isBare, byte == UInt8(ascii: "M") {
      state = .mouseReport
      missing = 3
    } else {
      emitSequence(controlSequence(final: byte), body)
    }
  }

  private mutating func takeSingleShift(_ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void) {
    guard (0x20...0x7E).contains(byte) else { return abort(byte, body) }
    keep(byte)
    if (0x30...0x3B).contains(byte) {
      parameters.take(byte, isFirst: false)
    } else {
      emitSequence(singleShift(final: byte), body)
    }
  }

  // MARK: Pastes

  private static let pasteEnd: InlineArray<6, UInt8> = [0x1B, 0x5B, 0x32, 0x30, 0x31, 0x7E]

  private mutating func takePasted(_ byte: UInt8, _ body: (InputEvent, RawSpan) -> Void) {
    if byte != InputDecoder.pasteEnd[matched] { handOverHeldBytes(body) }
    if byte != InputDecoder.pasteEnd[matched] {
      if token.count == InputDecoder.tokenLimit { handOverContent(body) }
      token.append(byte)
      return
    }
    matched += 1
    guard matched == InputDecoder.pasteEnd.count else { return }
    handOverContent(body)
    for index in InputDecoder.pasteEnd.indices { token.append(InputDecoder.pasteEnd[index]) }
    emit(.pasteEnded, body)
  }

  /// What looked like the end mark was content. Only its first byte is an ESC, so no later part of it can begin another
  /// end mark.
  private mutating func handOverHeldBytes(_ body: (InputEvent, RawSpan) -> Void) {
    if token.count + matched > InputDecoder.tokenLimit { handOverContent(body) }
    for index in 0..<matched { token.append(InputDecoder.pasteEnd[index]) }
    matched = 0
  }

  private mutating func handOverContent(_ body: (InputEvent, RawSpan) -> Void) {
    guard !token.isEmpty else { return }
    unsafe body(.pasted, token.span.bytes)
    token.removeAll(keepingCapacity: true)
  }
}
