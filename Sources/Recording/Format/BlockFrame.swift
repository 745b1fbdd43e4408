import PerfHUDBase

/// The frame around each block of a file: marker, kind, length, number, first time, checksum.
///
/// The checksum covers everything after the marker except itself. All integers are little-endian.
struct BlockFrame: Equatable {
  enum Kind: UInt8 {
    case header
    case records
    case index
  }

  /// The first bytes of a file.
  static let magic: [UInt8] = Array("perfhud record\r\n".utf8)
  static let marker: [UInt8] = [0xF5, 0x50, 0x48, 0x55, 0x44, 0xFA]
  static let headBytes = 27
  /// A block of records is ended once it reaches this number of bytes.
  static let limit = 65536
  /// A longer block is not valid. A list of processes may exceed `limit`, and so may an index.
  static let readLimit = 1 << 20

  /// `nil` for a kind of a newer perfhud, which is skipped.
  var kind: Kind?
  var length: Int
  var number: UInt32
  var time: UInt64
  private var checksum: UInt32

  /// Fills in the frame at the start of a block.
  static func fill(_ bytes: inout [UInt8], _ kind: Kind, number: UInt32, time: UInt64) {
    for index in marker.indices { bytes[index] = marker[index] }
    bytes[6] = kind.rawValue
    bytes.put(littleEndian: UInt32(clamping: bytes.count - headBytes), at: 7)
    bytes.put(littleEndian: number, at: 11)
    bytes.put(littleEndian: time, at: 15)
    bytes.put(littleEndian: checksum(of: unsafe bytes.span.bytes), at: 23)
  }

  /// Changes the number of a block of records.
  static func renumber(_ bytes: inout [UInt8], _ number: UInt32) {
    guard let frame = BlockFrame(bytes, at: 0), let kind = frame.kind else { return }
    fill(&bytes, kind, number: number, time: frame.time)
  }

  /// Reads the head of a block at an offset; `nil` if there is none.
  init?(_ bytes: [UInt8], at offset: Int) {
    guard bytes.count - offset >= BlockFrame.headBytes else { return nil }
    for index in BlockFrame.marker.indices where bytes[offset + index] != BlockFrame.marker[index] {
      return nil
    }
    var reader = ByteReader(bytes, from: offset + 6)
    guard let kind = reader.byte(), let length = reader.integer(UInt32.self),
      let number = reader.integer(UInt32.self), let time = reader.integer(UInt64.self),
      let checksum = reader.integer(UInt32.self), length <= BlockFrame.readLimit
    else { return nil }
    self.kind = Kind(rawValue: kind)
    self.length = Int(length)
    self.number = number
    self.time = time
    self.checksum = checksum
  }

  /// The number of bytes including the head.
  var totalBytes: Int { BlockFrame.headBytes + length }

  /// Whether the checksum matches the bytes.
  func isIntact(_ bytes: [UInt8], at offset: Int) -> Bool {
    guard bytes.count - offset >= totalBytes else { return false }
    let block = unsafe bytes.span.bytes.extracting(offset..<offset + totalBytes)
    return BlockFrame.checksum(of: block) == checksum
  }

  private static func checksum(of block: RawSpan) -> UInt32 {
    let head = CRC32C.checksum(block.extracting(6..<23))
    return CRC32C.checksum(block.extracting(headBytes..<block.byteCount), continuing: head)
  }
}
