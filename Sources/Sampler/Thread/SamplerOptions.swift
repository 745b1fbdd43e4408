/// How a process is sampled.
public struct SamplerOptions: Sendable, Equatable {
  /// The time between two samples of a `SamplerThread`, in nanoseconds: a positive multiple of 20 000 000.
  public var intervalNanoseconds: UInt64
  /// Reads /proc/PID/stat (state, name, threads, faults) for every sample if the process has run since the last one;
  /// otherwise twice a second, which saves a third of the cost.
  public var statEverySample: Bool
  /// Makes one extra sample 30 to 50 ms after the first, so that there are rates at once.
  public var provisionalFirst: Bool
  public var pss: PSSPolicy
  /// Samples the process and all its descendants together; see `Sample`.
  public var includesChildren: Bool
  /// With `includesChildren`: also samples the other processes of this group, whichever parents they have.
  public var group: ProcessGroup?
  /// With `includesChildren`: adopts descendants whose parents have ended. Only for a program whose children all
  /// belong to the target.
  package var orphans: OrphanReaper?
  /// Makes a `SamplerThread` distinguish a zombie from a process that is gone. The sample that reports the end has the
  /// state `.zombie` if the parent does not reap the process within 0.2 s; another sample follows once it has. Not for
  /// children of this process, which it reaps itself.
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
