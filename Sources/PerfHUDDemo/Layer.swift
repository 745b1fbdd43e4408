import Glibc

/// A layer of the picture: memory of its own, which goes back to the system as soon as it is let go.
///
/// Source: `mmap(2)`; an allocator might keep it for later, and the tour is to show what is given back.
@safe struct Layer: ~Copyable {
  private let start: UnsafeMutableRawPointer
  let bytes: Int

  /// - Returns: `nil` if there is no memory.
  init?(mebibytes: Int) {
    bytes = mebibytes << 20
    let wanted = unsafe mmap(
      nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let wanted = unsafe wanted, unsafe wanted != MAP_FAILED else { return nil }
    unsafe start = wanted
    // Memory counts from the first time that it is written to.
    var offset = 0
    while offset < bytes {
      unsafe start.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
      offset += 4096
    }
  }

  deinit { unsafe munmap(start, bytes) }
}
