/// The memory levels after the visits to one phase, and whether they rise steadily: for growth that is small compared
/// with the noise of a single visit.
///
/// All visits count, in fixed memory: up to 32 groups of consecutive visits, each with its mean. When they are full,
/// neighboring groups are merged in pairs.
struct SettledMemoryTrend: BitwiseCopyable, Sendable {
  static let capacity = 32
  /// Fewer visits do not make a trend.
  static let leastVisits = 8
  /// The least total rise, in bytes.
  static let leastRise = 1_048_576.0

  /// A line through the levels.
  struct Slope: BitwiseCopyable, Sendable, Equatable {
    /// Bytes per visit.
    var bytesPerVisit: Double
    /// The standard error of that.
    var error: Double
  }

  private var means = InlineArray<32, Float>(repeating: 0)
  private var count = 0
  private var groupSize = 1
  /// The sum over the group that is not full yet.
  private var sum = 0.0
  private var inGroup = 0
  private(set) var visits = 0

  mutating func add(_ bytes: Double) {
    visits += 1
    sum += bytes
    inGroup += 1
    guard inGroup == groupSize else { return }
    if count == SettledMemoryTrend.capacity { merge() }
    // After a merge the groups are larger, and the current one is only half full.
    guard inGroup == groupSize else { return }
    means[count] = Float(sum / Double(groupSize))
    count += 1
    sum = 0
    inGroup = 0
  }

  private mutating func merge() {
    for pair in 0..<count / 2 { means[pair] = (means[2 * pair] + means[2 * pair + 1]) / 2 }
    count /= 2
    groupSize *= 2
  }

  /// The line, if the levels rise along it. `nil` if there are too few visits, if the rise is not clear of the scatter
  /// around the line (four standard errors), if the level has ever fallen by more than a third of the rise, or if the
  /// last quarter no longer rises.
  var rise: Slope? {
    guard visits >= SettledMemoryTrend.leastVisits, count >= SettledMemoryTrend.leastVisits / 2
    else { return nil }
    let slope = slope
    let span = Double((count - 1) * groupSize)
    let total = slope.bytesPerVisit * span
    guard total >= SettledMemoryTrend.leastRise, slope.bytesPerVisit > 4 * slope.error,
      total > 3 * greatestFall, risesAtTheEnd(slope)
    else { return nil }
    return slope
  }

  private func level(_ index: Int) -> Double { Double(means[index]) }

  /// By least squares.
  private var slope: Slope {
    let middle = Double(count - 1) / 2
    var mean = 0.0
    for index in 0..<count { mean += level(index) / Double(count) }
    var product = 0.0
    var squares = 0.0
    for index in 0..<count {
      let offset = Double(index) - middle
      product += offset * (level(index) - mean)
      squares += offset * offset
    }
    let perGroup = product / squares
    var residual = 0.0
    for index in 0..<count {
      let rest = level(index) - mean - perGroup * (Double(index) - middle)
      residual += rest * rest
    }
    let variance = count > 2 ? residual / Double(count - 2) : .infinity
    let size = Double(groupSize)
    return Slope(bytesPerVisit: perGroup / size, error: (variance / squares).squareRoot() / size)
  }

  private var greatestFall: Double {
    var greatest = -Double.infinity
    var fall = 0.0
    for index in 0..<count {
      greatest = max(greatest, level(index))
      fall = max(fall, greatest - level(index))
    }
    return fall
  }

  /// A full cache no longer grows.
  private func risesAtTheEnd(_ slope: Slope) -> Bool {
    let quarter = max(1, count / 4)
    guard count >= 2 * quarter else { return false }
    var last = 0.0
    var before = 0.0
    for index in 0..<quarter {
      last += level(count - 1 - index)
      before += level(count - 1 - quarter - index)
    }
    let expected = slope.bytesPerVisit * Double(groupSize * quarter * quarter)
    return last - before > expected / 3
  }
}
