import PerfHUDBase

/// Finds the frame that answers a key while an animation draws frames of its own.
///
/// After each frame the cells are compared with those of the previous frame. A cell that changes in more than one
/// frame, or that touches such a cell, belongs to the animation. A frame is a candidate if it changes any other cell,
/// or if it leaves the cursor in another place than all other frames do. It is the answer if it is the only candidate,
/// and enough other frames have followed.
///
///     finder.beginTrial(cursor: …)      // a key
///     finder.compare(…); finder.endFrame(cursor: …)   // each frame
///     finder.judge(isLast: false)
///
/// Complexity: linear in the cells of the screen for each frame while it is on; nothing otherwise.
package struct AnswerFinder: ~Copyable {
  /// What the frames since the key show.
  package enum Judgement: Equatable, Sendable {
    /// More frames are needed.
    case pending
    /// The answer is the frame with this number since the key, counted from 0.
    case answer(Int)
    /// No frame is a candidate, or several are.
    case unclear
  }

  /// The number of frames that must follow the one taken for the answer.
  static let confirmation = 8
  /// The number of other frames that is enough if no more can be waited for.
  static let leastOthers = 3
  /// The greatest number of frames in a trial.
  static let frameLimit = 240
  /// A screen with more cells is not compared, because it would take too long.
  static let cellLimit = 1 << 18

  private(set) var isOn = false
  private var isTrial = false
  /// Whether cells that change belong to the animation, whatever the key was.
  var learns = false
  private var size = Size(rows: 0, columns: 0)
  private var isAlternate = false
  /// The cells of the last frame, row by row.
  private var picture = UncheckedBuffer<Cell>(zeroed: 0)
  /// In how many frames of the trial each cell has changed; 2 means two or more.
  private var changes = UncheckedBuffer<UInt8>(zeroed: 0)
  /// The first of these frames.
  private var first = UncheckedBuffer<UInt8>(zeroed: 0)
  /// The cells that the animation has been seen to change.
  private var isAnimated = UncheckedBuffer<Bool>(zeroed: 0)
  /// Where the cursor was at the key, and after each frame of the trial.
  private var cursors: [Point] = []
  private var isCandidate: [Bool] = []
  /// Where it was after the last frame, and whether the animation has been seen to move it.
  private var lastCursor = Point(row: 0, column: 0)
  private var isCursorAnimated = false

  init() {}

  /// The number of frames in the trial so far.
  var frames: Int { max(0, cursors.count - 1) }

  func fits(_ size: Size, isAlternate: Bool) -> Bool {
    self.size == size && self.isAlternate == isAlternate
  }

  /// Makes room for a screen. If it is another screen, forgets what is known about the animation.
  ///
  /// - Returns: false if the screen is too large.
  mutating func resize(to size: Size, isAlternate: Bool) -> Bool {
    let count = size.rows * size.columns
    guard count <= AnswerFinder.cellLimit else { return false }
    if fits(size, isAlternate: isAlternate), isOn { return true }
    if picture.count != count {
      picture = UncheckedBuffer(zeroed: count)
      changes = UncheckedBuffer(zeroed: count)
      first = UncheckedBuffer(zeroed: count)
      isAnimated = UncheckedBuffer(zeroed: count)
    }
    isAnimated.fill(0, count, with: false)
    isCursorAnimated = false
    self.size = size
    self.isAlternate = isAlternate
    return true
  }

  /// Stores a row of the screen as it is when the key is typed.
  mutating func keep(
    _ row: Int, _ cells: borrowing UncheckedBuffer<Cell>, _ start: Int, used: Int, blank: Cell
  ) {
    let place = row * size.columns
    picture.copy(from: cells, start, to: place, used)
    picture.fill(place + used, size.columns - used, with: blank)
  }

  /// - Parameter hasFrame: whether a frame from before the key has not ended yet.
  mutating func beginTrial(cursor: Point, hasFrame: Bool) {
    isOn = true
    isTrial = true
    learns = false
    changes.fill(0, changes.count, with: 0)
    cursors.removeAll(keepingCapacity: true)
    cursors.append(cursor)
    lastCursor = cursor
    startsBeforeKey = hasFrame
  }

  private var startsBeforeKey = false

  /// Compares a row with the previous frame.
  mutating func compare(
    _ row: Int, _ cells: borrowing UncheckedBuffer<Cell>, _ start: Int, used: Int, blank: Cell
  ) {
    let place = row * size.columns
    for column in 0..<used where cells[start &+ column].raw != picture[place &+ column].raw {
      picture[place &+ column] = cells[start &+ column]
      noteChange(place &+ column)
    }
    for column in used..<max(used, size.columns) where picture[place &+ column].raw != blank.raw {
      picture[place &+ column] = blank
      noteChange(place &+ column)
    }
  }

  private mutating func noteChange(_ place: Int) {
    if learns { isAnimated[place] = true }
    guard isTrial, !startsBeforeKey, changes[place] < 2 else { return }
    if changes[place] == 0 { first[place] = UInt8(truncatingIfNeeded: frames) }
    changes[place] &+= 1
  }

  /// Ends a frame after all of its rows have been compared.
  mutating func endFrame(cursor: Point) {
    if learns, cursor != lastCursor { isCursorAnimated = true }
    lastCursor = cursor
    guard isTrial else { return }
    if startsBeforeKey {
      startsBeforeKey = false
      cursors[0] = cursor
    } else if frames < AnswerFinder.frameLimit {
      cursors.append(cursor)
    }
  }

  /// - Parameter isLast: no more frames can be waited for to confirm an answer.
  ///
  /// Complexity: linear in the cells of the screen.
  mutating func judge(isLast: Bool) -> Judgement {
    guard isTrial else { return .unclear }
    let count = frames
    // Only the next frame shows whether a cell changes in one frame alone.
    guard count > 1 else { return .pending }
    findCandidates()
    var found = 0
    var candidate = 0
    for frame in (0..<count - 1).reversed() where isCandidate[frame] {
      found += 1
      candidate = frame
    }
    guard found > 0 else { return count < AnswerFinder.frameLimit ? .pending : .unclear }
    let needed = isLast ? AnswerFinder.leastOthers : AnswerFinder.confirmation + candidate
    if count - 1 < needed { return isLast ? .unclear : .pending }
    return found == 1 ? .answer(candidate) : .unclear
  }

  /// Whether a frame of the trial can be the answer.
  private mutating func findCandidates() {
    isCandidate.removeAll(keepingCapacity: true)
    for _ in 0..<frames { isCandidate.append(false) }
    for row in 0..<size.rows {
      for column in 0..<size.columns where changes[row &* size.columns &+ column] == 1 {
        let frame = Int(first[row &* size.columns &+ column])
        if frame < frames, !isCandidate[frame], !touchesAnimation(row, column) {
          isCandidate[frame] = true
        }
      }
    }
    if let frame = cursorCandidate() { isCandidate[frame] = true }
  }

  private func isOfAnimation(_ place: Int) -> Bool { changes[place] > 1 || isAnimated[place] }

  /// Whether a cell or one of its neighbors belongs to the animation.
  private func touchesAnimation(_ row: Int, _ column: Int) -> Bool {
    for y in max(0, row - 1)...min(size.rows - 1, row + 1) {
      for x in max(0, column - 1)...min(size.columns - 1, column + 1)
      where isOfAnimation(y &* size.columns &+ x) {
        return true
      }
    }
    return false
  }

  /// The only frame that has moved the cursor.
  private func cursorCandidate() -> Int? {
    guard !isCursorAnimated else { return nil }
    var moves = 0
    var frame = 0
    for index in 1..<cursors.count where cursors[index] != cursors[index - 1] {
      moves += 1
      if moves == 1 { frame = index - 1 }
      // The cursor may have moved back with the next frame.
      if moves == 2, index - 1 != frame + 1 || cursors[index] != cursors[frame] { return nil }
    }
    return moves == 1 || moves == 2 ? frame : nil
  }

  /// Ends the trial. Cells that changed more than once in it belong to the animation from now on.
  mutating func endTrial() {
    guard isTrial else { return }
    isTrial = false
    for place in 0..<changes.count where changes[place] > 1 { isAnimated[place] = true }
  }

  mutating func stop() {
    isOn = false
    isTrial = false
    learns = false
  }
}
