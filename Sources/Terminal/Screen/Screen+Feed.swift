/// The entry: splits bytes into characters, controls and sequences, and stops before some of them.
extension Screen {
  /// Takes a program's output up to its end, or up to something that needs preparation.
  ///
  /// It stops before any part of a sequence is executed, with the parser at ground. Send everything before `offset`, do
  /// what is necessary, and feed again from `resume`, without the HUD if it has been erased. Without a HUD it stops
  /// only at own sequences. Output that overwrites or erases covered cells does not stop it: see `damage`.
  ///
  /// An unfinished sequence at the end is kept. Pass its `pendingBytes` again before the next bytes, with `start` after
  /// them, so that the offset of a stop at this sequence is within the bytes.
  ///
  /// - Parameters:
  ///   - bytes: the output.
  ///   - start: the first byte to take.
  ///   - hudRegion: the cells that the HUD covers, as long as it is drawn.
  ///   - isPlainOutput: whether all of it is known to be `UncheckedBytes.plainOutput`.
  /// - Returns: why and where it stopped.
  ///
  /// Complexity: O(length); an erased or scrolled whole line counts as one.
  package mutating func feed(
    _ bytes: UnsafeRawBufferPointer, from start: Int = 0, hudRegion: HUDRegion = HUDRegion(),
    isPlainOutput: Bool = false
  ) -> ScreenStop {
    guard let view = unsafe UncheckedBytes(bytes) else {
      return ScreenStop(.end, offset: 0, resume: 0)
    }
    feeding.hudRegion = hudRegion
    feeding.scannedEnd = 0
    feeding.plainEnd = isPlainOutput ? bytes.count : 0
    watch()
    if hudRegion.stopsAtRepeat { printed.markFromBefore() }
    damage.watch(hudRegion)
    return run(view, from: start)
  }

  /// The same for a span of bytes.
  package mutating func feed(
    _ bytes: RawSpan, from start: Int = 0, hudRegion: HUDRegion = HUDRegion()
  ) -> ScreenStop {
    unsafe bytes.withUnsafeBytes { unsafe feed($0, from: start, hudRegion: hudRegion) }
  }

  /// Allows stops, unless part of the unfinished sequence has been executed already: feeding it again would execute
  /// that part twice.
  private mutating func watch() {
    feeding.hasStops =
      !hasExecutedPending
      && (!hudRegion.isEmpty || hudRegion.stopsAtUpdateEnd || hudRegion.stopsAtRepeat
        || hudRegion.stopsAtQueries || hudRegion.stopsAtEarlierRepeat
        || hudRegion.stopsAtScreenSwitch)
  }

  mutating func run(_ bytes: UncheckedBytes, from first: Int) -> ScreenStop {
    var index = first
    var start = first &- pendingBytes
    let end = bytes.count
    while index < end {
      if feeding.isPlain, parser.isAtGround, !hasExecutedPending {
        if let reason = runPlain(bytes, &index) { return stop(reason, index) }
        start = index
        if index == end { break }
      }
      let byte = bytes[index]
      if parser.isAtGround {
        if feeding.singleShift == 0 {
          start = index
          if hasExecutedPending {
            feeding.hasExecutedPending = false
            watch()
          }
        } else if byte < 0x20 || byte &- 0x7F < 0x21 {
          // The shift waits for a character, and there is no boundary before that character.
          if feeding.hasStops, !hudRegion.isEmpty { return stop(.willMoveCovered, start) }
          noteExecutedPending()
        }
        if byte &- 0x20 < 0x5F {
          let length = bytes.printableRun(from: index)
          let taken = printRun(bytes, index, length)
          index &+= taken
          if taken < length {
            return stop(.willMoveCovered, feeding.singleShift == 0 ? index : start)
          }
          continue
        }
        if byte == 0x1B {
          if index &+ 2 < end, bytes[index &+ 1] == 0x5B, feeding.singleShift == 0 {
            index = parser.scanParameters(bytes, from: index &+ 2)
            guard index < end, bytes[index] &- 0x40 < 0x3F else { continue }
            parser.state = .ground
            if feeding.hasStops, let reason = controlSequenceStop(bytes[index]) {
              return stop(reason, start)
            }
            dispatchControlSequence(bytes[index])
            index &+= 1
            continue
          }
        } else if byte < 0x20, byte != 0x18, byte != 0x1A {
          if feeding.hasStops, let reason = controlStop(byte) { return stop(reason, start) }
          execute(byte)
          index &+= 1
          continue
        }
      }
      if byte >= 0xC2, feeding.isPlain, options.isUTF8, parser.isAtGround, feeding.singleShift == 0
      {
        let taken = printUnicodeRun(bytes, index)
        index &+= taken
        if taken > 0 { continue }
      }
      if parser.missing > 0 || (byte >= 0x80 && options.isUTF8 && parser.state == .ground) {
        switch takeCharacterByte(byte) {
        case .used: index &+= 1
        case .unused: if feeding.singleShift == 0 { start = index }
        case .stopped(let reason): return stop(reason, start)
        }
        continue
      }
      if let stop = step(byte, &index, &start) { return stop }
    }
    feeding.pendingBytes = parser.isAtGround && feeding.singleShift == 0 ? 0 : end &- start
    if pendingBytes == 0 { feeding.hasExecutedPending = false }
    return ScreenStop(.end, offset: end, resume: end)
  }

  /// Notes that something is executed although its sequence has not ended.
  private mutating func noteExecutedPending() {
    feeding.hasExecutedPending = true
    feeding.hasStops = false
  }

  /// Ends a call before a sequence, as if none of the sequence had come.
  private mutating func stop(_ reason: ScreenStop.Reason, _ offset: Int) -> ScreenStop {
    parser.reset()
    feeding.singleShift = 0
    updateFastPath()
    feeding.pendingBytes = 0
    feeding.hasExecutedPending = false
    return ScreenStop(reason, offset: offset, resume: offset)
  }

  /// The result of taking a byte of a character beyond ASCII.
  private enum Taken {
    case used
    /// The byte ended a malformed character, and still has to be taken.
    case unused
    case stopped(ScreenStop.Reason)
  }

  /// Takes a byte of a character beyond ASCII.
  private mutating func takeCharacterByte(_ byte: UInt8) -> Taken {
    let decoded = parser.decode(byte)
    if parser.isSwallowing {
      if case .incomplete = decoded { return .used }
      parser.isSwallowing = false
      if case .malformed = decoded { return .unused }
      return .used
    }
    switch decoded {
    case .incomplete: return .used
    case .scalar(let value):
      if feeding.hasStops {
        if characterWouldMove(value) { return .stopped(.willMoveCovered) }
        if feeding.singleShift == 0, combinesWithBefore(value) { return .stopped(.willCombine) }
      }
      print(value)
      return .used
    case .invalid: return takeInvalid(.used)
    case .malformed: return takeInvalid(.unused)
    }
  }

  /// Prints a replacement for an invalid character, if the terminal does.
  private mutating func takeInvalid(_ taken: Taken) -> Taken {
    if options.quirks.contains(.dropsInvalid) {
      printed.clear()
      return taken
    }
    let isUncertain = isUnknownTerminal || parser.isTooLong
    if feeding.hasStops, characterWouldMove(0xFFFD) || (isUncertain && !hudRegion.isEmpty) {
      return .stopped(.willMoveCovered)
    }
    print(0xFFFD)
    if parser.isTooLong { loseLastPrinted() }
    if isUnknownTerminal { noteInvalidBytes() }
    return taken
  }

  /// Takes a byte by the table. This is for everything that is not hot.
  private mutating func step(
    _ byte: UInt8, _ index: inout Int, _ start: inout Int
  ) -> ScreenStop? {
    var byte = byte
    var before = parser.state
    if byte &- 0x80 < 0x20, !options.isUTF8 {
      // A C1 control is ESC and the character 0x40 below.
      byte &-= 0x40
      parser.beginC1()
      if before != .ground && byte != 0x5C && feeding.singleShift == 0 { start = index }
      before = parser.state
    } else if before == .ground, byte >= 0xA0, !options.isUTF8 {
      if feeding.hasStops, characterWouldMove(UInt32(byte)) { return stop(.willMoveCovered, start) }
      print(UInt32(byte))
      index &+= 1
      return nil
    }
    let action = parser.take(byte)
    if action == .swallow {
      printed.clear()
      parser.isSwallowing = true
      guard options.isUTF8, case .incomplete = parser.decode(byte) else {
        parser.isSwallowing = false
        index += 1
        return nil
      }
      index += 1
      return nil
    }
    if feeding.singleShift != 0 {
      // A sequence that began with the shift is complete only with its character.
    } else if before == .stringEscape, byte != 0x5C, byte >= 0x20 || byte == 0x1B {
      // The string is discarded; the sequence that the ESC began counts from now on.
      start = byte == 0x1B ? index : index &- 1
    } else if action == .clear, parser.state == .escape {
      start = index
    }
    switch action {
    case .execute:
      if before != .ground {
        // There is no boundary to stop at within a sequence, so the whole sequence passes without the HUD.
        if feeding.hasStops, !hudRegion.isEmpty { return stop(.willMoveCovered, start) }
        noteExecutedPending()
      } else if feeding.hasStops, let reason = controlStop(byte) {
        return stop(reason, start)
      }
      execute(byte)
    case .dispatchEscape:
      if feeding.hasStops, let reason = escapeStop(byte) { return stop(reason, start) }
      dispatchEscape(byte)
    case .dispatchCSI:
      if feeding.hasStops, let reason = controlSequenceStop(byte) {
        return stop(reason, start)
      }
      dispatchControlSequence(byte)
    case .hook, .beginString:
      if feeding.hasStops, let reason = stringStop() { return stop(reason, start) }
    case .endString:
      // Nothing can be removed between a single shift and its character.
      if feeding.singleShift == 0, parser.stringKind == .osc, parser.string(is: Screen.ownPrefix) {
        feeding.ownStart = Screen.ownPrefix.utf8CodeUnitCount
        index &+= 1
        feeding.pendingBytes = 0
        return ScreenStop(.ownSequence, offset: start, resume: index)
      }
      if feeding.hasStops, let reason = stringEndStop() { return stop(reason, start) }
      endString()
    case .cancel:
      let mayShow = byte == 0x1A && !options.quirks.contains(.ignoresSubstitute)
      if mayShow, feeding.hasStops, !hudRegion.isEmpty { return stop(.willMoveCovered, start) }
      printed.clear()
      setSingleShift(0)
      if mayShow { noteSubstitute() }
    default: break
    }
    index &+= 1
    return nil
  }
}
