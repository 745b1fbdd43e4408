import Testing

@testable import Sampler

/// The CPU time that the kernel has counted of a process that has ended.
@Suite struct SampleEndTests {
  private func sample(_ nanoseconds: Reading<UInt64>) -> Sample {
    var sample = Sample()
    sample.cpuNanoseconds = nanoseconds
    return sample
  }

  @Test(
    arguments: [(500, 570, 570), (570, 570, 570), (600, 570, 600)] as [(UInt64, UInt64, UInt64)])
  func `read, counted: the larger one`(read: UInt64, counted: UInt64, shown: UInt64) {
    var sample = sample(.value(read))
    sample.raiseCPU(toNanoseconds: counted, includesDescendants: true)
    #expect(sample.cpuNanoseconds.value == shown)
  }

  @Test func `a sample without descendants keeps what was read of the process alone`() {
    var sample = sample(.value(500))
    sample.raiseCPU(toNanoseconds: 570, includesDescendants: false)
    #expect(sample.cpuNanoseconds.value == 500)
  }

  @Test func `what could not be read stays without a value`() {
    var sample = sample(.absent(.permission))
    sample.raiseCPU(toNanoseconds: 570, includesDescendants: true)
    #expect(sample.cpuNanoseconds.value == nil)
  }
}
