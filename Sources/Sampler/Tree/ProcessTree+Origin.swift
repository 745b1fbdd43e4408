import PerfHUDBase

/// Finds the processes from which others have inherited private memory, and for which that memory is counted.
///
/// A process is named by its slot: its index among the members, or `rootSlot`.
extension ProcessTree {
  static let rootSlot = -1
  /// The longest chain of processes that have inherited from each other that is followed.
  private static let mostSources = 8

  func slot(of pid: Int32) -> Int? {
    pid == rootPid ? ProcessTree.rootSlot : pid > 0 ? memberIndex(of: pid) : nil
  }

  private func pid(at slot: Int) -> Int32 { slot < 0 ? rootPid : members[slot].pid }

  func inherited(at slot: Int) -> InheritedMemory {
    slot < 0 ? rootMemory.inherited : members[slot].inherited
  }

  private mutating func update(_ slot: Int, _ change: (inout InheritedMemory) -> Void) {
    if slot < 0 { change(&rootMemory.inherited) } else { change(&members[slot].inherited) }
  }

  /// 0 for a process that has ended or was not read yet.
  private func privateBytes(at slot: Int) -> UInt64 {
    guard slot >= 0 else { return rootMemory.privateBytes }
    guard !members[slot].isZombie, !members[slot].hasVanished else { return 0 }
    return members[slot].privateBytes(pageBytes: units.pageBytes)
  }

  // MARK: A new process

  /// Records that the newest member was forked, and has inherited its memory.
  mutating func joinFamily(of stat: StatFields) {
    let index = members.count - 1
    members[index].inherited.isForked = true
    let parent = slot(of: stat.parent)
    members[index].inherited.setExecution(stat.execution, pid: stat.pid)
    if stat.execution == 0 {
      members[index].inherited.family = inherited(at: parent ?? ProcessTree.rootSlot).family
    }
    if let parent {
      noteFork(of: parent)
      return
    }
    // Its parent is gone, so that any of its family may have been forked.
    let family = members[index].inherited.family
    for other in ProcessTree.rootSlot..<index where inherited(at: other).family == family {
      noteFork(of: other)
    }
  }

  /// Counts the faults of a process from the fork on.
  private mutating func noteFork(of slot: Int) {
    let memory = inherited(at: slot)
    guard !memory.hasForked, !memory.isForked else { return }
    if slot < 0 {
      rootMemory.settle()
    } else if members[slot].firstBytes != nil {
      let bytes = members[slot].privateBytes(pageBytes: units.pageBytes)
      members[slot].inherited.settle(privateBytes: bytes)
    } else {
      // It was not read before the fork: all its faults may be copies.
      members[slot].inherited.knownFaults = 0
    }
    update(slot) { $0.hasForked = true }
  }

  /// Treats the memory that a member starts with as inherited.
  mutating func inherit(_ index: Int) {
    guard members[index].inherited.isForked else { return }
    let own = members[index].privateBytes(pageBytes: units.pageBytes)
    var inherited: UInt64 = 0
    var source: Int32 = 0
    if let origin = origin(of: index) {
      inherited = min(own, privateBytes(at: origin))
      source = pid(at: origin)
      noteFork(of: origin)
      update(origin) { $0.hasHeirs = true }
      let other = self.inherited(at: origin)
      if other.execution == 0 || members[index].inherited.execution == 0 {
        members[index].inherited.family = other.family
      }
    }
    members[index].inherited.share(inherited, with: source)
    members[index].inherited.knownBytes = inherited
    // Count its faults from the fork on.
    members[index].inherited.knownFaults = 0
  }

  /// The process that a forked member has inherited its memory from: its parent, or if that has ended, a process of the
  /// same execution. It is not known which of these; the largest makes the sum a lower bound, and the faults show by how
  /// much it may be too low. `nil` if no process of that execution is left.
  private mutating func origin(of index: Int) -> Int? {
    let execution = members[index].inherited.execution
    if let parent = slot(of: members[index].parent), privateBytes(at: parent) > 0 {
      let other = inherited(at: parent).execution
      if other == execution || other == 0 || execution == 0 { return parent }
    }
    var largest: Int?
    var most: UInt64 = 0
    for slot in ProcessTree.rootSlot..<members.count where slot != index {
      let bytes = privateBytes(at: slot)
      guard bytes > most, inherited(at: slot).execution == execution else { continue }
      largest = slot
      most = bytes
    }
    members[index].inherited.isGuess = execution == 0 && largest != nil
    return largest
  }

  // MARK: The end of what a process has

  /// Counts the memory that others share with a process for one of these from now on, because it has ended or has
  /// executed a program. Call it before its values change.
  mutating func handOver(_ slot: Int) {
    let memory = inherited(at: slot)
    guard memory.hasHeirs else { return }
    let gone = pid(at: slot)
    var heir: Int?
    var most: UInt64 = 0
    var next = memory.source
    for other in ProcessTree.rootSlot..<members.count where inherited(at: other).source == gone {
      let shared = inherited(at: other).sharedBytes
      guard privateBytes(at: other) > 0, heir == nil || shared > most else { continue }
      heir = other
      most = shared
      next = pid(at: other)
    }
    for other in ProcessTree.rootSlot..<members.count where inherited(at: other).source == gone {
      if other != heir { update(other) { $0.source = next } }
    }
    guard let heir else { return }
    // What the process had inherited itself is still counted for its source.
    update(heir) {
      $0.share(min($0.sharedBytes, memory.inheritedBytes), with: memory.source)
      $0.hasHeirs = true
    }
  }

  /// Adds to each family the memory that the source of others has released, but that at least one of them still has.
  mutating func addKept() {
    rootMemory.inherited.mostShared = 0
    rootMemory.inherited.hasHeirs = false
    for index in members.indices {
      members[index].inherited.mostShared = 0
      members[index].inherited.hasHeirs = false
    }
    if families.isEmpty { return }
    var source: Int32 = 0
    var sourceSlot: Int?
    for slot in ProcessTree.rootSlot..<members.count {
      let memory = inherited(at: slot)
      guard memory.source != 0 else { continue }
      if memory.source != source {
        source = memory.source
        sourceSlot = self.slot(of: source)
      }
      guard let sourceSlot else { continue }
      let shared = privateBytes(at: slot) > 0 ? memory.sharedBytes : 0
      update(sourceSlot) {
        $0.mostShared = max($0.mostShared, shared)
        $0.hasHeirs = true
      }
    }
    for slot in ProcessTree.rootSlot..<members.count {
      let memory = inherited(at: slot)
      guard memory.mostShared > 0, let family = familyIndex(of: memory.family) else { continue }
      let kept = memory.mostShared &- min(heldBytes(slot, depth: 0), memory.mostShared)
      families[family].addKept(
        kept, of: memory, privateBytes: privateBytes(at: slot), pages: faultedPages)
    }
  }

  /// The memory counted for a process, with what it has inherited, that its heirs may share.
  private func heldBytes(_ slot: Int, depth: Int) -> UInt64 {
    let memory = inherited(at: slot)
    let bytes = privateBytes(at: slot)
    let own = bytes &- min(memory.sharedBytes, bytes)
    guard memory.source != 0 else { return own }
    guard depth < ProcessTree.mostSources, let source = self.slot(of: memory.source) else {
      return own &+ memory.inheritedBytes
    }
    // What the source has released itself counts there as long as one of its heirs has it.
    let counted = max(heldBytes(source, depth: depth + 1), inherited(at: source).mostShared)
    return own &+ min(memory.inheritedBytes, counted)
  }
}
