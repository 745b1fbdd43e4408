/// What `Screen.feed` knows about the bytes that it gets, and what it keeps until the next call.
struct FeedState {
  /// The cells that the HUD covers.
  var hudRegion = HUDRegion()
  /// Whether there is anything to stop for.
  var hasStops = false
  /// The end of what `passOverScrolledLines` has scanned.
  var scannedEnd = 0
  /// The end of the bytes that are known to be plain output.
  var plainEnd = 0
  /// Where the text of an own sequence begins in its string.
  var ownStart = 0
  var pendingBytes = 0
  var hasExecutedPending = false
  /// SS2 or SS3: the set for the next character only; otherwise 0.
  var singleShift = 0
  /// Whether printing can take the fast path, because it does nothing but write into the row.
  var isPlain = true
}

extension Screen {
  var hudRegion: HUDRegion {
    @inline(__always) get { feeding.hudRegion }
  }
  /// The number of bytes at the end of what was fed that belong to an unfinished character or sequence.
  ///
  /// Hold them back: nothing may be injected in between.
  package var pendingBytes: Int { feeding.pendingBytes }
  /// Whether a control character within the unfinished sequence, or after a single shift, has already been executed:
  /// the screen is ahead of a terminal that has not received the pending bytes. Send them, and draw when it is at
  /// ground again. This happens only while nothing is covered.
  package var hasExecutedPending: Bool { feeding.hasExecutedPending }
}
