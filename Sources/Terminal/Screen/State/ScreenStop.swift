/// Why and where `Screen.feed` stopped.
///
/// Offsets count from the start of the passed bytes; they are negative if the sequence began in bytes that the caller
/// did not pass again (see `Screen.pendingBytes`). Everything before `offset` has been executed and nothing after it,
/// except for an own sequence.
@frozen package struct ScreenStop: Hashable, Sendable {
  /// What comes next.
  @frozen package enum Reason: Hashable, Sendable {
    /// Nothing: all bytes have been taken.
    case end
    /// Cells under the HUD will, or may, be moved or pushed into the history.
    case willMoveCovered
    /// The program will, or may, switch to the other screen; see `HUDRegion.stopsAtScreenSwitch`.
    case willSwitchScreens
    /// The state will become one that no sequence can restore: see `Screen.isRestorable`.
    case willBecomeUnrestorable
    /// Cells will be read back (DECRQCRA, XTREPORTSGR, printing).
    case willReadCells
    /// State will be queried (DSR, DA, DECRQM, …): an update of our own would show in the answer. See
    /// `HUDRegion.stopsAtQueries`.
    case willQueryState
    /// The program's synchronized update will end (`CSI ? 2026 l`); see `HUDRegion.stopsAtUpdateEnd`.
    case willEndUpdate
    /// A character printed before this call will be repeated (REP); see `HUDRegion.stopsAtRepeat`.
    case willRepeat(count: Int)
    /// The terminal may repeat what was injected after the program's last character (REP); see
    /// `HUDRegion.stopsAtEarlierRepeat`.
    case willRepeatEarlier
    /// A character without a column will join one that was printed before this call; see `HUDRegion.stopsAtRepeat` and
    /// `Screen.lastPlace`.
    case willCombine
    /// The program sent a message to perfhud: `Screen.withOwnSequence` has the text. It has already been taken.
    case ownSequence
  }

  package let reason: Reason
  /// Where the sequence begins, or the end of the bytes.
  package let offset: Int
  /// Where to continue: `offset`, or the end of an own sequence, which must be swallowed.
  package let resume: Int

  @usableFromInline init(_ reason: Reason, offset: Int, resume: Int) {
    self.reason = reason
    self.offset = offset
    self.resume = resume
  }
}
