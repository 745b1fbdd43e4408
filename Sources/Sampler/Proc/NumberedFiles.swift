import CLinux
import Glibc
import PerfHUDBase

/// Files in the numbered directories of processes or threads: in `/proc`, or in `task` of a process.
enum NumberedFiles {
  /// Opens the file `NUMBER` + `name`; -1 and `errno` if it cannot be opened. Source: `openat(2)`.
  ///
  /// - Parameter name: begins with a slash.
  static func open(_ number: Int32, _ name: StaticString, in directory: Int32) -> Int32 {
    var path = InlineText<32>()
    path.append(decimal: Int(number))
    path.append(name)
    path.append(0)
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { text in
      for index in 0..<path.count { unsafe text[index] = CChar(bitPattern: path[index]) }
      guard let start = text.baseAddress else { return -1 }
      return unsafe openat(directory, start, O_RDONLY | O_CLOEXEC)
    }
  }

  /// The fields of such a file; `nil` if it cannot be read or is malformed. Source: `pread(2)`.
  static func read<Fields: ProcFields>(
    _ number: Int32, _ name: StaticString, in directory: Int32,
    into buffer: UnsafeMutableRawBufferPointer, as fields: Fields.Type
  ) -> Fields? {
    let file = open(number, name, in: directory)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
    return count > 0
      ? unsafe Fields(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes) : nil
  }

  /// Calls `body` with each numeric name in a directory, in the order of the listing.
  ///
  /// - Returns: whether the directory can be opened.
  @discardableResult
  static func forEach(in path: String, _ body: (Int32) -> Void) -> Bool {
    let raw = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { return false }
    let directory = Descriptor(owning: raw)
    unsafe withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 8) { buffer in
      while let start = buffer.baseAddress {
        let length = unsafe perfhud_getdents64(directory.raw, start, buffer.count)
        guard length > 0 else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(length)).bytes
        var entries = DirectoryEntries()
        while let entry = entries.nextNumber(in: bytes) { body(entry.number) }
      }
    }
    return true
  }
}

/// The entries of a directory whose names are numbers, as `struct linux_dirent64`: the offset of the next entry is
/// at byte 8, the length at byte 16, the name begins at byte 19. Source: `getdents64(2)`.
struct DirectoryEntries: BitwiseCopyable {
  private var position = 0

  struct Entry: BitwiseCopyable {
    var number: Int32
    /// The offset of the entry after this one, for `lseek(2)`.
    var next: UInt64
  }

  /// The next entry whose name begins with a digit; `nil` after the last one.
  mutating func nextNumber(in bytes: RawSpan) -> Entry? {
    while position + 19 < bytes.byteCount {
      let start = position
      let length =
        Int(FieldCursor.byte(at: start + 16, in: bytes))
        + Int(FieldCursor.byte(at: start + 17, in: bytes)) << 8
      position = length > 0 ? start + length : bytes.byteCount
      var cursor = FieldCursor(position: start + 19)
      if let number = cursor.nextUnsigned(in: bytes), let pid = Int32(exactly: number) {
        let next = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
        return Entry(number: pid, next: next)
      }
    }
    return nil
  }
}
