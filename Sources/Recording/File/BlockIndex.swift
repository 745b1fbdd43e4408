/// Where blocks begin, and the first time of each. For a long file it contains only every second, fourth, … block, so
/// that its size is bounded.
package struct BlockIndex: Equatable, Sendable {
  package struct Entry: Equatable, Sendable, BitwiseCopyable {
    /// Where the block begins, in bytes from the start of the file.
    package var offset: UInt64
    /// The first time in the block, in nanoseconds.
    package var time: UInt64
  }

  package private(set) var entries: [Entry] = []
  private var stride = 1
  private var untilNext = 0

  private static let capacity = 4096
  /// A complete file ends with these bytes and the offset of its index.
  static let trailer: [UInt8] = Array("PHIX".utf8)
  static let trailerBytes = 12

  init() { entries.reserveCapacity(BlockIndex.capacity) }

  /// Adds a block. Complexity: constant on average, without allocation.
  mutating func add(offset: UInt64, time: UInt64) {
    if untilNext > 0 {
      untilNext -= 1
      return
    }
    if entries.count == BlockIndex.capacity { thinOut() }
    entries.append(Entry(offset: offset, time: time))
    untilNext = stride - 1
  }

  private mutating func thinOut() {
    for index in 0..<BlockIndex.capacity / 2 { entries[index] = entries[2 * index] }
    entries.removeLast(BlockIndex.capacity / 2)
    stride *= 2
  }

  /// Appends the entries as differences from the previous ones.
  func append(to bytes: inout [UInt8]) {
    var last = Entry(offset: 0, time: 0)
    for entry in entries {
      bytes.append(varint: entry.offset &- last.offset)
      bytes.append(varint: zigzag(entry.time &- last.time))
      last = entry
    }
  }

  /// - Returns: `nil` if the index is damaged.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    var last = Entry(offset: 0, time: 0)
    while !reader.isAtEnd {
      guard let offset = reader.varint(), let time = reader.varint() else { return nil }
      last = Entry(offset: last.offset &+ offset, time: last.time &+ unzigzag(time))
      entries.append(last)
    }
  }
}
