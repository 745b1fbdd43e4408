import PerfHUDBase

/// The slope of a value over a window of time, in fixed memory: the least-squares line through the means of 32 pieces
/// of the window.
struct GrowthSlope: Sendable {
  private static let pieces = 32
  /// A rise within a third of the window, with flat stretches before and after it, is a step.
  private static let longestStep = 11

  private struct Piece: BitwiseCopyable, Sendable {
    var index: Int64 = -1
    var seconds = 0.0
    var value = 0.0
    var count = 0.0
  }

  private let width: Int64
  private let window: Int64
  private var origin: Instant?
  private var newest = Int64(-1)
  private var newestTime = Int64(0)
  private var ring = [Piece](repeating: Piece(), count: pieces + 1)
  private var points = Points()

  init(nanoseconds: UInt64) {
    window = max(1_000_000, Int64(clamping: nanoseconds))
    width = max(1, window / Int64(GrowthSlope.pieces))
  }

  /// The length of the window in nanoseconds.
  var length: UInt64 { UInt64(window) }

  mutating func removeAll() {
    origin = nil
    newest = -1
    newestTime = 0
    for index in ring.indices { ring[index] = Piece() }
  }

  mutating func add(_ value: Double, at time: Instant) {
    let start = origin ?? time
    origin = start
    let elapsed = time.nanoseconds(since: start)
    guard elapsed >= 0 else { return }
    let index = elapsed / width
    let slot = Int(index % Int64(ring.count))
    if ring[slot].index != index { ring[slot] = Piece(index: index) }
    ring[slot].seconds += Double(elapsed) * 1e-9
    ring[slot].value += value
    ring[slot].count += 1
    newest = max(newest, index)
    newestTime = max(newestTime, elapsed)
  }

  /// The slope without a step, in units a second; `nil` before the whole window has been seen, or with less than 4
  /// pieces in it.
  ///
  /// A value that rises once, within a third of the window, and is flat before and after, does not grow. Its slope is
  /// then that of the stretches before and after. A value that rises and falls again does not grow either: what grows
  /// has greater minima and greater maxima in the last third of the window than in the first, by at least half of what
  /// the slope says. Only a slope for which the rule holds is examined.
  mutating func sustainedSlope(beyond rule: Rule) -> Double? {
    guard newestTime >= window else { return nil }
    points.fill(ring, newest: newest)
    guard points.count >= 4, let slope = points.slope(0..<points.count) else { return nil }
    guard rule.holds(slope) else { return slope }
    if let step = points.step(longest: GrowthSlope.longestStep, slope: slope) {
      return points.slope(outside: step)
    }
    let limits = points.slopeOfLimits(sign: slope)
    return limits / slope < 0.5 ? limits : slope
  }

  /// The means of the pieces, oldest first, with running sums. The arrays are reused.
  private struct Points {
    private(set) var count = 0
    private var times = [Double](repeating: 0, count: pieces + 1)
    private var values = [Double](repeating: 0, count: pieces + 1)
    private var sums = [Double](repeating: 0, count: pieces + 2)
    private var squares = [Double](repeating: 0, count: pieces + 2)

    mutating func fill(_ ring: [Piece], newest: Int64) {
      var base = 0.0
      count = 0
      for position in 1...ring.count {
        let index = newest - Int64(ring.count - position)
        guard index >= 0 else { continue }
        let piece = ring[Int(index % Int64(ring.count))]
        guard piece.index == index, piece.count > 0 else { continue }
        // Relative to the first value, so that no digits are lost.
        if count == 0 { base = piece.value / piece.count }
        let value = piece.value / piece.count - base
        times[count] = piece.seconds / piece.count
        values[count] = value
        sums[count + 1] = sums[count] + value
        squares[count + 1] = squares[count] + value * value
        count += 1
      }
    }

    /// Product sums around the means of a range.
    private func moments(_ range: Range<Int>) -> (product: Double, square: Double) {
      guard range.count > 1 else { return (0, 0) }
      var time = 0.0
      for index in range { time += times[index] }
      let meanTime = time / Double(range.count)
      let meanValue = (sums[range.upperBound] - sums[range.lowerBound]) / Double(range.count)
      var product = 0.0
      var square = 0.0
      for index in range {
        product += (times[index] - meanTime) * (values[index] - meanValue)
        square += (times[index] - meanTime) * (times[index] - meanTime)
      }
      return (product, square)
    }

    /// The slope of the least-squares line through a range.
    func slope(_ range: Range<Int>) -> Double? {
      let (product, square) = moments(range)
      return square > 0 ? product / square : nil
    }

    /// The slope of the minima or of the maxima from the first third to the last, whichever is nearer to 0, and 0 if one
    /// of them has the other sign.
    func slopeOfLimits(sign: Double) -> Double {
      let third = max(1, count / 3)
      var (first, last) = (values[0]...values[0], values[count - 1]...values[count - 1])
      for index in 0..<third {
        let (early, late) = (values[index], values[count - 1 - index])
        first = min(first.lowerBound, early)...max(first.upperBound, early)
        last = min(last.lowerBound, late)...max(last.upperBound, late)
      }
      let minima = last.lowerBound - first.lowerBound
      let maxima = last.upperBound - first.upperBound
      let seconds = times[count - 1 - third / 2] - times[third / 2]
      guard seconds > 0 else { return 0 }
      return (sign > 0 ? max(0, min(minima, maxima)) : min(0, max(minima, maxima))) / seconds
    }

    /// The common slope of the stretches before and after a step. The piece on each side of it may contain part of the
    /// step.
    func slope(outside step: Range<Int>) -> Double {
      let before = moments(0..<max(0, step.lowerBound - 1))
      let after = moments(min(count, step.upperBound + 1)..<count)
      let square = before.square + after.square
      return square > 0 ? (before.product + after.product) / square : 0
    }

    /// The mean of a range if it is not empty, and the sum of the squared distances from it.
    private func rest(_ range: Range<Int>) -> (level: Double?, error: Double) {
      guard !range.isEmpty else { return (nil, 0) }
      let sum = sums[range.upperBound] - sums[range.lowerBound]
      let square = squares[range.upperBound] - squares[range.lowerBound]
      return (sum / Double(range.count), max(0, square - sum * sum / Double(range.count)))
    }

    /// The pieces of a step in the value, if a step describes the value far better than the line does.
    func step(longest: Int, slope: Double) -> Range<Int>? {
      let total = rest(0..<count).error
      let lineError = max(0, total - slope * moments(0..<count).product)
      var best: Range<Int>?
      var least = lineError / 2
      for first in 0..<count {
        let before = rest(0..<first)
        for end in first...min(count, first + longest) {
          let after = rest(end..<count)
          let from = before.level ?? values[first]
          let to = after.level ?? values[count - 1]
          guard (to - from) * slope > 0 else { continue }
          var error = before.error + after.error
          for index in first..<end where error < least {
            let share = (Double(index - first) + 0.5) / Double(end - first)
            let difference = values[index] - from - (to - from) * share
            error += difference * difference
          }
          if error < least {
            least = error
            best = first..<end
          }
        }
      }
      return best
    }
  }
}
