/// What `Screen.feed` knows of the bytes that it is fed, and what it keeps until the next call.
struct FeedState {
  /// The cells that the HUD covers.
  var hudRegion = HUDRegion()
  /// Whether there is anything to stop for.
  var hasStops = false
  /// The end of what `passOverScrolledLines` has scanned.
  var scannedEnd = 0
  /// The end of what is known to be plain output.
  var plainEnd = 0
  /// Where the text of an own sequence begins in its string.
  var ownStart = 0
  var pendingBytes = 0
  var hasExecutedPending = false
  /// SS2 or SS3: the set of the next character alone; else 0.
  var singleShift = 0
  /// Whether printing can take the fast path: nothing but writing into the row is to be thought of.
  var isPlain = true
}

extension Screen {
  var hudRegion: HUDRegion {
    @inline(__always) get { feeding.hudRegion }
  }
  /// How many bytes at the end of what was fed belong to an unfinished character or sequence.
  ///
  /// Hold them back: nothing may be injected in between.
  package var pendingBytes: Int { feeding.pendingBytes }
  /// A control character within the unfinished sequence, or after a single shift, has been carried out already: the
  /// screen is ahead of a terminal that has not been sent the pending bytes. Send them, and draw when it is at ground
  /// again. It happens only while nothing is covered.
  package var hasExecutedPending: Bool { feeding.hasExecutedPending }
}
