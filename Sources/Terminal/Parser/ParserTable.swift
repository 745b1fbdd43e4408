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

  /// The 16 × 256 transitions, with those that were set twice and those that were not set.
  static func build() -> (entries: [UInt8], doubled: [Conflict], missing: [Conflict]) {
    var entries = [UInt8](repeating: unset, count: 16 * 256)
    var doubled: [Conflict] = []
    func set(
      _ state: ParserState, _ bytes: ClosedRange<UInt8>, _ action: ParserAction,
      _ next: ParserState
    ) {
      for byte in bytes {
        let place = Int(state.rawValue) << 8 | Int(byte)
        if entries[place] != unset { doubled.append(Conflict(state: state, byte: byte)) }
        entries[place] = entry(action, next)
      }
    }
    func set(_ state: ParserState, _ byte: UInt8, _ action: ParserAction, _ next: ParserState) {
      set(state, byte...byte, action, next)
    }
    /// The C0 controls except CAN, SUB and ESC.
    func controls(_ state: ParserState, _ action: ParserAction) {
      set(state, 0x00...0x17, action, state)
      set(state, 0x19, action, state)
      set(state, 0x1C...0x1F, action, state)
    }

    // CAN and SUB end anything; ESC starts over.
    let strings: [ParserState] = [.oscString, .dcsString, .otherString]
    for state in ParserState.allCases {
      set(state, 0x18, .cancel, .ground)
      set(state, 0x1A, .cancel, .ground)
      if strings.contains(state) {
        set(state, 0x1B, .none, .stringEscape)
      } else {
        set(state, 0x1B, .clear, .escape)
      }
    }

    controls(.ground, .execute)
    set(.ground, 0x20...0x7E, .print, .ground)
    set(.ground, 0x7F, .none, .ground)
    set(.ground, 0x80...0xFF, .print, .ground)

    controls(.escape, .execute)
    set(.escape, 0x20...0x2F, .collect, .escapeIntermediate)
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
    set(.escape, 0x7F, .none, .escape)

    controls(.escapeIntermediate, .execute)
    set(.escapeIntermediate, 0x20...0x2F, .collect, .escapeIntermediate)
    set(.escapeIntermediate, 0x30...0x7E, .dispatchEscape, .ground)
    set(.escapeIntermediate, 0x7F, .none, .escapeIntermediate)

    for state in [ParserState.csiEntry, .csiParameter] {
      controls(state, .execute)
      set(state, 0x20...0x2F, .collect, .csiIntermediate)
      set(state, 0x30...0x3B, .parameter, .csiParameter)
      if state == .csiEntry {
        set(state, 0x3C...0x3F, .collect, .csiParameter)
      } else {
        set(state, 0x3C...0x3F, .none, .csiIgnore)
      }
      set(state, 0x40...0x7E, .dispatchCSI, .ground)
      set(state, 0x7F, .none, state)
    }
    controls(.csiIntermediate, .execute)
    set(.csiIntermediate, 0x20...0x2F, .collect, .csiIntermediate)
    set(.csiIntermediate, 0x30...0x3F, .none, .csiIgnore)
    set(.csiIntermediate, 0x40...0x7E, .dispatchCSI, .ground)
    set(.csiIntermediate, 0x7F, .none, .csiIntermediate)
    controls(.csiIgnore, .execute)
    set(.csiIgnore, 0x20...0x3F, .none, .csiIgnore)
    set(.csiIgnore, 0x40...0x7E, .none, .ground)
    set(.csiIgnore, 0x7F, .none, .csiIgnore)

    for state in [ParserState.dcsEntry, .dcsParameter] {
      controls(state, .none)
      set(state, 0x20...0x2F, .collect, .dcsIntermediate)
      set(state, 0x30...0x3B, .parameter, .dcsParameter)
      if state == .dcsEntry {
        set(state, 0x3C...0x3F, .collect, .dcsParameter)
      } else {
        set(state, 0x3C...0x3F, .none, .dcsIgnore)
      }
      set(state, 0x40...0x7E, .hook, .dcsString)
      set(state, 0x7F, .none, state)
    }
    controls(.dcsIntermediate, .none)
    set(.dcsIntermediate, 0x20...0x2F, .collect, .dcsIntermediate)
    set(.dcsIntermediate, 0x30...0x3F, .none, .dcsIgnore)
    set(.dcsIntermediate, 0x40...0x7E, .hook, .dcsString)
    set(.dcsIntermediate, 0x7F, .none, .dcsIntermediate)
    // What follows a malformed introducer is still a string, up to its ST.
    controls(.dcsIgnore, .none)
    set(.dcsIgnore, 0x20...0x3F, .none, .dcsIgnore)
    set(.dcsIgnore, 0x40...0x7E, .hook, .dcsString)
    set(.dcsIgnore, 0x7F, .none, .dcsIgnore)

    set(.oscString, 0x00...0x06, .none, .oscString)
    set(.oscString, 0x07, .endString, .ground)
    set(.oscString, 0x08...0x17, .none, .oscString)
    set(.oscString, 0x19, .none, .oscString)
    set(.oscString, 0x1C...0x1F, .none, .oscString)
    set(.oscString, 0x20...0xFF, .put, .oscString)
    for state in [ParserState.dcsString, .otherString] {
      controls(state, .put)
      set(state, 0x20...0xFF, .put, state)
    }

    // Anything except a backslash discards the string, and the byte belongs to a new ESC sequence.
    set(.stringEscape, 0x00...0x17, .cancel, .escape)
    set(.stringEscape, 0x19, .cancel, .escape)
    set(.stringEscape, 0x1C...0x5B, .cancel, .escape)
    set(.stringEscape, 0x5C, .endString, .ground)
    set(.stringEscape, 0x5D...0x7F, .cancel, .escape)
    set(.stringEscape, 0x80...0xFF, .swallow, .ground)

    let sequences: [ParserState] = [
      .escape, .escapeIntermediate, .csiEntry, .csiParameter, .csiIntermediate, .csiIgnore,
      .dcsEntry, .dcsParameter, .dcsIntermediate, .dcsIgnore,
    ]
    for state in sequences { set(state, 0x80...0xFF, .swallow, .ground) }

    var missing: [Conflict] = []
    for state in ParserState.allCases {
      for byte in UInt8.min...UInt8.max where entries[Int(state.rawValue) << 8 | Int(byte)] == unset
      {
        missing.append(Conflict(state: state, byte: byte))
      }
    }
    return (entries, doubled, missing)
  }

  static let entries: [UInt8] = build().entries
}
