import PerfHUDBase
import Sampler

/// What the program under the overlay writes, and how quickly it answers keys.
struct ProgramOutput: Sendable {
  /// Whether perfhud sees the output. It does not without an overlay; then there are no values.
  private let isSeen: Bool
  private var bytes = LastSecondSum()
  private var writtenCells = LastSecondSum()
  private var unchangedCells = LastSecondSum()
  private var bytesPerFrame: Reading<Double>
  private var unchangedPercent: Reading<Double>
  /// Times from a key to the frame that answers it.
  var answers: AnswerTimes
  private let anchor = Anchor()

  init(isSeen: Bool, keepsAnswers: Bool = false) {
    self.isSeen = isSeen
    answers = AnswerTimes(keepsAll: keepsAnswers)
    bytesPerFrame = .absent(isSeen ? .pending : .notRequested)
    unchangedPercent = .absent(isSeen ? .pending : .notRequested)
  }

  mutating func addBytes(_ count: UInt64, at time: Instant) {
    if !bytes.isUsed { bytesPerFrame = .absent(.pending) }
    bytes.add(count, at: time)
  }

  /// - Parameter unchanged: How many of the written cells had the same content before.
  mutating func addCells(_ written: UInt64, unchanged: UInt64, at time: Instant) {
    writtenCells.add(written, at: time)
    unchangedCells.add(unchanged, at: time)
  }

  /// Writes the last values into a row.
  mutating func apply(to row: inout Row) {
    row[.bytesPerFrame] = bytesPerFrame
    row[.unchangedCells] = unchangedPercent
    (row[.keyToFrame], row.keyToFrameP99) =
      isSeen
      ? answers.percentiles(asOf: row.time) : (.absent(.notRequested), .absent(.notRequested))
  }

  /// Updates the values for the frames of the last second and writes them into a row.
  mutating func update(frames: FrameStatistics.Summary, row: inout Row) {
    // Output while nothing is drawn does not belong to a frame, so the last value stays.
    if bytes.isUsed, !frames.isResting, frames.framesInLastSecond > 0 {
      let count = bytes.sum(asOf: row.time)
      bytesPerFrame = .value(Double(count) / Double(frames.framesInLastSecond))
      row[.bytesPerFrame] = bytesPerFrame
    }
    let count = writtenCells.isUsed ? writtenCells.sum(asOf: row.time) : 0
    if count > 0 {
      let unchanged = unchangedCells.sum(asOf: row.time)
      unchangedPercent = .value(100 * Double(unchanged) / Double(count))
      row[.unchangedCells] = unchangedPercent
    }
  }
}
