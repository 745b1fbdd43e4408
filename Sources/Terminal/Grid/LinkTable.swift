/// The links of a screen (OSC 8) by number, up to a fixed limit; 0 is no link.
///
/// A link that is new costs one allocation; one that is known, and none at all, cost nothing.
struct LinkTable: ~Copyable {
  static let limit = 1024

  private var entries: [[UInt8]] = [[]]
  private var hashes: [UInt32] = [0]
  private var marks: [Bool] = []
  /// The number of new links that are refused without another collection, after one that freed nothing.
  private var refusals = 0

  /// Whether no further link finds a place without another being given up.
  var isFull: Bool { entries.count >= LinkTable.limit && !hashes.dropFirst().contains(0) }

  subscript(number: UInt16) -> [UInt8] {
    Int(number) < entries.count ? entries[Int(number)] : []
  }

  /// The number of a link; `nil` if the table is full.
  mutating func number(of link: UnsafeBufferPointer<UInt8>) -> UInt16? {
    var hash: UInt32 = 0x811C_9DC5
    for index in link.indices {
      hash = unsafe (hash ^ UInt32(link[index])) &* 0x0100_0193
    }
    hash |= 1  // 0 marks a free number
    for index in 1..<max(1, hashes.count) where hashes[index] == hash {
      if unsafe entries[index].elementsEqual(link) { return UInt16(index) }
    }
    if let free = hashes.dropFirst().firstIndex(of: 0) {
      hashes[free] = hash
      unsafe entries[free] = Array(link)
      return UInt16(free)
    }
    guard entries.count < LinkTable.limit else { return nil }
    hashes.append(hash)
    unsafe entries.append(Array(link))
    return UInt16(entries.count - 1)
  }

  /// Whether it is worth looking for links that no cell has.
  mutating func beginCollection() -> Bool {
    if refusals > 0 {
      refusals -= 1
      return false
    }
    marks = Array(repeating: false, count: entries.count)
    return true
  }

  mutating func mark(_ number: UInt16) {
    if Int(number) < marks.count { marks[Int(number)] = true }
  }

  mutating func endCollection() {
    var freed = 0
    for index in 1..<max(1, entries.count) where !marks[index] {
      entries[index] = []
      hashes[index] = 0
      freed += 1
    }
    if freed == 0 { refusals = LinkTable.limit }
  }
}
