import PerfHUDBase
import Testing

@Suite struct RingIndexTests {
  @Test func `of 7 elements in a ring of 3 the newest 3 are there, newest first`() {
    var ring = RingIndex<3>()
    var elements = [0, 0, 0]
    for element in 1...7 {
      elements[ring.advance()] = element
      #expect(ring.count == min(element, 3))
      let ages = (0..<ring.count).map { elements[ring.slot(age: $0)] }
      #expect(ages == Array((1...element).suffix(3).reversed()))
    }
  }

  @Test func `an emptied ring begins anew`() {
    var ring = RingIndex<3>()
    _ = ring.advance()
    ring.removeAll()
    #expect(ring.count == 0)
    let slot = ring.advance()
    #expect(ring.slot(age: 0) == slot && ring.count == 1)
  }
}

@Suite struct FNV1aTests {
  @Test(
    arguments: [
      ("", 0xCBF2_9CE4_8422_2325), ("a", 0xAF63_DC4C_8601_EC8C), ("foobar", 0x8594_4171_F739_67E8),
    ] as [(String, UInt64)])
  func `the hash of known texts`(text: String, hash: UInt64) {
    var one = FNV1a()
    for byte in text.utf8 { one.combine(byte) }
    #expect(one.value == hash)
    var whole = FNV1a()
    unsafe whole.combine(Array(text.utf8).span.bytes)
    #expect(whole.value == hash)
  }
}
