import Glibc

/// A block of plain values of fixed length, for the hot state of a screen.
///
/// Indices are checked in debug builds only, which the tests and the parser's fuzzing use. For each cell the check
/// would cost more than the work that it guards.
@safe struct UncheckedBuffer<Element: BitwiseCopyable>: ~Copyable {
  private let base: UnsafeMutablePointer<Element>
  let count: Int
  private let isOwner: Bool

  init(repeating value: Element, count: Int) {
    self.init(zeroed: count)
    unsafe base.update(repeating: value, count: count)
  }

  /// Makes a block with all bits 0. A page that is never written is never touched.
  init(zeroed count: Int) {
    let length = max(1, count)
    guard let memory = unsafe calloc(length, MemoryLayout<Element>.stride) else {
      preconditionFailure("out of memory")
    }
    unsafe base = memory.bindMemory(to: Element.self, capacity: length)
    self.count = count
    isOwner = true
  }

  /// Uses memory that has another owner and outlives the block.
  init(sharing memory: UnsafeMutablePointer<Element>, count: Int) {
    unsafe base = memory
    self.count = count
    isOwner = false
  }

  deinit { if isOwner { unsafe free(base) } }

  @inline(__always) subscript(index: Int) -> Element {
    get {
      assert(index >= 0 && index < count)
      return unsafe base[index]
    }
    nonmutating _modify {
      assert(index >= 0 && index < count)
      yield unsafe &base[index]
    }
  }

  /// Sets `length` values from `start` on.
  @inline(__always) func fill(_ start: Int, _ length: Int, with value: Element) {
    assert(start >= 0 && length >= 0 && start + length <= count)
    unsafe (base + start).update(repeating: value, count: length)
  }

  /// Copies `length` values; the ranges may overlap.
  @inline(__always) func move(from source: Int, to target: Int, _ length: Int) {
    assert(source >= 0 && target >= 0 && length >= 0)
    assert(source + length <= count && target + length <= count)
    unsafe (base + target).update(from: base + source, count: length)
  }

  /// Copies values of another block.
  func copy(
    from other: borrowing UncheckedBuffer<Element>, _ source: Int, to target: Int, _ length: Int
  ) {
    assert(source + length <= other.count && target + length <= count)
    unsafe (base + target).update(from: other.base + source, count: length)
  }

  /// The first values, valid while the block lives.
  func prefix(_ length: Int) -> UnsafeBufferPointer<Element> {
    unsafe UnsafeBufferPointer(start: base, count: min(length, count))
  }
}

extension UncheckedBuffer where Element == UInt8 {
  /// The first bytes, valid while the block lives.
  func rawBytes(_ length: Int) -> UnsafeRawBufferPointer {
    assert(length >= 0 && length <= count)
    return unsafe UnsafeRawBufferPointer(start: base, count: length)
  }

  /// Writes a character beyond ASCII in UTF-8; U+FFFD if it is not a character.
  ///
  /// - Returns: the index after it.
  func addUTF8(_ scalar: UInt32, at start: Int) -> Int {
    let isCharacter = scalar &- 0xD800 >= 0x800 && scalar <= 0x10_FFFF
    let scalar = isCharacter ? scalar : 0xFFFD
    let length = scalar < 0x800 ? 2 : scalar < 0x1_0000 ? 3 : 4
    let lead: UInt32 = length == 2 ? 0xC0 : length == 3 ? 0xE0 : 0xF0
    var rest = scalar
    for place in (start + 1..<start + length).reversed() {
      self[place] = 0x80 | UInt8(truncatingIfNeeded: rest) & 0x3F
      rest >>= 6
    }
    self[start] = UInt8(truncatingIfNeeded: lead | rest)
    return start + length
  }

  /// A part that can be written to, valid while the block lives.
  func rawSpace(from start: Int, _ length: Int) -> UnsafeMutableRawBufferPointer {
    assert(start >= 0 && length >= 0 && start + length <= count)
    return unsafe UnsafeMutableRawBufferPointer(start: base + start, count: length)
  }
}

extension UncheckedBuffer where Element == Cell {
  /// The number of cells that are written at once: after the last cell there must be room for `block - 1` more.
  static let block = 8

  /// Turns eight bytes of ASCII into cells.
  @inline(__always) func store(_ bytes: UInt64, _ bits: UInt64, at start: Int) {
    assert(start >= 0 && start + 8 <= count)
    unsafe UnsafeMutableRawPointer(base + start)
      .storeBytes(of: UncheckedBuffer.cells(bytes, bits), as: SIMD8<UInt64>.self)
  }

  /// Turns the first `length` of eight bytes of ASCII into cells, and leaves the cells after them as they are.
  ///
  /// No branch depends on how many there are, because that cannot be predicted and would cost the most.
  @inline(__always) func store(_ bytes: UInt64, _ bits: UInt64, at start: Int, first length: Int) {
    assert(start >= 0 && start + 8 <= count && length > 0 && length < 8)
    let place = unsafe UnsafeMutableRawPointer(base + start)
    let chosen = UInt64(1) &<< UInt64(truncatingIfNeeded: length &* 8) &- 1
    let mask = SIMD8<Int64>(truncatingIfNeeded: unsafe unsafeBitCast(chosen, to: SIMD8<Int8>.self))
    let wide = unsafe unsafeBitCast(mask, to: SIMD8<UInt64>.self)
    let old = unsafe place.loadUnaligned(as: SIMD8<UInt64>.self)
    unsafe place.storeBytes(
      of: (UncheckedBuffer.cells(bytes, bits) & wide) | (old & ~wide), as: SIMD8<UInt64>.self)
  }

  @inline(__always) private static func cells(_ bytes: UInt64, _ bits: UInt64) -> SIMD8<UInt64> {
    let narrow = unsafe unsafeBitCast(bytes.littleEndian, to: SIMD8<UInt8>.self)
    return SIMD8<UInt64>(truncatingIfNeeded: narrow) | SIMD8<UInt64>(repeating: bits)
  }
}
