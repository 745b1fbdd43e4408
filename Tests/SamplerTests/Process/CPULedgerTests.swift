import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// A made-up kernel: processes that run, end and are waited for, and the truth about all of them.
private struct Kernel {
  static let tick: UInt64 = 10_000_000

  struct Process {
    var parent: Int?
    var own: UInt64 = 0
    /// As the kernel keeps them, in nanoseconds; shown are whole ticks of each.
    var childrenUser: UInt64 = 0
    var childrenSystem: UInt64 = 0
    var isReaped = false

    var shownReaped: UInt64 {
      (childrenUser / Kernel.tick + childrenSystem / Kernel.tick) * Kernel.tick
    }
  }

  var processes = [Process(parent: nil)]
  /// CPU time that was ever used in the tree.
  var truth: UInt64 = 0

  mutating func fork(_ parent: Int) -> Int {
    processes.append(Process(parent: parent))
    return processes.count - 1
  }

  mutating func run(_ process: Int, _ nanoseconds: UInt64) {
    processes[process].own += nanoseconds
    truth += nanoseconds
  }

  /// Ends a process. `isWaitedFor` tells whether its parent takes its time over.
  mutating func reap(_ process: Int, isWaitedFor: Bool = true) {
    for child in processes.indices where processes[child].parent == process {
      processes[child].parent = nil
    }
    let ended = processes[process]
    processes[process].isReaped = true
    guard isWaitedFor, let parent = ended.parent else { return }
    let user = ended.own / 3
    processes[parent].childrenUser += user + ended.childrenUser
    processes[parent].childrenSystem += ended.own - user + ended.childrenSystem
  }
}

/// What reads the kernel: the steps of `ProcessTree`, without /proc.
private struct Reader {
  var ledger = CPULedger(tickNanoseconds: Kernel.tick)
  var accounts: [Int: CPUAccount] = [:]
  var parents: [Int: Int] = [:]

  /// - Parameter between: what happens when a part of the processes has been read.
  mutating func read(_ kernel: inout Kernel, _ between: (inout Kernel) -> Void = { _ in })
    -> UInt64
  {
    _ = ledger.takeWaiting()
    var vanished: [Int] = []
    let ids = kernel.processes.indices
    for id in ids {
      if id == ids.count / 2 { between(&kernel) }
      let process = kernel.processes[id]
      if process.isReaped {
        if accounts[id] != nil { vanished.append(id) }
        continue
      }
      accounts[id, default: CPUAccount()].own = process.own
      accounts[id]?.reaped = process.shownReaped
      parents[id] = process.parent
    }
    for id in vanished {
      guard let account = accounts.removeValue(forKey: id) else { continue }
      var heir = parents[id]
      while let found = heir, accounts[found] == nil || vanished.contains(found) {
        heir = parents[found]
      }
      if let heir {
        ledger.remove(account, heir: &accounts[heir]!)
      } else {
        ledger.remove(account)
      }
    }
    ledger.begin()
    for id in accounts.keys.sorted() { ledger.add(&accounts[id]!, hasReadReaped: true) }
    return ledger.end()
  }
}

@Suite struct CPULedgerTests {
  private let ms: UInt64 = 1_000_000

  @Test func `children that come and go between two readings are counted to a tick or two`() {
    var kernel = Kernel()
    var reader = Reader()
    _ = reader.read(&kernel)
    for _ in 0..<1000 {
      for _ in 0..<3 {
        let child = kernel.fork(0)
        kernel.run(child, 3_700_000)
        kernel.reap(child)
      }
      let total = reader.read(&kernel)
      #expect(total <= kernel.truth)
      #expect(kernel.truth - total < 2 * Kernel.tick)
    }
    #expect(reader.ledger.lost == 0)
  }

  @Test func `a child that was seen is counted once when it is waited for`() {
    var kernel = Kernel()
    var reader = Reader()
    let child = kernel.fork(0)
    kernel.run(child, 700 * ms)
    #expect(reader.read(&kernel) == 700 * ms)
    kernel.reap(child)
    for _ in 0..<5 { #expect(reader.read(&kernel) == 700 * ms) }
    #expect(reader.ledger.lost == 0)
  }

  @Test func `what a parent that does not wait loses stays as it was last seen`() {
    var kernel = Kernel()
    var reader = Reader()
    let child = kernel.fork(0)
    kernel.run(child, 300 * ms)
    _ = reader.read(&kernel)
    kernel.run(child, 50 * ms)
    kernel.reap(child, isWaitedFor: false)
    for _ in 0..<3 {
      #expect(reader.read(&kernel) == 300 * ms)
      kernel.run(0, 0)
    }
    kernel.run(0, 40 * ms)
    #expect(reader.read(&kernel) == 340 * ms)
    #expect(reader.ledger.lost == 300 * ms)
  }

  @Test func `an orphan keeps its time, alive and ended`() {
    var kernel = Kernel()
    var reader = Reader()
    let middle = kernel.fork(0)
    let orphan = kernel.fork(middle)
    kernel.run(orphan, 100 * ms)
    _ = reader.read(&kernel)
    kernel.reap(middle)
    kernel.run(orphan, 100 * ms)
    #expect(reader.read(&kernel) == 200 * ms)
    kernel.reap(orphan)
    #expect(reader.read(&kernel) == 200 * ms)
    #expect(reader.read(&kernel) == 200 * ms)
  }

  @Test func `a whole branch that ends between two readings goes to the ancestor that lives`() {
    var kernel = Kernel()
    var reader = Reader()
    let middle = kernel.fork(0)
    let leaf = kernel.fork(middle)
    kernel.run(leaf, 400 * ms)
    kernel.run(middle, 90 * ms)
    _ = reader.read(&kernel)
    kernel.reap(leaf)
    kernel.reap(middle)
    #expect(reader.read(&kernel) == 490 * ms)
    #expect(reader.read(&kernel) == 490 * ms)
    #expect(reader.ledger.lost == 0)
  }

  @Test func `a child that is waited for in the middle of a reading is not counted twice`() {
    var kernel = Kernel()
    var reader = Reader()
    let child = kernel.fork(0)
    kernel.run(child, 600 * ms)
    _ = reader.read(&kernel)
    // The parent has been read when its account changes, the child has not.
    #expect(reader.read(&kernel) { $0.reap(child) } == 600 * ms)
    #expect(reader.read(&kernel) == 600 * ms)
    kernel.run(0, 30 * ms)
    #expect(reader.read(&kernel) == 630 * ms)
    #expect(reader.ledger.lost == 0)
  }

  @Test func `what was used before a process was taken in late stays out, alive and waited for`() {
    var kernel = Kernel()
    var reader = Reader()
    _ = reader.read(&kernel)
    let child = kernel.fork(0)
    kernel.run(child, 900 * ms)
    reader.ledger.exclude(CPUAccount(own: 900 * ms))
    #expect(reader.read(&kernel) == 0)
    kernel.run(child, 100 * ms)
    #expect(reader.read(&kernel) == 100 * ms)
    kernel.reap(child)
    #expect(reader.read(&kernel) == 100 * ms)
  }

  @Test(arguments: 0..<30 as Range<UInt64>)
  func `random trees: the total never falls, never exceeds the truth, and lacks ticks only`(
    seed: UInt64
  ) {
    var numbers = SeededRandom(seed: seed)
    func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &numbers) }
    var kernel = Kernel()
    var reader = Reader()
    var last: UInt64 = 0
    for _ in 0..<300 {
      for _ in 0..<random(12) {
        let living = kernel.processes.indices.filter { !kernel.processes[$0].isReaped }
        let chosen = living[random(living.count)]
        // Whoever has children stays, so that all is waited for.
        let isLeaf = !living.contains { kernel.processes[$0].parent == chosen }
        switch random(4) {
        case 0 where living.count < 20: _ = kernel.fork(chosen)
        case 1 where chosen != 0 && isLeaf: kernel.reap(chosen)
        default: kernel.run(chosen, UInt64(random(40_000_000)))
        }
      }
      let total = reader.read(&kernel)
      #expect(total >= last)
      #expect(total <= kernel.truth)
      let living = kernel.processes.count { !$0.isReaped }
      #expect(kernel.truth - total < UInt64(living) * 2 * Kernel.tick)
      last = total
    }
    #expect(reader.ledger.lost == 0)
  }

  @Test func `a sum of counters keeps what a process took along`() {
    var sum = MonotoneSum()
    #expect(sum.update(10) == 10)
    #expect(sum.update(25) == 25)
    #expect(sum.update(5) == 25)
    #expect(sum.update(9) == 29)
    #expect(sum.update(0) == 29)
  }
}
