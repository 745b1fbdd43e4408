import Testing

@testable import Sampler

/// Private memory that forked processes share.
@Suite struct InheritedMemoryTests {
  private let mebibyte: UInt64 = 1 << 20

  /// A process with private memory, of which it shares some, in MiB.
  private func member(
    _ privateMebibytes: UInt64, sharing shared: UInt64?, proportional: UInt64? = nil,
    copiedPages: UInt64 = 0
  ) -> (InheritedMemory, UInt64) {
    var memory = InheritedMemory()
    memory.isForked = shared != nil
    memory.share((shared ?? 0) * mebibyte, with: 1)
    memory.settle(privateBytes: privateMebibytes * mebibyte)
    memory.faults += copiedPages
    memory.take(
      share: proportional.map { $0 * mebibyte }, privateBytes: privateMebibytes * mebibyte)
    return (memory, privateMebibytes * mebibyte)
  }

  private let pages = FaultedPages(bytes: 4096)

  private func family(_ members: (InheritedMemory, UInt64)...) -> ForkFamily {
    family(members, pages: pages)
  }

  private func family(_ members: [(InheritedMemory, UInt64)], pages: FaultedPages) -> ForkFamily {
    var family = ForkFamily(key: 1)
    for (index, (memory, bytes)) in members.enumerated() {
      family.add(
        memory, pid: Int32(index + 1), privateBytes: bytes, residentBytes: bytes, pages: pages)
    }
    return family
  }

  @Test func `a parent and two children that share all of it count once`() {
    let found = family(
      member(200, sharing: nil), member(200, sharing: 200), member(200, sharing: 200))
    #expect(found.sharing.sharedBytes == 400 * mebibyte)
    #expect(found.sharing.uncertainBytes == 0)
  }

  @Test func `what a child has beyond that is its own`() {
    let found = family(member(100, sharing: nil), member(150, sharing: 100))
    #expect(found.sharing.sharedBytes == 100 * mebibyte)
  }

  @Test func `what a source has released but an heir still has counts once`() {
    var head = member(100, sharing: nil)
    head.1 -= 99 * mebibyte
    var found = family(head, member(150, sharing: 100), member(150, sharing: 100))
    found.addKept(99 * mebibyte, of: head.0, privateBytes: head.1, pages: pages)
    #expect(found.sharing.sharedBytes == 101 * mebibyte)
    #expect(found.sharing.uncertainBytes == 0)
  }

  @Test func `a family never has less than one of its processes`() {
    let found = family(member(10, sharing: nil), member(200, sharing: 200))
    #expect(found.sharing.sharedBytes == 10 * mebibyte)
  }

  @Test func `faults that made no memory grow may have copied pages`() {
    var grown = member(100, sharing: 100, copiedPages: 512)
    #expect(family(member(100, sharing: nil), grown).sharing.uncertainBytes == 2 * mebibyte)
    grown.1 += mebibyte
    #expect(family(member(100, sharing: nil), grown).sharing.uncertainBytes == mebibyte)
    // No more can have been copied than is shared.
    let many = member(100, sharing: 100, copiedPages: 1 << 20)
    #expect(family(member(100, sharing: nil), many).sharing.uncertainBytes == 100 * mebibyte)
  }

  @Test func `memory that was released may have been the shared part`() {
    // The head has taken nothing new, so it may have let go of what its child still has.
    var head = member(100, sharing: nil)
    head.1 -= 10 * mebibyte
    #expect(family(head, member(100, sharing: 100)).sharing.uncertainBytes == 10 * mebibyte)
    // A child that only has shared memory releases nothing else, and that is no longer subtracted.
    var child = member(100, sharing: 100)
    child.1 -= 10 * mebibyte
    child.0.sharedBytes = child.1
    let found = family(member(100, sharing: nil), child)
    #expect(found.sharing.sharedBytes == 90 * mebibyte)
    #expect(found.sharing.uncertainBytes == 0)
  }

  @Test func `what is shared with an unknown process may not be shared at all`() {
    var child = member(100, sharing: 100)
    child.0.isGuess = true
    #expect(family(member(100, sharing: nil), child).sharing.uncertainBytes == 100 * mebibyte)
  }

  @Test func `where one fault may add a huge page, growth hides no copies`() {
    var grown = member(100, sharing: 100, copiedPages: 512)
    grown.1 += mebibyte
    let huge = FaultedPages(bytes: 4096, mayBeHuge: true)
    let found = family([member(100, sharing: nil), grown], pages: huge)
    #expect(found.sharing.uncertainBytes == 2 * mebibyte)
  }

  @Test func `what is copied after a share was read counts from then, not from the last share`() {
    var memory = member(100, sharing: 100, proportional: 50).0
    memory.faults += 256
    memory.settleAtShare()
    #expect(memory.changedBytes(privateBytes: 100 * mebibyte, pages: pages) == mebibyte)
  }

  @Test func `what is copied while the shares of others are read is uncertain`() {
    var (memory, bytes) = member(100, sharing: 100)
    memory.faults += 64
    memory.beginShares(privateBytes: bytes)
    // Another process was read, which still shared these pages.
    memory.faults += 256
    memory.take(share: 50 * mebibyte, privateBytes: bytes)
    memory.settleAtShare()
    #expect(memory.changedBytes(privateBytes: bytes, pages: pages) == mebibyte)
    // One that was forked in between may have copied since it began.
    var (late, lateBytes) = member(100, sharing: 100, copiedPages: 512)
    late.take(share: 50 * mebibyte, privateBytes: lateBytes)
    late.settleAtShare()
    #expect(late.changedBytes(privateBytes: lateBytes, pages: pages) == 2 * mebibyte)
  }

  @Test func `shares as the kernel counts them give each child its part`() {
    // 100 MiB shared by three, and each child has 50 of its own.
    let child = member(150, sharing: 150, proportional: 50 + 100 / 3)
    let found = family(member(100, sharing: nil, proportional: 100 / 3), child, child)
    #expect(found.isWhole)
    let shared = found.shared(of: child.0)
    // Whole MiB were taken for thirds.
    #expect((99...101).contains(shared / mebibyte))
  }

  @Test func `the process that shares most holds what all share`() {
    // 100 MiB are shared by four; the head has released all but one of them.
    let child = member(150, sharing: 150, proportional: 75)
    let found = family(member(1, sharing: nil, proportional: 1), child, child, child, child)
    #expect(found.holder == 2)
    #expect(found.shared(of: child.0) / mebibyte == 100)
  }

  @Test func `a program that is executed has memory of its own`() {
    var memory = member(100, sharing: 100, copiedPages: 9).0
    memory.setExecution(1, pid: 5)
    #expect(memory.hasExecuted(isForked: false, execution: 1))
    #expect(memory.hasExecuted(isForked: true, execution: 2))
    #expect(!memory.hasExecuted(isForked: true, execution: 1))
    // This user may not read it.
    #expect(!memory.hasExecuted(isForked: true, execution: 0))
    memory.leave(pid: 7, execution: 2)
    #expect(!memory.isForked && memory.family == 2 && memory.sharedBytes == 0)
    #expect(memory.changedBytes(privateBytes: 0, pages: pages) == 0)
    memory.leave(pid: 7, execution: 0)
    #expect(memory.family == 7)
  }
}
