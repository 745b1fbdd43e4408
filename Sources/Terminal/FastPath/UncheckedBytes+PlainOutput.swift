/// Plain output: bytes that print, end lines, erase in their line or set the pen. Nothing in it requires the HUD to be
/// erased for longer than a line feed, and the terminal does not answer any of it.
extension UncheckedBytes {
  /// The end of the plain output that begins at `start`: at anything else, or at an incomplete character or sequence.
  func plainOutput(from start: Int, to limit: Int) -> (end: Int, isUnfinished: Bool) {
    var index = start
    var next = start
    while index < limit {
      if index >= next {
        index = plainBlocks(from: index, to: limit)
        next = index &+ UncheckedBytes.block
      }
      let end = min(next, limit)
      index = nextUnusual(from: index, to: end)
      guard index < end else { continue }
      switch self[index] {
      case 0x07: index &+= 1
      case 0x1B:
        let length = plainSequence(index, limit)
        if length == 0 { return (index, isUnfinishedSequence(index, limit)) }
        index &+= length
      case 0xC2:
        // A C1 control in UTF-8.
        guard index &+ 1 < limit else { return (index, true) }
        if self[index &+ 1] &- 0x80 < 0x20 { return (index, false) }
        index &+= 1
      default: return (index, false)
      }
    }
    // The first byte of a character that continues in the bytes to come.
    var lead = limit &- 1
    while lead > start, limit &- lead < 6, self[lead] & 0xC0 == 0x80 { lead &-= 1 }
    // Obsolete longer forms are counted too; FE and FF begin nothing.
    guard lead >= start, self[lead] >= 0xC0, self[lead] < 0xFE else { return (limit, false) }
    let length = (~self[lead]).leadingZeroBitCount
    return lead &+ length > limit ? (lead, true) : (limit, false)
  }

  /// The number of bytes that are scanned together.
  static let block = 64

  /// Skips whole blocks of plain output, as long as they can be recognized without looking at single bytes.
  ///
  /// - Returns: the start of the first block that has anything else or is incomplete; or the start of a sequence that
  ///   continues into that block.
  private func plainBlocks(from start: Int, to limit: Int) -> Int {
    var index = start
    // For a sequence that continues in the next block: where it began, and which kind of byte comes next, in bit 0.
    var begun = start
    var bracket: UInt64 = 0
    var parameter: UInt64 = 0
    while index &+ UncheckedBytes.block <= limit {
      let unplain = unplainMask(at: index)
      if unplain | bracket | parameter != 0 {
        let masks = sequenceMasks(at: index)
        let brackets = masks.escapes &<< 1 | bracket
        let starts = brackets &<< 1 | parameter
        // Adding the first parameter byte of each sequence to the mask of all of them produces a carry into the byte
        // after the last.
        let (sum, isCarried) = masks.parameters.addingReportingOverflow(starts & masks.parameters)
        let ends = (sum | starts) & ~masks.parameters
        let isPlain =
          unplain == masks.escapes && brackets & ~masks.brackets == 0 && ends & ~masks.finals == 0
        guard isPlain else { break }
        bracket = masks.escapes &>> 63
        parameter = brackets &>> 63 | (isCarried ? 1 : 0)
        if masks.escapes != 0 { begun = index &+ 63 &- masks.escapes.leadingZeroBitCount }
      }
      index &+= UncheckedBytes.block
    }
    return bracket | parameter == 0 ? index : begun
  }
}
