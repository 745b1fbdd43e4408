import Glibc

// The same in a debug build as by loops over elements, and far faster: pictures are compared all the time.
extension [UInt8] {
  /// Whether both hold the same bytes.
  func isSame(as other: [UInt8]) -> Bool { count == other.count && isSame(at: 0, as: other) }

  /// Whether the bytes from a place on are the other ones.
  func isSame(at place: Int, as other: [UInt8]) -> Bool {
    isSame(place..<place + other.count, as: other, at: 0)
  }

  /// Whether a range holds the same bytes as the other ones from a place on.
  func isSame(_ range: Range<Int>, as other: [UInt8], at place: Int) -> Bool {
    precondition(range.upperBound <= count && place + range.count <= other.count)
    return unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { theirs in
        guard !range.isEmpty, let a = mine.baseAddress, let b = theirs.baseAddress else {
          return true
        }
        return unsafe memcmp(a + range.lowerBound, b + place, range.count) == 0
      }
    }
  }

  /// Where the text stands first, at or after a place.
  func firstRange(of text: String, from start: Int) -> Range<Int>? {
    let sought = Array(text.utf8)
    guard let first = sought.first else { return nil }
    var start = start
    while start + sought.count <= count {
      let found = unsafe withUnsafeBytes { bytes -> Int? in
        guard let base = bytes.baseAddress,
          let place = unsafe memchr(base + start, Int32(first), bytes.count - start)
        else { return nil }
        return unsafe UnsafeRawPointer(place) - base
      }
      guard let found, found + sought.count <= count else { return nil }
      if isSame(at: found, as: sought) { return found..<found + sought.count }
      start = found + 1
    }
    return nil
  }

  /// The lines, without their ends; a last line without an end counts.
  var lines: [String] {
    var result: [String] = []
    var start = 0
    while start < count {
      let end = firstRange(of: "\n", from: start)?.lowerBound ?? count
      result.append(String(decoding: self[start..<end], as: UTF8.self))
      start = end + 1
    }
    return result
  }
}
