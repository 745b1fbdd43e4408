import PerfHUDBase

/// What a thread samples: a process, a cgroup, or nothing for now; and how it finds the next target.
struct TargetSampler: ~Copyable, Sendable {
  private var process: ProcessSampler?
  private var cgroup: CgroupSampler?
  private var finder: ProcessFinder?
  /// A cgroup that is sampled again after it has been removed and recreated.
  private let followedCgroup: CgroupTarget?
  /// The facts at the attach, or placeholders.
  let facts: ProcessFacts
  /// The process that was sampled last.
  private var former: Target?

  init(_ process: consuming ProcessSampler) {
    facts = process.facts
    former = facts.target
    self.process = consume process
    followedCgroup = nil
  }

  init(_ process: consuming ProcessSampler?, finder: consuming ProcessFinder) {
    var name = ProcessName()
    for byte in finder.pattern.utf8 { name.append(byte) }
    var facts: ProcessFacts?
    if let sampler = process.take() {
      facts = sampler.facts
      former = sampler.facts.target
      self.process = consume sampler
    }
    self.facts = facts ?? ProcessFacts(name: name, title: finder.pattern)
    var finder = consume finder
    if let facts { finder.begin(facts.target, now: .now()) }
    self.finder = consume finder
    followedCgroup = nil
  }

  init(_ cgroup: consuming CgroupSampler, isFollowed: Bool) {
    facts = ProcessFacts(name: cgroup.target.name, title: cgroup.target.path)
    followedCgroup = isFollowed ? cgroup.target : nil
    self.cgroup = consume cgroup
  }

  /// Whether nothing is being sampled.
  var isEmpty: Bool { process == nil && cgroup == nil }

  /// Whether it looks for another target by itself once this one has ended.
  var isFollowed: Bool { followedCgroup != nil || finder != nil }

  /// Readable when the process has ended; see `ProcessSampler`.
  var exitDescriptor: Int32? {
    switch process {
    case .some(let process): process.exitDescriptor
    case .none: nil
    }
  }

  /// Makes one sample; `nil` if there is nothing to sample.
  mutating func sample() -> Sample? { process?.sample() ?? cgroup?.sample() }

  mutating func noteExit() { process?.noteExit() }

  mutating func setReporter(_ pid: Int32) { process?.setReporter(pid) }

  /// Reads memory between two samples; `nil` if that is not possible.
  mutating func readMemoryNow() -> MemorySample? { process?.readMemoryNow() ?? nil }

  mutating func requestPSS() { process?.requestPSS() }

  mutating func setPSSPolicy(_ policy: PSSPolicy) { process?.setPSSPolicy(policy) }

  /// Sets which list `readTable` makes; `nil` for none.
  mutating func setTable(_ request: ProcessTableRequest?) { process?.setTable(request) }

  /// Makes the list that is shown.
  ///
  /// - Returns: whether there is one. A cgroup has none.
  mutating func readTable(into buffer: inout ProcessTableBuffer) -> Bool {
    process?.readTable(into: &buffer) != nil
  }

  /// Samples this process from now on instead of the current target.
  mutating func replace(_ next: consuming ProcessSampler) {
    former = next.facts.target
    finder?.begin(next.facts.target, now: .now())
    cgroup = nil
    process = consume next
  }

  /// Samples the same process again from the start, with other options.
  ///
  /// - Returns: whether it still exists, and is a process.
  mutating func attachAgain(options: SamplerOptions, root: String) -> Bool {
    guard let former, process != nil,
      let next = try? ProcessSampler(pid: former.pid, options: options, root: root),
      next.facts.target == former
    else { return false }
    process = consume next
    return true
  }

  /// Takes the next target after one that has ended, if it exists.
  ///
  /// - Returns: whether it did.
  mutating func takeNext(now: Instant, options: SamplerOptions, root: String) -> Bool {
    if let followedCgroup {
      guard let next = try? CgroupSampler(followedCgroup, root: root) else { return false }
      cgroup = consume next
      return true
    }
    // A process that ends between the search and the attach is skipped.
    if let name = latestName { finder?.note(name: name) }
    guard let pid = finder?.next(after: former, now: now) ?? nil,
      let next = try? ProcessSampler(pid: pid, options: options, root: root)
    else { return false }
    replace(next)
    return true
  }

  /// Replaces a wrapper with its program, if that has started.
  ///
  /// - Returns: whether it did.
  mutating func takeReplacement(now: Instant, options: SamplerOptions, root: String) -> Bool {
    if let name = latestName { finder?.note(name: name) }
    guard let pid = finder?.replacement(now: now) ?? nil,
      let next = try? ProcessSampler(pid: pid, options: options, root: root)
    else { return false }
    replace(next)
    return true
  }

  private var latestName: ProcessName? {
    switch process {
    case .some(let process): process.latest.name
    case .none: nil
    }
  }

  /// Whether a process that has ended is still a zombie because its parent has not reaped it.
  mutating func isUnreaped() -> Bool { process?.isUnreaped() ?? false }

  /// Makes the last sample of a zombie that has been reaped.
  mutating func endReaped() -> Sample? { process?.endReaped() }
}
