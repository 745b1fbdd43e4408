/// One cell of a screen in one word: a scalar, its width, and the number of its style.
///
/// Bits 0–20 hold the scalar, 21–22 the width (0 for the right half of a wide character), 32–47 the
/// style. The word 0 is the clear cell: nothing is there, what lies beneath shows.
@frozen public struct Cell: Hashable, Sendable, BitwiseCopyable {
  public let raw: UInt64

  @inlinable init(raw: UInt64) { self.raw = raw }

  /// - Parameter width: 1 or 2 columns; the cell to the right of a wide one is `continuation`.
  @inlinable public init(_ scalar: Unicode.Scalar, style: StyleID = .plain, width: Int = 1) {
    raw = UInt64(scalar.value) | UInt64(width) << 21 | UInt64(style.raw) << 32
  }

  /// Nothing is there: what lies beneath shows through.
  public static let clear = Cell(raw: 0)

  /// The right half of a wide character.
  @inlinable public static func continuation(style: StyleID) -> Cell {
    Cell(raw: 1 << 23 | UInt64(style.raw) << 32)
  }

  @inlinable public var scalarValue: UInt32 { UInt32(truncatingIfNeeded: raw) & 0x1F_FFFF }
  @inlinable public var width: Int { Int(raw >> 21) & 3 }
  @inlinable public var isContinuation: Bool { raw & (1 << 23) != 0 }
  @inlinable public var style: StyleID { StyleID(UInt16(truncatingIfNeeded: raw >> 32)) }
  @inlinable public var isClear: Bool { raw == 0 }
}
