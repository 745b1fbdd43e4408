/// What the visits of one phase say together about its memory.
///
/// It is based on the memory of the process as seen from outside, where memory that was freed but is still held by the
/// allocator counts as kept. So kept memory is never called a leak (`mayBeAllocator`). If a program reports what its
/// allocator holds (`allocator.retained`), that is left out.
package enum Verdict: Equatable, BitwiseCopyable, Sendable {
  /// This many more visits are needed before there is a verdict. 0: those that have ended only have to settle.
  case unknown(visitsNeeded: Int)
  /// It takes nothing worth mentioning, and keeps nothing.
  case steady
  /// It releases this share of what it takes. The rest does not add up from visit to visit.
  case released(percent: Double)
  /// Each visit leaves the process larger by about this many bytes; `orMore`: what another phase seems to keep may be
  /// its own as well.
  case keeps(bytesPerVisit: Double, orMore: Bool = false)
  /// The same, but it is unknown whether this phase or the other one keeps them; `nil` if it may be one of several.
  case either(bytesPerVisit: Double, with: PhaseIndex?)
  /// The process grows by this many bytes for each visit, but the program has freed them all: the allocator holds them.
  case held(bytesPerVisit: Double)
  /// It does not seem to grow. But what it keeps may take the place of what the other phase frees, and then that one
  /// seems to grow. `nil` if the process grows and no phase seems to.
  case hidden(behind: PhaseIndex?)

  /// Differences below this are noise, such as pages that an allocator takes in advance.
  package static let leastNoise = 1_048_576.0
  /// A difference is noise if it is below this share of what the visit took.
  static let noiseShare = 0.01
  static let visitsNeeded = 2
  /// From this number of visits on, each may grow by less than the noise if together they grow by more.
  static let visitsOfSlowGrowth = 5
  /// A visit that kept less than this share of the rise of the process is not the one that grows.
  static let leastShareOfRise = 0.25
  /// The same if what it kept is explained by the visits to all phases.
  static let leastShareOfExplainedRise = 0.1

  /// An amount this many times another one is surely the greater one.
  static let clearlyMore = 1.1

  /// Whether the growth that this verdict is about may be that of another phase, of which the other verdict is.
  func isInDoubt(as phase: PhaseIndex, with other: Verdict, _ otherPhase: PhaseIndex) -> Bool {
    guard case .either(_, let first) = self else { return false }
    if first == otherPhase { return true }
    guard case .either(_, let second) = other else { return false }
    return second == phase || (first == nil && second == nil)
  }

  /// Whether the cause may be freed memory that the allocator has not released.
  package var mayBeAllocator: Bool { isGrowth }

  /// Whether memory adds up from visit to visit, because of this phase or another one.
  package var isGrowth: Bool { bytesPerVisit != nil }

  /// By how much memory grows with each visit, because of this phase or another one.
  package var bytesPerVisit: Double? {
    switch self {
    case .keeps(let bytes, _): bytes
    case .either(let bytes, _): bytes
    case .unknown, .steady, .released, .held, .hidden: nil
    }
  }

  /// The other phase that the verdict names.
  package var otherPhase: PhaseIndex? {
    switch self {
    case .either(_, let other): other
    case .hidden(let other): other
    case .unknown, .steady, .released, .keeps, .held: nil
    }
  }

  /// - Parameter visits: the visits to one phase that have ended.
  package init(_ visits: VisitList) {
    let whole = Verdict(visits, isOwn: false)
    guard visits.reportAllocatorMemory else {
      self = whole
      return
    }
    let own = Verdict(visits, isOwn: true)
    switch (whole, own) {
    case (.keeps(let bytes, _), .steady), (.keeps(let bytes, _), .released):
      self = .held(bytesPerVisit: bytes)
    case (_, .keeps): self = own
    default: self = whole
    }
  }

  /// - Parameter isOwn: whether to leave out what the allocator holds.
  private init(_ visits: VisitList, isOwn: Bool) {
    guard visits.count > 0 else {
      self = .unknown(visitsNeeded: 1 + Verdict.visitsNeeded)
      return
    }
    var counted = 0
    var released = Values()
    var steps = Steps()
    let process = visits[visits.count - 1].process
    for index in 0..<visits.count where visits[index].process == process {
      let visit = visits[index]
      guard visit.hasSettled, let settled = visit.settledBytes,
        let share = isOwn ? visit.ownKeptBytes : visit.keptBytes, let most = visit.takenBytes
      else { continue }
      steps.add(
        settled: settled - (isOwn ? visit.retainedBytes ?? 0 : 0), kept: share,
        noise: Verdict.noise(ofTaken: most),
        isWarmUp: visit.isWarmUp, isAttributed: visit.attributedBytes != nil)
      guard !visit.isWarmUp else { continue }
      counted += 1
      if let percent = visit.releasedPercent, !isOwn || most > Verdict.leastNoise {
        released.append(isOwn ? 100 * (most - share) / most : percent)
      }
    }
    guard counted >= Verdict.visitsNeeded else {
      self = .unknown(visitsNeeded: Verdict.visitsNeeded - counted)
      return
    }
    if let step = steps.growth {
      self = .keeps(bytesPerVisit: step)
    } else if steps.areTooFew {
      self = .unknown(visitsNeeded: 1)
    } else if released.count == 0 {
      self = .steady
    } else {
      self = .released(percent: max(0, min(100, released.median)))
    }
  }

  static func noise(ofTaken bytes: Double) -> Double { max(leastNoise, noiseShare * bytes) }
}

extension Visit {
  /// Whether a verdict on the process with this number may be based on the visit.
  func counts(in process: UInt16) -> Bool {
    hasSettled && !isWarmUp && self.process == process
  }
}

/// Whether memory was read in time at the borders of a phase.
enum BorderReadings: Equatable {
  /// It was read in time at more than half of the entries, and of the exits.
  case inTime
  /// It was read late at half or more of the entries, or of the exits: what the phase seems to keep may belong to the
  /// phase on the other side. `nil` if there is none, or if it may be one of two.
  case late(otherPhase: PhaseIndex?)
}

extension VisitList {
  /// Whether a reading came so late that what each visit seems to keep may belong to another phase.
  func borderReadings(_ bytesPerVisit: Double) -> BorderReadings {
    var counted = 0
    var lateEntries = 0
    var lateExits = 0
    var previous: PhaseIndex?
    var following: PhaseIndex?
    for index in 0..<count where self[index].counts(in: self[count - 1].process) {
      let visit = self[index]
      counted += 1
      let least = Float(Swift.min(Verdict.leastNoise, bytesPerVisit / 2))
      if visit.movedAtEntry > least {
        lateEntries += 1
        previous = visit.previous
      }
      if visit.movedAtExit > least {
        lateExits += 1
        following = visit.following
      }
    }
    switch (2 * lateEntries >= counted, 2 * lateExits >= counted) {
    case (false, false): return .inTime
    case (true, false): return .late(otherPhase: previous)
    case (false, true): return .late(otherPhase: following)
    case (true, true): return .late(otherPhase: previous == following ? previous : nil)
    }
  }

  /// By how much the process has grown from the end of the visit two visits ago to that of the last one, in bytes, or
  /// from that of the visit before it if there are only two; 0 if there are fewer.
  var recentRise: Double {
    var newest: Double?
    var rise = 0.0
    var counted = 0
    for visit in reversed() where visit.counts(in: self[count - 1].process) {
      guard let settled = visit.settledBytes else { continue }
      newest = newest ?? settled
      counted += 1
      if let newest { rise = newest - settled }
      if counted == 3 { break }
    }
    return rise
  }

  /// The mean number of bytes that a visit freed of what it took, over the visits that count.
  func meanFreed(in process: UInt16) -> Double {
    var sum = 0.0
    var counted = 0.0
    for visit in self where visit.counts(in: process) {
      guard let taken = visit.takenBytes, let kept = visit.keptBytes else { continue }
      sum += Swift.max(0, taken - kept)
      counted += 1
    }
    return counted > 0 ? sum / counted : 0
  }

  /// The greatest number of bytes that a visit freed of what it took, among the visits that count.
  func mostFreed(in process: UInt16) -> Double {
    var most = 0.0
    for visit in self where visit.counts(in: process) { most = Swift.max(most, visit.freedBytes) }
    return most
  }

  /// Whether the program has reported what its allocator holds for each visit that counts.
  package var reportAllocatorMemory: Bool {
    guard count > 0 else { return false }
    let process = self[count - 1].process
    var isReported = false
    for index in 0..<count where self[index].process == process {
      guard self[index].hasSettled, !self[index].isWarmUp else { continue }
      guard self[index].heldBytes != nil else { return false }
      isReported = true
    }
    return isReported
  }
}

/// How much the process grew from visit to visit, and whether the visits agree.
private struct Steps {
  private var values = Values()
  /// The amounts that the visits are said to keep.
  private var amounts = Values()
  private var noises = Values()
  private var former: Double?
  private var greatestFormer = -Double.infinity
  private var newest = 0.0
  private var newestNoise = 0.0

  /// A step is what the visit itself kept, but at most the rise of the process since the previous visit. So neither
  /// growth nor releases of another phase count. There is no step if the visit kept only a small share of that rise:
  /// then another phase grows.
  ///
  /// - Parameter isAttributed: whether `kept` is explained by all visits, and therefore the better amount.
  mutating func add(
    settled: Double, kept: Double, noise: Double, isWarmUp: Bool, isAttributed: Bool = false
  ) {
    if !isWarmUp {
      let rise = former.map { settled - $0 } ?? kept
      let share =
        isAttributed ? Verdict.leastShareOfExplainedRise : Verdict.leastShareOfRise
      let step = kept < share * rise ? 0 : min(kept, rise)
      values.append(step)
      amounts.append(isAttributed ? kept : step)
      noises.append(noise)
    }
    if let former { greatestFormer = max(greatestFormer, former) }
    former = settled
    newest = settled
    newestNoise = noise
  }

  /// The median step, if the visits agree and the process has never had as much after any of them before.
  var growth: Double? {
    if newest - greatestFormer > newestNoise, let quickGrowth { return quickGrowth }
    return newest > greatestFormer ? slowGrowth : nil
  }

  /// Whether there are only two visits, which both grew, but not alike: a third one decides.
  var areTooFew: Bool {
    values.count == 2 && newest - greatestFormer > newestNoise && recentGrowth != nil
      && !areTwoAlike
  }

  /// Growth if the last three visits, or the only two if they are alike, each grew by more than the noise.
  private var quickGrowth: Double? {
    guard values.count > 2 || values.count == 2 && areTwoAlike else { return nil }
    return recentGrowth
  }

  private var areTwoAlike: Bool {
    min(amounts[0], amounts[1]) >= max(amounts[0], amounts[1]) / 2
  }

  /// The median of the last three steps, or of all if there are fewer, if each is above the noise.
  private var recentGrowth: Double? {
    var last = Values()
    for index in max(0, values.count - 3)..<values.count {
      guard values[index] > noises[index] else { return nil }
      last.append(amounts[index])
    }
    return last.median
  }

  /// Growth if five visits or more grew, each by little, but together by more than twice the noise.
  private var slowGrowth: Double? {
    guard values.count >= Verdict.visitsOfSlowGrowth else { return nil }
    var sum = 0.0
    for index in 0..<values.count {
      guard values[index] > 0 else { return nil }
      sum += values[index]
    }
    return sum > 2 * noises.median ? amounts.median : nil
  }
}

/// At most 8 values.
private struct Values {
  static let capacity = 8

  private var values = InlineArray<8, Double>(repeating: 0)
  private(set) var count = 0

  subscript(index: Int) -> Double { values[index] }

  mutating func append(_ value: Double) {
    guard count < Values.capacity else { return }
    values[count] = value
    count += 1
  }

  /// The middle one, or the mean of the two in the middle; 0 without any.
  var median: Double {
    guard count > 0 else { return 0 }
    var sorted = values
    for index in 1..<max(count, 1) {
      var position = index
      while position > 0, sorted[position - 1] > sorted[position] {
        sorted.swapAt(position - 1, position)
        position -= 1
      }
    }
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
  }
}
