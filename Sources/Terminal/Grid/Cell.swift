/// One cell of a screen in one word: a character, its width, what is known about it, and the numbers of its style and
/// link.
///
/// | bits | meaning |
/// |---|---|
/// | 0–20 | the scalar, or with bit 24 the number of a cluster |
/// | 21–22 | columns: 1, 2, or 0 for the right half of a wide character |
/// | 23 | right half of a wide character |
/// | 24 | cluster: a base character with what combines with it |
/// | 25 | erased: blank without having been written, as selection and history tell apart |
/// | 26 | what the terminal shows here is unknown |
/// | 27 | protected (DECSCA, SPA) |
/// | 28–29 | the character set of the scalar |
/// | 30 | unknown since before the program began: no output of the program is lost with it |
/// | 31 | unknown, and the right half of a wide character that has lost its left half |
/// | 32–47 | style |
/// | 48–63 | link |
///
/// The word 0 is the clear cell: nothing is there, what is beneath shows.
@frozen package struct Cell: Hashable, Sendable, BitwiseCopyable {
  package let raw: UInt64

  @inlinable init(raw: UInt64) { self.raw = raw }

  /// - Parameter width: 1 or 2 columns; the cell to the right of a wide one is `continuation`.
  @inlinable package init(_ scalar: Unicode.Scalar, style: StyleID = .plain, width: Int = 1) {
    raw = UInt64(scalar.value) | UInt64(width) << 21 | UInt64(style.raw) << 32
  }

  /// Nothing is there, so what is beneath shows through.
  package static let clear = Cell(raw: 0)

  /// A cell about which nothing is known.
  package static let unknown = Cell(raw: Bits.unknown | Bits.erased | Bits.space)

  /// A cell that has not been written to since the program began, or since it was stopped: another program wrote its
  /// unknown content.
  package static let unseen = Cell(raw: unknown.raw | Bits.unseen)

  /// The right half of a wide character.
  @inlinable package static func continuation(style: StyleID) -> Cell {
    Cell(raw: 1 << 23 | UInt64(style.raw) << 32)
  }

  /// A blank that was erased, not written.
  @inlinable package static func erased(style: StyleID = .plain) -> Cell {
    Cell(raw: Bits.erased | Bits.space | UInt64(style.raw) << 32)
  }

  @inlinable package var scalarValue: UInt32 { UInt32(truncatingIfNeeded: raw) & 0x1F_FFFF }
  @inlinable package var width: Int { Int(raw >> 21) & 3 }
  @inlinable package var isContinuation: Bool { raw & Bits.continuation != 0 }
  /// Whether it is the right half of a wide character, with its left half or without.
  @inlinable var isRightHalf: Bool { raw & (Bits.continuation | Bits.stray) != 0 }
  @inlinable package var style: StyleID { StyleID(UInt16(truncatingIfNeeded: raw >> 32)) }
  @inlinable package var isClear: Bool { raw == 0 }

  /// Whether `scalarValue` is the number of a cluster, which `Screen.scalars(of:)` resolves.
  @inlinable package var isCluster: Bool { raw & Bits.cluster != 0 }
  /// Whether the cell was erased and not written to since: ECH restores it, not a space.
  @inlinable package var isErased: Bool { raw & Bits.erased != 0 }
  /// Whether the content of the cell is unknown. It becomes known when the cell is written or erased.
  @inlinable package var isUnknown: Bool { raw & Bits.unknown != 0 }
  /// Whether it is unknown because the program has not written to it yet.
  @inlinable package var isUnseen: Bool { raw & Bits.unseen != 0 }
  /// Whether it is unknown although the program has written to it, so blanking it would lose the program's text.
  @inlinable package var isLost: Bool { raw & (Bits.unknown | Bits.unseen) == Bits.unknown }
  /// Whether selective erasing spares the cell (DECSCA, SPA).
  @inlinable package var isProtected: Bool { raw & Bits.protected != 0 }
  /// The character set in which the scalar was sent to the terminal.
  @inlinable package var characterSet: CharacterSet {
    CharacterSet(rawValue: UInt8(truncatingIfNeeded: raw >> 28) & 3) ?? .ascii
  }
  /// The number of the link (OSC 8) in the screen's table; 0 is none.
  @inlinable package var link: UInt16 { UInt16(truncatingIfNeeded: raw >> 48) }

  /// The same cell with unknown content.
  @inlinable var unknown: Cell { Cell(raw: raw & ~Bits.unseen | Bits.unknown) }

  /// The single bits of the word.
  @usableFromInline enum Bits {
    @usableFromInline static let continuation: UInt64 = 1 << 23
    @usableFromInline static let cluster: UInt64 = 1 << 24
    @usableFromInline static let erased: UInt64 = 1 << 25
    @usableFromInline static let unknown: UInt64 = 1 << 26
    @usableFromInline static let protected: UInt64 = 1 << 27
    @usableFromInline static let unseen: UInt64 = 1 << 30
    @usableFromInline static let stray: UInt64 = 1 << 31
    /// The character set that is not modeled: an unknown cell in it may be half a wide character.
    @usableFromInline static let mayBeLeftHalf: UInt64 = 3 << 28
    /// The bits that make a cell half of a wide character.
    @usableFromInline static let halves: UInt64 = 3 << 21 | continuation | stray
    /// A space, one column wide.
    @usableFromInline static let space: UInt64 = 0x20 | 1 << 21
  }
}

/// The character sets that are distinguished (ECMA-35 designations G0 to G3).
///
/// A cell records the set only if it changes the glyph, so that a cell beneath the HUD can be sent again the way it
/// came.
@frozen package enum CharacterSet: UInt8, Sendable, BitwiseCopyable {
  /// `ESC ( B`, and every set that is the same for the character in question.
  case ascii = 0
  /// `ESC ( 0`: DEC special graphics, 0x5F–0x7E.
  case specialGraphics = 1
  /// `ESC ( A`: ASCII with a pound sign for 0x23.
  case unitedKingdom = 2
  /// Any other set: what is printed in it becomes unknown.
  case other = 3
}
