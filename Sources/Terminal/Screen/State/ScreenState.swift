// The state that a program has set up, and that is restored after something was injected.

/// The designated character sets and which of them is in use (ECMA-35).
@frozen package struct CharacterSets: Hashable, Sendable, BitwiseCopyable {
  /// The sets of G0 to G3, two bits each.
  @usableFromInline var sets: UInt8 = 0
  /// Which of G0 to G3 the codes 0x20–0x7E stand for: SI, SO, LS2, LS3.
  package internal(set) var left = 0
  /// Which of them the codes 0xA0–0xFF stand for: LS1R, LS2R, LS3R. Without effect in UTF-8.
  package internal(set) var right = 2

  /// ASCII everywhere.
  @inlinable package init() {}

  /// The set of G0, G1, G2 or G3.
  @inlinable package subscript(index: Int) -> CharacterSet {
    get { CharacterSet(rawValue: sets >> UInt8((index & 3) * 2) & 3) ?? .ascii }
    set {
      let shift = UInt8((index & 3) * 2)
      sets = sets & ~(3 << shift) | newValue.rawValue << shift
    }
  }

  /// The set in which the next character is read.
  @inlinable package var current: CharacterSet { self[left] }
}

/// The pen: the look of whatever is printed or erased next.
@frozen package struct Pen: Hashable, Sendable, BitwiseCopyable {
  package var style = Style.plain
  /// Whether printed cells are protected (DECSCA 1, SPA).
  package var isProtected = false
  /// The number of the link (OSC 8); 0 for none.
  package var link: UInt16 = 0
}

/// Values derived from the pen, computed when first needed after a change, and what the terminal stores besides the
/// pen.
struct PenState {
  /// The bits of a printed cell without its character, unless stale.
  var bits: UInt64 = Cell.Bits.space & ~0x20
  var isStale = false
  /// An erased cell, unless stale.
  var eraseCell = Cell.erased()
  var isEraseStale = false
  /// The background that SGR has set last. DECRC does not change it, XTPOPSGR replaces it.
  var sentBackground = Color.standard
}

/// The kind of protection that erasing respects.
@frozen package enum Protection: UInt8, Sendable, BitwiseCopyable {
  /// None has been used.
  case none
  /// DECSCA: the selective forms (DECSED, DECSEL) spare protected cells.
  case selective
  /// SPA: all of ED, EL and ECH spare protected cells.
  case always
}

/// What DECSC saves.
struct SavedCursor {
  var row = 0
  var column = 0
  var isWrapPending = false
  var pen = Pen()
  var characterSets = CharacterSets()
  var isOrigin = false
  var isPenUnknown = false
  /// Whether the position was known when it was saved.
  var isKnown = true
  /// Whether anything was saved.
  var isFilled = false
  var isColumnUncertain = false
  var columnExcess = 0
}

/// What a program has saved.
struct SavedState {
  /// Saved by DECSC on the shown screen, and on the other one.
  var cursor = SavedCursor()
  private(set) var otherCursor = SavedCursor()
  /// Saved by `?1049` in tmux, which has a separate slot for it.
  var screenCursor: SavedCursor?
  var screenPen = Pen()
  /// Saved by XTSAVE.
  var modes = ProgramModes.initial
  /// Saved by XTSAVE: whether the alternate screen is shown, and whether there is none (`?1046`).
  var isAlternate = false
  var lacksAlternate = false

  mutating func switchScreens() { swap(&cursor, &otherCursor) }
}
