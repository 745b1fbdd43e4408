extension KeptMemoryAttribution {
  /// What the remembered visits of one phase have in common.
  struct Visits: BitwiseCopyable, Sendable {
    /// The number of visits; 0 if nothing is known of the phase.
    var count = 0
    /// The mean change of memory between the borders at which it was entered and left, in bytes.
    var net = 0.0
    /// The mean number of bytes released in it, according to page faults; `nil` if they do not show it.
    var released: Double?
    /// The mean number of bytes by which memory fell below the level at entry; they belonged to earlier phases.
    var drop = 0.0
    /// The mean number of bytes by which memory fell within it from its peak to its end, as samples saw it.
    var fall = 0.0
    /// How wrong `net` may be, in bytes.
    var tolerance = 0.0
    /// Twice the standard error of `net` among visits after the same phase, in bytes.
    var spread = 0.0
    /// The phases before it, and what the visits after each of them have in common.
    var previous = Predecessors()
    /// Whether most of the visits were preceded or followed by a phase of which too little is known.
    var hasUnknownNeighbor = false
  }

  /// The phases that came before the visits to a phase, and the means of the visits after each of them.
  struct Predecessors: BitwiseCopyable, Sendable {
    /// The visits after one phase.
    struct Group: BitwiseCopyable, Sendable {
      /// The index of the phase; 255 if no phase came before them.
      var phase: Int
      /// Their share of all visits.
      var share: Double
      /// The mean change of memory from border to border, in bytes.
      var net: Double
      /// The mean number of bytes released; 0 if not known.
      var released: Double
    }

    /// Running means, and the sum of squared differences from the mean (Welford).
    private struct Means: BitwiseCopyable, Sendable {
      var phase = UInt8.max
      var count: UInt8 = 0
      var net: Float = 0
      var squares: Float = 0
      var released: Float = 0
    }

    /// There is room for all remembered visits (`VisitList.capacity`).
    private var groups = InlineArray<8, Means>(repeating: Means())
    private(set) var count = 0
    private var visits = 0

    /// Adds one visit. `phase` is `nil` if no phase came before it.
    mutating func add(_ phase: PhaseIndex?, net: Double, released: Double) {
      visits += 1
      let phase = phase ?? UInt8.max
      var index = 0
      while index < count, groups[index].phase != phase { index += 1 }
      if index == count {
        groups[index].phase = phase
        count += 1
      }
      var group = groups[index]
      group.count += 1
      let number = Float(group.count)
      let difference = Float(net) - group.net
      group.net += difference / number
      group.squares += difference * (Float(net) - group.net)
      group.released += (Float(released) - group.released) / number
      groups[index] = group
    }

    subscript(index: Int) -> Group {
      let means = groups[index]
      return Group(
        phase: Int(means.phase), share: Double(means.count) / Double(visits),
        net: Double(means.net), released: Double(means.released))
    }

    /// The visits after a phase; `nil` if it never came before one.
    func group(of phase: Int) -> Group? {
      for index in 0..<count where Int(groups[index].phase) == phase { return self[index] }
      return nil
    }

    /// The share of visits that a phase preceded; 0 if it never did.
    func share(of phase: Int) -> Double { group(of: phase)?.share ?? 0 }

    /// The variance of the change of memory among visits after the same phase, in bytes²; `nil` if no phase came before
    /// two of them.
    var variance: Double? {
      var squares = 0.0
      for index in 0..<count { squares += Double(groups[index].squares) }
      return visits > count ? squares / Double(visits - count) : nil
    }
  }
}

/// Some phases, in ascending order of their indices.
struct PhaseSet: Sequence, IteratorProtocol {
  var bits: UInt64

  mutating func next() -> Int? {
    guard bits != 0 else { return nil }
    defer { bits &= bits - 1 }
    return bits.trailingZeroBitCount
  }
}

extension KeptMemoryAttribution {
  /// The mean change of memory in a visit, in bytes; `nil` if nothing is known of the phase.
  func net(_ phase: Int) -> Double? {
    phase < count && visits(phase).count > 0 ? visits(phase).net : nil
  }

  /// Whether its visits change memory by amounts that differ by more than a few pages and a twentieth.
  func varies(_ phase: Int) -> Bool {
    let seen = visits(phase)
    return seen.spread > max(KeptMemoryAttribution.leastTolerance, seen.net.magnitude / 20)
  }

  /// What earlier visits have left for a visit of `phase` to release, minus what that visit leaves itself.
  func carried(into phase: Int, from previous: PhaseIndex?) -> Double {
    guard phase < count else { return 0 }
    return (previous.map { handedOn(Int($0)) } ?? 0) - handedOn(phase)
  }
}
