import Testing

@testable import Sampler

/// Numbered directories, as `getdents64(2)` lists them.
@Suite struct NumberedFilesTests {
  @Test func `entries of a directory that are numbers are found, with their places`() {
    let bytes = entries([("self", 9), ("17", 33), ("x", 2), ("4294967296", 3), ("99", 44)])
    var found: [(Int32, UInt64)] = []
    var cursor = DirectoryEntries()
    while let entry = unsafe cursor.nextNumber(in: bytes.span.bytes) {
      found.append((entry.number, entry.next))
    }
    #expect(found.map(\.0) == [17, 99])
    #expect(found.map(\.1) == [33, 44])
  }

  /// `struct linux_dirent64`: inode, place of the next one, length, type, name.
  private func entries(_ names: [(String, UInt8)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (name, next) in names {
      var entry = [UInt8](repeating: 0, count: 32)
      entry[8] = next
      entry[16] = 32
      for (index, byte) in name.utf8.enumerated() { entry[19 + index] = byte }
      bytes += entry
    }
    return bytes
  }
}
