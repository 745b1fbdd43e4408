import PerfHUDBase

/// A read of memory alone, made between two samples because a phase has just begun.
public struct MemorySample: BitwiseCopyable, Sendable {
  public var time = Instant(nanoseconds: 0)
  /// As `Sample.targetNumber`.
  public var targetNumber: UInt32 = 0
  /// As `Sample.residentBytes`.
  public var residentBytes: UInt64 = 0
  /// As `Sample.anonymousBytes`.
  public var anonymousBytes: UInt64 = 0
  /// How much earlier than the time of this read the phase may have begun, in nanoseconds, because perfhud was busy and
  /// noticed it late.
  public var borderLateness: Int64 = 0

  public init() {}
}

/// The memory of one process of the target: the one that reports phases, otherwise the root.
public struct ProcessMemory: BitwiseCopyable, Sendable, Equatable {
  /// 0 if no memory was read.
  public var pid: Int32 = 0
  public var residentBytes: UInt64 = 0
  public var anonymousBytes: UInt64 = 0

  public init() {}

  public init(pid: Int32, residentBytes: UInt64, anonymousBytes: UInt64) {
    self.pid = pid
    self.residentBytes = residentBytes
    self.anonymousBytes = anonymousBytes
  }
}

extension ProcessSampler {
  /// Sets the process whose memory is in `Sample.reporter`. A process that is not in the tree is ignored.
  mutating func setReporter(_ pid: Int32) { reporter = pid == latest.pid ? nil : pid }

  /// Reads the memory of the target now, whatever the last sample said. For a tree it reads the statm of all
  /// descendants that have one open, at most `ProcessTree.few`.
  ///
  /// - Returns: `nil` if memory cannot be read, the process has ended, or the tree is too large.
  mutating func readMemoryNow() -> MemorySample? {
    guard !latest.hasEnded, let resident = latest.residentBytes.value,
      let anonymous = latest.anonymousBytes.value,
      let fields = (try? files.statm.read(as: StatmFields.self)) ?? nil, fields.sizePages > 0
    else { return nil }
    var sample = MemorySample()
    sample.time = .now()
    // Relative to the last sample, so that it agrees with the samples around it.
    let base = tree == nil ? latest : combined.sample
    var change = MemoryChange()
    change.add(
      resident: fields.residentPages &* units.pageBytes, before: resident,
      anonymous: fields.anonymousPages &* units.pageBytes, before: anonymous)
    if tree != nil {
      guard let ofMembers = tree?.memoryChange() else { return nil }
      change.add(ofMembers)
    }
    sample.residentBytes = change.resident.applied(to: base.residentBytes.value ?? 0)
    sample.anonymousBytes = change.anonymous.applied(to: base.anonymousBytes.value ?? 0)
    return sample
  }
}

/// The change of memory since the last sample, in bytes.
struct MemoryChange: BitwiseCopyable, Sendable {
  private(set) var resident: Int64 = 0
  private(set) var anonymous: Int64 = 0

  mutating func add(
    resident: UInt64, before residentBefore: UInt64, anonymous: UInt64,
    before anonymousBefore: UInt64
  ) {
    self.resident.addClamped(Int64(clamping: resident) - Int64(clamping: residentBefore))
    self.anonymous.addClamped(Int64(clamping: anonymous) - Int64(clamping: anonymousBefore))
  }

  mutating func add(_ other: MemoryChange) {
    resident.addClamped(other.resident)
    anonymous.addClamped(other.anonymous)
  }
}

extension Int64 {
  fileprivate func applied(to bytes: UInt64) -> UInt64 {
    var sum = Int64(clamping: bytes)
    sum.addClamped(self)
    return UInt64(clamping: sum)
  }
}
