/// The state of the parser between two bytes.
enum ParserState: UInt8, CaseIterable {
  case ground, escape, escapeIntermediate
  case csiEntry, csiParameter, csiIntermediate, csiIgnore
  case dcsEntry, dcsParameter, dcsIntermediate, dcsIgnore
  /// Within a string whose bytes are kept up to a limit: OSC; DCS after its final byte; APC, PM, SOS.
  case oscString, dcsString, otherString
  /// ESC within a string: `\` ends the string, anything else discards it and begins a new sequence.
  case stringEscape
}

/// The effect of a byte.
enum ParserAction: UInt8, CaseIterable {
  /// Nothing except the change of state.
  case none
  /// The caller prints the byte, which is 0x20–0x7E at ground, or begins a character of UTF-8.
  case print
  /// A control character to execute now, even within a sequence.
  case execute
  /// A new sequence begins; parameters and intermediates are cleared.
  case clear
  case collect, parameter
  case dispatchEscape, dispatchCSI
  /// The final byte of a DCS: its string begins.
  case hook
  /// A string other than DCS begins.
  case beginString
  case put
  /// The string is complete.
  case endString
  /// The string or sequence is discarded.
  case cancel
  /// The sequence is discarded, together with the character that the byte begins.
  case swallow
}

/// The transitions of the parser: an action and the next state for each state and byte.
///
/// Source: ECMA-48 section 5.4, and the state machine of the DEC VT500 as Paul Williams drew it
/// (vt100.net/emu/dec_ansi_parser), with these differences: `:` is part of a parameter (ISO 8613-6); an ESC within a
/// string that is not followed by `\` discards the string, as xterm does; a BEL ends an OSC; a character beyond ASCII
/// within a sequence ends it and is lost with it, as in xterm. Single-byte C1 controls are converted to their ESC forms
/// before they get here, and only without UTF-8.
enum ParserTable {
  /// One transition in a byte: the action in the upper four bits, the next state in the lower four.
  @inline(__always) static func entry(_ action: ParserAction, _ state: ParserState) -> UInt8 {
    action.rawValue << 4 | state.rawValue
  }

  static let unset: UInt8 = 0xFF

  /// A state and byte for which two rules exist, or none. The test expects no conflicts.
  struct Conflict: Equatable {
    var state: ParserState
    var byte: UInt8
  }

  static func build() -> ParserTableBuilder {
    var table = ParserTableBuilder()
    table.addInterruptions()
    table.addGround()
    table.addEscape()
    table.addSequence(
      .csiEntry, .csiParameter, .csiIntermediate, ignoring: .csiIgnore, controls: .execute,
      final: (.dispatchCSI, .ground), finalIgnored: (.none, .ground))
    // What follows a malformed introducer is still a string, up to its ST.
    table.addSequence(
      .dcsEntry, .dcsParameter, .dcsIntermediate, ignoring: .dcsIgnore, controls: .none,
      final: (.hook, .dcsString), finalIgnored: (.hook, .dcsString))
    table.addStrings()
    return table
  }

  static let entries: [UInt8] = build().entries
}

/// The 16 × 256 transitions, with those that were set twice and those that were not set.
struct ParserTableBuilder {
  private(set) var entries = [UInt8](repeating: ParserTable.unset, count: 16 * 256)
  private(set) var doubled: [ParserTable.Conflict] = []

  var missing: [ParserTable.Conflict] {
    ParserState.allCases.flatMap { state in
      (UInt8.min...UInt8.max)
        .filter { entries[Int(state.rawValue) << 8 | Int($0)] == ParserTable.unset }
        .map { ParserTable.Conflict(state: state, byte: $0) }
    }
  }

  private mutating func set(
    _ state: ParserState, _ bytes: ClosedRange<UInt8>, _ action: ParserAction,
    _ next: ParserState
  ) {
    for byte in bytes {
      let place = Int(state.rawValue) << 8 | Int(byte)
      if entries[place] != ParserTable.unset {
        doubled.append(ParserTable.Conflict(state: state, byte: byte))
      }
      entries[place] = ParserTable.entry(action, next)
    }
  }

  private mutating func set(
    _ state: ParserState, _ byte: UInt8, _ action: ParserAction, _ next: ParserState
  ) {
    set(state, byte...byte, action, next)
  }

  /// The C0 controls except CAN, SUB and ESC.
  private mutating func controls(_ state: ParserState, _ action: ParserAction) {
    set(state, 0x00...0x17, action, state)
    set(state, 0x19, action, state)
    set(state, 0x1C...0x1F, action, state)
  }

  /// CAN and SUB end anything; ESC starts over; a character beyond ASCII ends a sequence.
  mutating func addInterruptions() {
    let strings: [ParserState] = [.oscString, .dcsString, .otherString]
    for state in ParserState.allCases {
      set(state, 0x18, .cancel, .ground)
      set(state, 0x1A, .cancel, .ground)
      if strings.contains(state) {
        set(state, 0x1B, .none, .stringEscape)
        set(state, 0x80...0xFF, .put, state)
      } else {
        set(state, 0x1B, .clear, .escape)
        if state != .ground { set(state, 0x80...0xFF, .swallow, .ground) }
      }
    }
  }

  mutating func addGround() {
    controls(.ground, .execute)
    set(.ground, 0x20...0x7E, .print, .ground)
    set(.ground, 0x7F, .none, .ground)
    set(.ground, 0x80...0xFF, .print, .ground)
  }

  mutating func addEscape() {
    for state in [ParserState.escape, .escapeIntermediate] {
      controls(state, .execute)
      set(state, 0x20...0x2F, .collect, .escapeIntermediate)
      set(state, 0x7F, .none, state)
    }
    set(.escape, 0x30...0x4F, .dispatchEscape, .ground)
    set(.escape, 0x50, .clear, .dcsEntry)
    set(.escape, 0x51...0x57, .dispatchEscape, .ground)
    set(.escape, 0x58, .beginString, .otherString)
    set(.escape, 0x59...0x5A, .dispatchEscape, .ground)
    set(.escape, 0x5B, .clear, .csiEntry)
    set(.escape, 0x5C, .dispatchEscape, .ground)
    set(.escape, 0x5D, .beginString, .oscString)
    set(.escape, 0x5E...0x5F, .beginString, .otherString)
    set(.escape, 0x60...0x7E, .dispatchEscape, .ground)
    set(.escapeIntermediate, 0x30...0x7E, .dispatchEscape, .ground)
  }

  /// A sequence with parameters: from its introducer to its final byte.
  ///
  /// - Parameters:
  ///   - ignore: the state in which a malformed sequence is read to its final byte.
  ///   - finalIgnored: what that byte does then.
  mutating func addSequence(
    _ entry: ParserState, _ parameter: ParserState, _ intermediate: ParserState,
    ignoring ignore: ParserState, controls action: ParserAction,
    final: (ParserAction, ParserState), finalIgnored: (ParserAction, ParserState)
  ) {
    for state in [entry, parameter, intermediate, ignore] {
      controls(state, action)
      let end = state == ignore ? finalIgnored : final
      set(state, 0x40...0x7E, end.0, end.1)
      set(state, 0x7F, .none, state)
      if state != ignore { set(state, 0x20...0x2F, .collect, intermediate) }
    }
    set(entry, 0x30...0x3B, .parameter, parameter)
    set(entry, 0x3C...0x3F, .collect, parameter)
    set(parameter, 0x30...0x3B, .parameter, parameter)
    set(parameter, 0x3C...0x3F, .none, ignore)
    set(intermediate, 0x30...0x3F, .none, ignore)
    set(ignore, 0x20...0x3F, .none, ignore)
  }

  mutating func addStrings() {
    controls(.dcsString, .put)
    controls(.otherString, .put)
    set(.oscString, 0x00...0x06, .none, .oscString)
    set(.oscString, 0x07, .endString, .ground)
    set(.oscString, 0x08...0x17, .none, .oscString)
    set(.oscString, 0x19, .none, .oscString)
    set(.oscString, 0x1C...0x1F, .none, .oscString)
    for state in [ParserState.oscString, .dcsString, .otherString] {
      set(state, 0x20...0x7F, .put, state)
    }
    // Anything except a backslash discards the string, and the byte belongs to a new ESC sequence.
    set(.stringEscape, 0x00...0x17, .cancel, .escape)
    set(.stringEscape, 0x19, .cancel, .escape)
    set(.stringEscape, 0x1C...0x5B, .cancel, .escape)
    set(.stringEscape, 0x5C, .endString, .ground)
    set(.stringEscape, 0x5D...0x7F, .cancel, .escape)
  }
}
