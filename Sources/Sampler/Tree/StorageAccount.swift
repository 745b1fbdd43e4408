/// Bytes that storage had to read and to write.
struct StorageBytes: BitwiseCopyable, Sendable, Equatable {
  var read: UInt64 = 0
  var written: UInt64 = 0

  static func &+= (sum: inout StorageBytes, other: StorageBytes) {
    sum.read &+= other.read
    sum.written &+= other.written
  }
}

/// What one process of a tree has read from storage and written to it. Pure.
///
/// When a child is waited for, the kernel adds its bytes to those of its parent. The file with them is read rarely, so
/// between the end of a child and the next read of its parent's file its bytes are kept here: they are neither missing
/// from the sum of the tree nor counted twice.
struct StorageAccount: BitwiseCopyable, Sendable {
  /// `read_bytes` and `write_bytes` of `/proc/PID/io`.
  private var counted = StorageBytes()
  /// The bytes of descendants that have vanished since that file was read.
  private var owed = StorageBytes()

  /// Whether the file has to be read again because descendants have vanished.
  var isOwed: Bool { owed != StorageBytes() }

  var total: StorageBytes {
    var sum = counted
    sum &+= owed
    return sum
  }

  /// Takes what was read after all vanished descendants had been noted.
  mutating func take(_ fields: IOFields) {
    counted = StorageBytes(read: fields.readBytes, written: fields.writeBytes)
    owed = StorageBytes()
  }

  /// Notes that a descendant that this process has waited for has vanished.
  mutating func owe(_ bytes: StorageBytes) { owed &+= bytes }
}
