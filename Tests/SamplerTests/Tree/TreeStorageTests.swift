import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// What a tree has read from storage and written to it, where processes with their share end.
@Suite struct TreeStorageTests {
  /// Samples with all files due that are read rarely; of large trees a part is read in each sample.
  private func sample(_ sampler: inout ProcessSampler, isDue: Bool) -> StorageBytes {
    let due = Instant(nanoseconds: isDue ? 0 : .max)
    sampler.due.lowRate = due
    sampler.due.io = due
    let sample = sampler.sample()
    return StorageBytes(read: sample.readBytes.value ?? 0, written: sample.writeBytes.value ?? 0)
  }

  /// Reads the files of all members.
  private func sampleAll(_ sampler: inout ProcessSampler, of members: Int) -> StorageBytes {
    _ = sample(&sampler, isDue: true)
    for _ in 0...members / ProcessTree.lowRateSlice { _ = sample(&sampler, isDue: false) }
    return sample(&sampler, isDue: true)
  }

  private func made(_ members: ClosedRange<Int32>) throws -> MadeProcesses {
    let processes = try MadeProcesses()
    try processes.write(100, parent: 1, read: 1000, written: 2000)
    for pid in members { try processes.write(pid, parent: 100, read: 10, written: 20) }
    return processes
  }

  @Test func `bytes of a child that has ended are counted once in a tree of 150 processes`() throws
  {
    let processes = try made(101...249)
    // The shell is among the members that are read last, so its file is read after the sum.
    try processes.write(240, parent: 100, read: 1_000, written: 2_000)
    try processes.write(245, parent: 240, read: 50_000, written: 100_000)
    let truth = StorageBytes(
      read: 1000 + 147 * 10 + 1_000 + 50_000, written: 2000 + 147 * 20 + 2_000 + 100_000)
    var sampler = try ProcessSampler(
      pid: 100, options: SamplerOptions(pss: .off, includesChildren: true), root: processes.root)
    #expect(sampleAll(&sampler, of: 149) == truth)

    // The shell has waited for its child, whose number another process has now.
    try processes.write(245, parent: 1, start: 2000)
    try processes.write(240, parent: 100, read: 51_000, written: 102_000)
    #expect(sample(&sampler, isDue: true) == truth)
    #expect(sampleAll(&sampler, of: 148) == truth)

    try processes.write(240, parent: 100, read: 51_700, written: 102_000)
    #expect(sampleAll(&sampler, of: 148).read == truth.read + 700)
  }

  @Test func `a child that ends in the sample that reads the root is counted once`() throws {
    let processes = try made(101...102)
    try processes.write(102, parent: 100, read: 50_000)
    var sampler = try ProcessSampler(
      pid: 100, options: SamplerOptions(pss: .off, includesChildren: true), root: processes.root)
    #expect(sampleAll(&sampler, of: 2).read == 51_010)
    try processes.write(102, parent: 1, start: 2000)
    try processes.write(100, parent: 1, read: 51_000, written: 2000)
    #expect(sample(&sampler, isDue: true).read == 51_010)
    try processes.write(100, parent: 1, read: 51_005, written: 2000)
    #expect(sample(&sampler, isDue: true).read == 51_015)
  }

  @Test func `what a branch has that ended as a whole goes to the ancestor that lives`() throws {
    let processes = try made(101...103)
    try processes.write(102, parent: 101, read: 500)
    try processes.write(103, parent: 102, read: 7_000)
    var sampler = try ProcessSampler(
      pid: 100, options: SamplerOptions(pss: .off, includesChildren: true), root: processes.root)
    #expect(sampleAll(&sampler, of: 3).read == 1000 + 10 + 500 + 7_000)
    for pid: Int32 in 102...103 { try processes.write(pid, parent: 1, start: 2000) }
    try processes.write(101, parent: 100, read: 7_510)
    #expect(sample(&sampler, isDue: true).read == 8_510)
    #expect(sampleAll(&sampler, of: 1).read == 8_510)
  }

  @Test func `an account drops what it is owed once its file was read again`() throws {
    var account = StorageAccount()
    account.owe(StorageBytes(read: 5, written: 7))
    #expect(account.isOwed)
    #expect(account.total == StorageBytes(read: 5, written: 7))
    let fields = try #require(parse("read_bytes: 6\nwrite_bytes: 8\n", as: IOFields.self))
    account.take(fields)
    #expect(!account.isOwed)
    #expect(account.total == StorageBytes(read: 6, written: 8))
  }

  @Test func `after bytes that another process waited for, further ones still count`() throws {
    let processes = try made(101...102)
    try processes.write(102, parent: 101, read: 7_000)
    var sampler = try ProcessSampler(
      pid: 100, options: SamplerOptions(pss: .off, includesChildren: true), root: processes.root)
    #expect(sampleAll(&sampler, of: 2).read == 1000 + 10 + 7_000)
    try processes.write(102, parent: 1, start: 2000)
    #expect(sample(&sampler, isDue: true).read == 8_010)
    try processes.write(101, parent: 100, read: 30)
    #expect(sampleAll(&sampler, of: 1).read == 8_030)
    try processes.write(101, parent: 100, read: 50)
    #expect(sampleAll(&sampler, of: 1).read == 8_050)
  }
}
