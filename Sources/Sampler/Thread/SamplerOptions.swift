/// How a process is sampled.
public struct SamplerOptions: Sendable, Equatable {
  /// From one sample of a `SamplerThread` to the next, in nanoseconds: a positive multiple of
  /// 20 000 000.
  public var intervalNanoseconds: UInt64
  /// Reads /proc/PID/stat (state, name, threads, faults) at every sample if the process has run since; else
  /// twice a second, which saves a third of the cost.
  public var statEverySample: Bool
  /// Makes one extra sample 40 ms after the first, so that the first rates come at once.
  public var provisionalFirst: Bool
  public var pss: PSSPolicy
  /// Samples the process and all its descendants together, see `Sample`.
  public var includesChildren: Bool
  /// With `includesChildren` the process is sampled with the others of this group, whoever their parent
  /// is.
  public var group: ProcessGroup?
  /// With `includesChildren`: adopts descendants whose parents have ended. Only for a program whose children all
  /// belong to the target.
  package var orphans: OrphanReaper?
  /// A `SamplerThread` distinguishes a zombie from a process that is gone. The sample that reports the end has the
  /// state `.zombie` if the parent does not reap the process within 0.2 s, and another sample follows once it has.
  /// Not for children of this process, which reaps them itself.
  public var watchesZombie = false

  public init(
    intervalNanoseconds: UInt64 = 100_000_000, statEverySample: Bool = false,
    provisionalFirst: Bool = true, pss: PSSPolicy = .onBudget, includesChildren: Bool = false,
    group: ProcessGroup? = nil
  ) {
    self.includesChildren = includesChildren
    self.group = group
    self.intervalNanoseconds = intervalNanoseconds
    self.statEverySample = statEverySample
    self.provisionalFirst = provisionalFirst
    self.pss = pss
  }
}
