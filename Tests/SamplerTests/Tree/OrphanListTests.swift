import Testing

@testable import Sampler

/// Which children of this process are orphans of the command, and how those ended.
@Suite struct OrphanListTests {
  @Test func `the end of an orphan is told once`() {
    var list = OrphanList()
    let areOrphans = [
      list.takeEnd(of: 10, session: 5, status: 256),
      list.takeEnd(of: 11, session: 5, status: 9),
    ]
    #expect(areOrphans == [true, true])
    let statuses = [
      list.takeStatus(of: 10),
      list.takeStatus(of: 10),
      list.takeStatus(of: 11),
      list.takeStatus(of: 12),
    ]
    #expect(statuses == [256, nil, 9, nil])
  }

  @Test func `a number that is given anew has no end from before`() {
    var list = OrphanList()
    let areOrphans = [
      list.takeEnd(of: 10, session: 5, status: 9),
      list.takeEnd(of: 11, session: 5, status: 15),
    ]
    #expect(areOrphans == [true, true])
    let wasHelper = list.forget(10)
    #expect(!wasHelper)
    let statuses = [
      list.takeStatus(of: 10),
      list.takeStatus(of: 11),
    ]
    #expect(statuses == [nil, 15])
  }

  @Test func `of more ends than there is room the newest stay`() {
    var list = OrphanList()
    let count = Int32(OrphanList.capacity) + 10
    for pid in 1...count {
      let isOrphan = list.takeEnd(of: pid, session: 0, status: pid)
      #expect(isOrphan)
    }
    let statuses = [
      list.takeStatus(of: 10),
      list.takeStatus(of: 11),
      list.takeStatus(of: count),
    ]
    #expect(statuses == [nil, 11, count])
  }

  @Test func `a helper and its session are no orphans, also after its end`() {
    var list = OrphanList()
    list.add(helper: 20)
    #expect(list.isRunning(helper: 20))
    // Before it has its session, and after.
    #expect(list.isOther(20, session: 1) && list.isOther(20, session: 20))
    #expect(list.isOther(21, session: 20) && !list.isOther(21, session: 1))
    let isOrphan = list.takeEnd(of: 20, session: 20, status: 0)
    #expect(!isOrphan)
    #expect(!list.isRunning(helper: 20))
    let status = list.takeStatus(of: 20)
    #expect(status == nil)
    #expect(list.isOther(21, session: 20))
    let isOrphanAfter = list.takeEnd(of: 21, session: 20, status: 0)
    #expect(!isOrphanAfter)
  }

  @Test func `the number of a helper that has ended may become an orphan's`() {
    var list = OrphanList()
    list.add(helper: 20)
    let wasHelper = list.forget(20)
    #expect(!wasHelper)
    list.forget(helper: 20)
    #expect(list.isRunning(helper: 20))
    let isOrphan = list.takeEnd(of: 20, session: 20, status: 0)
    #expect(!isOrphan)
    let wasHelperAfter = list.forget(20)
    #expect(wasHelperAfter)
    list.forget(helper: 20)
    #expect(!list.isOther(20, session: 20) && !list.isOther(21, session: 20))
    let isOrphanAfter = list.takeEnd(of: 20, session: 20, status: 3)
    #expect(isOrphanAfter)
    let status = list.takeStatus(of: 20)
    #expect(status == 3)
  }

  @Test func `children from before are none, until their numbers are given anew`() {
    var list = OrphanList(inherited: [30])
    #expect(list.isOther(30, session: 1))
    let isOrphan = list.takeEnd(of: 30, session: 1, status: 0)
    #expect(!isOrphan)
    let status = list.takeStatus(of: 30)
    #expect(status == nil)
    #expect(!list.isOther(30, session: 1))
    let isOrphanAfter = list.takeEnd(of: 30, session: 1, status: 1)
    #expect(isOrphanAfter)
  }

  @Test func `while a child is reaped its number is its own, and nothing of it is forgotten`() {
    var list = OrphanList()
    list.add(helper: 20)
    list.reaped = 20
    let isOrphan = list.takeEnd(of: 20, session: 20, status: 0)
    #expect(!isOrphan)
    let wasHelper = list.forget(20)
    #expect(!wasHelper && list.isOther(20, session: 20))
    list.reaped = 10
    let isOrphanToo = list.takeEnd(of: 10, session: 5, status: 9)
    #expect(isOrphanToo)
    let wasHelperToo = list.forget(10)
    #expect(!wasHelperToo)
    list.reaped = 0
    let status = list.takeStatus(of: 10)
    let wasHelperAfter = list.forget(20)
    #expect(status == 9 && wasHelperAfter)
  }

  @Test func `while a helper is started a new child is undecided, and nothing else is`() {
    let reaper = OrphanReaper(inherited: [])
    #expect(reaper.isOther(30, session: 1, isOwnChild: true) == false)
    let started = reaper.startHelper {
      // The tree asks from another thread meanwhile; no lock is held.
      #expect(reaper.isOther(30, session: 1, isOwnChild: true) == nil)
      #expect(reaper.isOther(30, session: 1, isOwnChild: false) == false)
      return 30
    }
    #expect(started == 30)
    #expect(reaper.isOther(30, session: 1, isOwnChild: true) == true)
    #expect(reaper.isOther(31, session: 1, isOwnChild: true) == false)
  }

  @Test func `there is room for 64 helpers that run; one that has ended makes room`() {
    var list = OrphanList()
    for pid in 1...Int32(OrphanList.helperCapacity) {
      #expect(list.hasRoom)
      list.add(helper: pid)
    }
    #expect(!list.hasRoom)
    let isOrphan = list.takeEnd(of: 5, session: 5, status: 0)
    #expect(!isOrphan)
    #expect(list.hasRoom)
    list.add(helper: 1000)
    #expect(!list.hasRoom && list.isRunning(helper: 1000) && list.isRunning(helper: 1))
    #expect(!list.isOther(5, session: 5))
  }
}
