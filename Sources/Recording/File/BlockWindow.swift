import PerfHUDBase
import SystemPackage

/// The part of a file that is in memory. Finds the next intact block.
struct BlockWindow {
  private var bytes: [UInt8] = []
  /// The index in `bytes` of the first byte that is not consumed.
  private var offset = 0
  /// The position of that byte in the file.
  private(set) var position: UInt64
  private var isAtEnd = false
  /// Why reading failed; the file ends there.
  private(set) var failure: Errno?
  /// The number of bytes at the end that are not a block.
  private(set) var tail = 0
  /// The number of bytes whose checksum did not match their head.
  private(set) var vainBytes: UInt64 = 0
  /// The number of consumed bytes.
  private var consumed: UInt64 = 0

  /// The maximum number of bytes checked in vain, in excess of the consumed bytes, before the rest of the file is given
  /// up. Each damaged block is checked in vain once. Heads of nested blocks, which nobody writes but anyone can forge,
  /// would take a time proportional to the square of their number.
  static let vainLimit: UInt64 = 4 << 20
  /// The number of bytes read at once.
  private static let piece = 65536

  init(position: UInt64 = 0) { self.position = position }

  var isEmpty: Bool { offset == bytes.count }

  func starts(with other: [UInt8]) -> Bool { bytes[offset...].starts(with: other) }

  mutating func consume(_ count: Int) {
    offset += count
    position += UInt64(count)
    consumed += UInt64(count)
  }

  /// The content of a block after its head. The block begins at the first byte that is not consumed.
  func payload(_ frame: BlockFrame) -> [UInt8] {
    Array(bytes[offset + BlockFrame.headBytes..<offset + frame.totalBytes])
  }

  /// Reads until this many bytes are available, or the file ends.
  mutating func fill(from input: borrowing Descriptor, atLeast count: Int) {
    while bytes.count - offset < count, !isAtEnd {
      if offset > 0 {
        bytes.removeFirst(offset)
        offset = 0
      }
      let old = bytes.count
      bytes.append(contentsOf: repeatElement(0, count: BlockWindow.piece))
      var read = 0
      do {
        read = try unsafe bytes.withUnsafeMutableBytes {
          try unsafe input.readNext(into: UnsafeMutableRawBufferPointer(rebasing: $0[old...]))
        }
      } catch {
        failure = error as? Errno ?? .ioError
      }
      bytes.removeLast(BlockWindow.piece - read)
      isAtEnd = read == 0
    }
  }

  /// Finds the next intact block. Afterward it begins at the first byte that is not consumed.
  ///
  /// - Returns: the block, and the number of bytes before it that do not belong to a block; `nil` at the end of the
  ///   file.
  mutating func next(from input: borrowing Descriptor) -> (frame: BlockFrame, skipped: Int)? {
    var skipped = 0
    while true {
      fill(from: input, atLeast: BlockFrame.headBytes)
      if bytes.count - offset < BlockFrame.headBytes { break }
      if let frame = BlockFrame(bytes, at: offset) {
        fill(from: input, atLeast: frame.totalBytes)
        if frame.isIntact(bytes, at: offset) { return (frame, skipped) }
        if bytes.count - offset >= frame.totalBytes { vainBytes += UInt64(frame.totalBytes) }
        if vainBytes > BlockWindow.vainLimit + consumed {
          isAtEnd = true
          break
        }
      }
      // The marker begins with a byte that text does not contain.
      let rest = bytes[(offset + 1)...]
      let next = rest.firstIndex(of: BlockFrame.marker[0]) ?? bytes.count
      skipped += next - offset
      consume(next - offset)
    }
    tail = skipped + bytes.count - offset
    return nil
  }
}
