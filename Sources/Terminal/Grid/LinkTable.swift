/// The links of a screen (OSC 8) by number, up to a fixed limit; 0 is no link.
///
/// A new link costs one allocation; a known link, or no link, costs nothing.
struct LinkTable: ~Copyable {
  static let limit = 1024

  private var entries: [[UInt8]] = [[]]
  private var hashes: [UInt32] = [0]
  private var marks: [Bool] = []
  /// How many more new links are refused without another collection, after one that freed nothing.
  private var refusals = 0

  /// Whether another link only fits if an existing one is freed.
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

  /// The links by their numbers.
  struct Copy: Sendable {
    fileprivate var entries: [[UInt8]]
    fileprivate var hashes: [UInt32]

    /// The approximate memory that they take.
    var bytes: Int { entries.reduce(0) { $0 + $1.count + 32 } }
  }

  var copy: Copy { Copy(entries: entries, hashes: hashes) }

  mutating func restore(_ copy: Copy) {
    entries = copy.entries
    hashes = copy.hashes
  }

  /// Whether looking for links that no cell uses is worthwhile.
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
