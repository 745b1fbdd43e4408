import PerfHUDBase
import Sampler

/// Frame times → frame rate, percentiles and hitches.
///
/// - Frame rate: frames in the last second. As long as a program draws without a pause, the rate is over the whole
///   intervals within the last second, because a count could be off by one. The tick can pause, so its rate is always
///   over its intervals.
/// - Frame time p50, p99: over the last 5 s.
/// - Hitch: a frame longer than 1.5 periods. Its hitch time is the part beyond one period; the ratio is over the last
///   10 s, in ms/s; for the tick, over the intervals in them. The period is the tick's own, else the
///   `UsualFrameTime` before the frame.
/// - For `terminal` and `app` a gap of more than 250 ms is idleness, not a frame time; but a frame time that the
///   program reports always counts. Frames between two such gaps are idleness too and have no rate, until they have
///   gone on for 250 ms. From then on the rate is over their intervals.
/// - A frame that may be several has no frame time, so it is neither in a percentile nor a hitch: see `MergedFrames`.
///
/// Fixed memory: the last 2048 frames, which is 10 s at 200 frames a second; above that rate the
/// windows of 5 and 10 s get shorter.
package struct FrameStatistics: Sendable {
  package static let capacity = 2048
  /// A longer pause between two frames of a program is idleness, in nanoseconds.
  package static let idleGap: Int64 = 250_000_000
  /// Frames that come within this time after the first one were read together with it, in nanoseconds.
  package static let pieceTime: Int64 = 1_000_000

  package let source: FrameSource
  /// The period of a timer-driven source, in nanoseconds.
  private let fixedPeriod: Double?
  private var times: [Instant]
  /// Nanoseconds; NaN for the first frame and for one that ends an idle gap, for those read together with these, and
  /// for those that `MergedFrames` leaves out.
  private var durations: [Float]
  /// By how much a hitch exceeded the period, in nanoseconds; 0 for every other frame.
  private var hitchTimes: [Float]
  /// The sum of `hitchTimes` from a frame number on, so that the hitches of 10 s are known without reading every frame.
  private var recentHitches = (first: UInt64(0), nanoseconds: Int64(0))
  /// Whether a frame may be several that could not be distinguished.
  private var isMerged: [Bool]
  /// The frame times of the last 5 s, as of the latest summary.
  private(set) var sorted = SortedFrameTimes()
  /// The number of frames so far, which is the number of the next frame.
  private var nextNumber: UInt64 = 0
  /// One more than the number of the newest frame that may be several, and of the newest frame that ended a pause; 0 if
  /// there was none.
  private var endOfMerged: UInt64 = 0
  private var endOfPause: UInt64 = 0
  /// When the frame came that ended the last pause, or the first frame.
  private var drawingSince = Instant(nanoseconds: 0)
  private var ring = RingIndex<2048>()
  private var count: Int { ring.count }
  /// Whether the newest frame ended a pause of the tick.
  private var endedTickPause = false
  /// Frames that were due but did not happen, since the start.
  package private(set) var missed: UInt64 = 0
  /// Frames that may be several, since the start.
  private(set) var merged: UInt64 = 0
  private var recentMerged = MergedFrames()
  /// The frame times of the whole run.
  package private(set) var total = FrameHistogram()
  package private(set) var slowFrames = SlowFrames()
  /// The total time by which slow frames exceeded the period, in nanoseconds.
  private(set) var hitchNanoseconds = 0.0
  /// The number of slow frames that `takeSlowestNewFrame` has already covered.
  private var seenSlowFrames: UInt64 = 0
  /// What a frame took when the newest one came.
  private var usual = UsualFrameTime()

  package init(source: FrameSource, period: UInt64? = nil) {
    self.source = source
    fixedPeriod = period.map { Double($0) }
    times = Array(repeating: Instant(nanoseconds: 0), count: FrameStatistics.capacity)
    durations = Array(repeating: .nan, count: FrameStatistics.capacity)
    hitchTimes = Array(repeating: 0, count: FrameStatistics.capacity)
    isMerged = Array(repeating: false, count: FrameStatistics.capacity)
  }

  /// - Parameters:
  ///   - missed: frames that were due since the previous one but did not happen.
  ///   - milliseconds: the frame time, if the program reports it; otherwise the time since the previous frame is used.
  ///   - isMerged: whether it may be several frames.
  package mutating func add(
    _ time: Instant, missed: UInt32, milliseconds: Double? = nil, isMerged: Bool = false
  ) {
    // Frames from two senders may be slightly out of order.
    let time = count > 0 ? max(time, self.time(0)) : time
    let gap = count > 0 ? time.nanoseconds(since: self.time(0)) : nil
    total.addFrame()
    let isLeftOut = recentMerged.leavesOut(isMerged: isMerged)
    var duration: Int64?
    if let milliseconds {
      duration = Int64(max(0, min(milliseconds, 1e9)) * 1e6)
    } else if let gap {
      endedTickPause = isTickPause(gap, missed: missed)
      if isFrameTime(gap), !endedTickPause, !isLeftOut, !isInFirstPiece(time) { duration = gap }
    }
    if let duration { total.add(duration) }
    if count == FrameStatistics.capacity {
      // The oldest frame is about to be forgotten. Usually it is older than 10 s.
      let oldest = nextNumber + 1 - UInt64(FrameStatistics.capacity)
      if recentHitches.first < oldest { moveRecentHitches(to: oldest) }
    }
    nextNumber += 1
    if gap ?? .max > FrameStatistics.idleGap {
      endOfPause = nextNumber
      drawingSince = time
    }
    let slot = ring.advance()
    times[slot] = time
    durations[slot] = duration.map { Float($0) } ?? .nan
    hitchTimes[slot] = 0
    judge(slot)
    self.isMerged[slot] = isMerged
    if isMerged {
      merged += 1
      endOfMerged = nextNumber
    }
    self.missed += UInt64(missed)
  }

  /// Returns the longest slow frame since the last call, in milliseconds; 0 without one, and for the tick, which says
  /// nothing about the program.
  mutating func takeSlowestNewFrame() -> Float {
    guard source != .tick else { return 0 }
    let new = slowFrames.total - seenSlowFrames
    seenSlowFrames = slowFrames.total
    var longest: Float = 0
    for age in 0..<min(Int(clamping: new), slowFrames.count) {
      longest = max(longest, slowFrames[age].milliseconds)
    }
    return longest
  }

  /// Whether a frame was read together with the first one after a pause: perfhud may have read the output late, and
  /// then the time between them is not known.
  private func isInFirstPiece(_ time: Instant) -> Bool {
    source == .terminal && time.nanoseconds(since: drawingSince) < FrameStatistics.pieceTime
  }

  /// Whether the time between two frames is a frame time and not idleness.
  private func isFrameTime(_ nanoseconds: Int64) -> Bool {
    source == .tick || nanoseconds <= FrameStatistics.idleGap
  }

  /// Whether the time between two ticks is a pause of the tick: at least two periods without a missed tick.
  private func isTickPause(_ nanoseconds: Int64, missed: UInt32) -> Bool {
    guard source == .tick, missed == 0, let fixedPeriod else { return false }
    return Double(nanoseconds) >= 2 * fixedPeriod
  }

  /// Forgets the recent frames, but not the totals of the run, because nothing was drawn for a while.
  package mutating func restart() {
    ring.removeAll()
    recentHitches = (nextNumber, 0)
  }

  /// The values as of a moment.
  package struct Summary: BitwiseCopyable, Sendable, Equatable {
    package var fps = Reading<Double>.absent(.pending)
    package var medianMilliseconds = Reading<Double>.absent(.pending)
    package var p99Milliseconds = Reading<Double>.absent(.pending)
    package var hitchMillisecondsPerSecond = Reading<Double>.absent(.pending)
    /// The mean rate of the slowest 1 % of the frames (at least one) of the last 5 s.
    package var onePercentLow = Reading<Double>.absent(.pending)
    /// Whether no frame came for more than 250 ms, or none so far, from a source that draws only when there is
    /// something to draw.
    package var isResting = false
    /// Whether it is resting, or has drawn for less than 250 ms after a rest, so that there is no rate yet.
    package var isIdle = false
    package var framesInLastSecond = 0
    /// Whether more than 3 % of the frames of the last second may be several, or there were more frames than fit.
    package var isLowerBound = false

    /// Marks the values that are not computed without `withTimes`.
    fileprivate mutating func leaveOutTimes() {
      medianMilliseconds = .absent(.notRequested)
      p99Milliseconds = .absent(.notRequested)
      hitchMillisecondsPerSecond = .absent(.notRequested)
      onePercentLow = .absent(.notRequested)
    }
  }

  /// Whether there was any frame, even before `restart`.
  var hasFrames: Bool { total.frames > 0 }

  /// The number of frames whose times are known.
  package var recentCount: Int { count }

  /// When the frame `age` frames ago ended; 0 is the newest.
  package func time(_ age: Int) -> Instant { times[ring.slot(age: age)] }

  /// The frame time of the frame `age` frames ago; `nil` where it ends an idle gap, or may be that of several frames.
  package func milliseconds(_ age: Int) -> Double? {
    let duration = durations[ring.slot(age: age)]
    return duration.isNaN ? nil : Double(duration) * 1e-6
  }

  /// Whether the frame `age` frames ago was a hitch.
  package func isHitch(_ age: Int) -> Bool { hitchTimes[ring.slot(age: age)] > 0 }

  /// For how long frames have come without a pause, in nanoseconds.
  private var drawingTime: Int64 { count > 0 ? time(0).nanoseconds(since: drawingSince) : 0 }

  /// Whether frames have come for 250 ms, or the newest one has itself a longer frame time.
  private var hasRate: Bool {
    if count > 0, durations[ring.slot(age: 0)] > Float(FrameStatistics.idleGap) { return true }
    return drawingTime >= FrameStatistics.idleGap
  }

  /// - Parameter withTimes: whether the frame times and the hitches are needed, not only the frame rate.
  ///
  /// Complexity: linear in the frames since the last summary, and, with a small factor, in those of the last 10 s.
  package mutating func summary(asOf now: Instant, withTimes: Bool = true) -> Summary {
    var result = Summary()
    if !withTimes { result.leaveOutTimes() }
    result.isResting =
      source != .tick && (count == 0 || now.nanoseconds(since: time(0)) > FrameStatistics.idleGap)
    let inLastSecond = recent(within: 1_000_000_000, of: now)
    result.isIdle = result.isResting || (source != .tick && !hasRate)
    result.framesInLastSecond = inLastSecond
    guard count > 0 else { return result }
    if source != .tick {
      result.fps = .value(rate(inLastSecond, asOf: now))
      result.isLowerBound = isLowerBound(inLastSecond)
    } else {
      result.fps = tickRate(inLastSecond)
    }
    guard withTimes else { return result }
    updateSorted(asOf: now)
    let known = sorted.values.count
    guard known > 0 else { return result }
    let median = Double(sorted.values[(known - 1) / 2])
    let p99 = Double(sorted.values[min(known - 1, known * 99 / 100)])
    result.onePercentLow = .value(low(of: 100))
    result.medianMilliseconds = .value(median * 1e-6)
    result.p99Milliseconds = .value(p99 * 1e-6)
    result.hitchMillisecondsPerSecond = .value(hitchRatio(asOf: now))
    return result
  }

  /// The number of ticks due per second. It limits the rate: after a late tick the next interval is short, and one tick
  /// too many falls within the second.
  private var dueRate: Double { fixedPeriod.map { (1e9 / $0).rounded() } ?? .infinity }

  /// The rate over the intervals that have ended in the last second.
  private func tickRate(_ inLastSecond: Int) -> Reading<Double> {
    let (ticks, time) = measuredTime(inLastSecond)
    if time > 0 { return .value(min(Double(ticks) * 1e9 / time, dueRate)) }
    return count < 2 || endedTickPause ? .absent(.pending) : .value(0)
  }

  /// The number and the sum of the frame times of the newest frames, in nanoseconds.
  private func measuredTime(_ frames: Int) -> (count: Int, nanoseconds: Double) {
    var (count, sum) = (0, 0.0)
    for age in 0..<frames {
      let duration = durations[ring.slot(age: age)]
      guard !duration.isNaN else { continue }
      count += 1
      sum += Double(duration)
    }
    return (count, sum)
  }

  /// Frames in the last second; while the program draws, over whole intervals.
  private func rate(_ inLastSecond: Int, asOf now: Instant) -> Double {
    let frames = Double(inLastSecond)
    guard inLastSecond > 0, now.nanoseconds(since: time(0)) <= FrameStatistics.idleGap else {
      return frames
    }
    if endOfPause > nextNumber - UInt64(inLastSecond) {
      guard drawingTime >= FrameStatistics.idleGap else { return frames }
      return Double(nextNumber - endOfPause) * 1e9 / Double(drawingTime)
    }
    guard inLastSecond < count else { return frames }
    let span = time(0).seconds(since: time(inLastSecond))
    return span > 0 ? frames / span : frames
  }

  /// Whether more than 3 % of the frames of the whole run may be several.
  package var isLowerBound: Bool { merged * 33 > total.frames }

  /// Whether more than 3 % of the newest frames may be several, or there were more than fit.
  private func isLowerBound(_ newest: Int) -> Bool {
    if newest == FrameStatistics.capacity { return true }
    guard endOfMerged > nextNumber - UInt64(newest) else { return false }
    var merged = 0
    for age in 0..<newest where isMerged[ring.slot(age: age)] { merged += 1 }
    return merged * 33 > newest
  }

  /// The same for the frames in `sorted`.
  var isWindowLowerBound: Bool {
    let (first, end) = (max(sorted.first, nextNumber - UInt64(count)), sorted.end)
    guard endOfMerged > first, first < end else { return false }
    var merged = 0
    for number in first..<end where isMerged[ring.slot(age: Int(nextNumber - 1 - number))] {
      merged += 1
    }
    return merged * 33 > Int(end - first)
  }

  /// The number of frames within a time before `now`. Complexity: logarithmic, since their times are in order.
  private func recent(within nanoseconds: Int64, of now: Instant) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if now.nanoseconds(since: time(middle)) < nanoseconds {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private mutating func updateSorted(asOf now: Instant) {
    let kept = UInt64(recent(within: 5_000_000_000, of: now))
    let (newest, ring) = (nextNumber, ring)
    sorted.move(first: newest - kept, end: newest, oldest: newest - UInt64(ring.count)) {
      durations[ring.slot(age: Int(newest - 1 - $0))]
    }
  }

  /// 1000 / mean frame time of the slowest part in `sorted`, in frames a second. The sum is exact: all are integers.
  ///
  /// - Parameter part: 100 for the slowest 1 %; at least one frame.
  func low(of part: Int) -> Double {
    let known = sorted.values.count
    let slowest = max(1, known / part)
    var sum = 0.0
    for index in known - slowest..<known { sum += Double(sorted.values[index]) }
    return sum > 0 ? 1e9 * Double(slowest) / sum : 0
  }

  /// The number of slow frames among those in `sorted`.
  var slowFramesInWindow: Int {
    let first = max(sorted.first, nextNumber - UInt64(count))
    var slow = 0
    var number = first
    while number < sorted.end {
      if hitchTime(number) > 0 { slow += 1 }
      number += 1
    }
    return slow
  }

  /// Judges the newest frame; the first frames of a program together, as soon as there is a usual frame time.
  private mutating func judge(_ slot: Int) {
    if let period = fixedPeriod ?? usual.nanoseconds { addHitch(slot, period) }
    guard fixedPeriod == nil, !durations[slot].isNaN else { return }
    let hadPeriod = usual.nanoseconds != nil
    usual.add(durations[slot])
    guard !hadPeriod, let period = usual.nanoseconds else { return }
    for age in (0..<count).reversed() { addHitch(ring.slot(age: age), period) }
  }

  /// Notes the frame in a slot as a hitch, if it is one.
  private mutating func addHitch(_ slot: Int, _ period: Double) {
    let duration = Double(durations[slot])
    guard duration > 1.5 * period else { return }
    slowFrames.add(SlowFrame(time: times[slot], milliseconds: Float(duration * 1e-6)))
    hitchNanoseconds += duration - period
    hitchTimes[slot] = Float(duration - period)
    recentHitches.nanoseconds += Int64(hitchTimes[slot])
  }

  /// Makes `recentHitches` the sum from a frame number on.
  private mutating func moveRecentHitches(to number: UInt64) {
    while recentHitches.first < number {
      recentHitches.nanoseconds -= hitchTime(recentHitches.first)
      recentHitches.first += 1
    }
    // The time of a summary may be before that of the last one.
    while recentHitches.first > number {
      recentHitches.first -= 1
      recentHitches.nanoseconds += hitchTime(recentHitches.first)
    }
  }

  private func hitchTime(_ number: UInt64) -> Int64 {
    Int64(hitchTimes[ring.slot(age: Int(nextNumber - 1 - number))])
  }

  /// Σ hitch time over the last 10 s, in ms/s.
  private mutating func hitchRatio(asOf now: Instant) -> Double {
    let frames = recent(within: 10_000_000_000, of: now)
    guard frames > 0 else { return 0 }
    moveRecentHitches(to: nextNumber - UInt64(frames))
    let hitchTime = Double(recentHitches.nanoseconds)
    if source == .tick {
      let seconds = measuredTime(frames).nanoseconds * 1e-9
      return seconds > 0 ? hitchTime * 1e-6 / seconds : 0
    }
    let span = min(10, max(1, now.seconds(since: time(min(frames, count - 1)))))
    return hitchTime * 1e-6 / span
  }
}
