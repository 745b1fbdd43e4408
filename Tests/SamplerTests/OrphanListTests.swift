import Testing

@testable import Sampler

/// Which children of this process are orphans of the command, and how those ended.
@Suite struct OrphanListTests {
  @Test func `the end of an orphan is told once`() {
    var list = OrphanList()
    let result1 = list.takeEnd(of: 10, session: 5, status: 256)
    #expect(result1)
    let result2 = list.takeEnd(of: 11, session: 5, status: 9)
    #expect(result2)
    let result3 = list.takeStatus(of: 10)
    #expect(result3 == 256)
    let result4 = list.takeStatus(of: 10)
    #expect(result4 == nil)
    let result5 = list.takeStatus(of: 11)
    #expect(result5 == 9)
    let result6 = list.takeStatus(of: 12)
    #expect(result6 == nil)
  }

  @Test func `a number that is given anew has no end from before`() {
    var list = OrphanList()
    let result7 = list.takeEnd(of: 10, session: 5, status: 9)
    #expect(result7)
    let result8 = list.takeEnd(of: 11, session: 5, status: 15)
    #expect(result8)
    let result9 = list.forget(10)
    #expect(!result9)
    let result10 = list.takeStatus(of: 10)
    #expect(result10 == nil)
    let result11 = list.takeStatus(of: 11)
    #expect(result11 == 15)
  }

  @Test func `of more ends than there is room the newest stay`() {
    var list = OrphanList()
    let count = Int32(OrphanList.capacity) + 10
    for pid in 1...count {
      let isOrphan = list.takeEnd(of: pid, session: 0, status: pid)
      #expect(isOrphan)
    }
    let result12 = list.takeStatus(of: 10)
    #expect(result12 == nil)
    let result13 = list.takeStatus(of: 11)
    #expect(result13 == 11)
    let result14 = list.takeStatus(of: count)
    #expect(result14 == count)
  }

  @Test func `a helper and its session are no orphans, also after its end`() {
    var list = OrphanList()
    list.add(helper: 20)
    #expect(list.isRunning(helper: 20))
    // Before it has its session, and after.
    #expect(list.isOther(20, session: 1) && list.isOther(20, session: 20))
    #expect(list.isOther(21, session: 20) && !list.isOther(21, session: 1))
    let result15 = list.takeEnd(of: 20, session: 20, status: 0)
    #expect(!result15)
    #expect(!list.isRunning(helper: 20))
    let result16 = list.takeStatus(of: 20)
    #expect(result16 == nil)
    #expect(list.isOther(21, session: 20))
    let result17 = list.takeEnd(of: 21, session: 20, status: 0)
    #expect(!result17)
  }

  @Test func `the number of a helper that has ended may become an orphan's`() {
    var list = OrphanList()
    list.add(helper: 20)
    let result18 = list.forget(20)
    #expect(!result18)
    list.forget(helper: 20)
    #expect(list.isRunning(helper: 20))
    let result19 = list.takeEnd(of: 20, session: 20, status: 0)
    #expect(!result19)
    let result20 = list.forget(20)
    #expect(result20)
    list.forget(helper: 20)
    #expect(!list.isOther(20, session: 20) && !list.isOther(21, session: 20))
    let result21 = list.takeEnd(of: 20, session: 20, status: 3)
    #expect(result21)
    let result22 = list.takeStatus(of: 20)
    #expect(result22 == 3)
  }

  @Test func `children from before are none, until their numbers are given anew`() {
    var list = OrphanList(inherited: [30])
    #expect(list.isOther(30, session: 1))
    let result23 = list.takeEnd(of: 30, session: 1, status: 0)
    #expect(!result23)
    let result24 = list.takeStatus(of: 30)
    #expect(result24 == nil)
    #expect(!list.isOther(30, session: 1))
    let result25 = list.takeEnd(of: 30, session: 1, status: 1)
    #expect(result25)
  }

  @Test func `there is room for 64 helpers that run; one that has ended makes room`() {
    var list = OrphanList()
    for pid in 1...Int32(OrphanList.helperCapacity) {
      #expect(list.hasRoom)
      list.add(helper: pid)
    }
    #expect(!list.hasRoom)
    let result26 = list.takeEnd(of: 5, session: 5, status: 0)
    #expect(!result26)
    #expect(list.hasRoom)
    list.add(helper: 1000)
    #expect(!list.hasRoom && list.isRunning(helper: 1000) && list.isRunning(helper: 1))
    #expect(!list.isOther(5, session: 5))
  }
}
