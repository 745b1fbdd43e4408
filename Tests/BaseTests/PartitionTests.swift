import PerfHUDBase
import Testing

@Suite struct PartitionTests {
  @Test func `the border is found in a list of any length, and at both of its ends`() {
    for count in 0...9 {
      for border in 0...count {
        #expect(partitionPoint(count) { $0 < border } == border)
      }
    }
  }
}
