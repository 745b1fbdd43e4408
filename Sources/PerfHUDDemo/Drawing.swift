import Glibc

/// What is drawn on the canvas: dots of color on a grid from 0 to 1 in both directions.
struct Drawing {
  struct Dot {
    /// From 0 to 1, from the left and from the top.
    var x: Double
    var y: Double
    /// An index into the 256 colors.
    var color: UInt8
  }

  /// The dots since the last frame.
  private(set) var fresh: [Dot] = []
  /// The last dots, for drawing the whole screen again.
  private(set) var recent: [Dot] = []
  private(set) var pen = Dot(x: 0.5, y: 0.5, color: 208)
  private let picture: Int

  private static let recentLimit = 2000
  private static let colors: [UInt8] = [208, 214, 220, 190, 118, 80, 75, 99, 177, 205]

  init(picture: Int = 0) { self.picture = picture }

  /// Moves the pen along the picture's own shape, `seconds` after the start.
  mutating func movePen(to seconds: Double) {
    let ratios = [(3.0, 2.0), (5.0, 4.0), (1.0, 2.0), (5.0, 3.0), (4.0, 3.0), (3.0, 5.0)]
    let (a, b) = ratios[picture % ratios.count]
    let x = 0.5 + 0.46 * sin(a * seconds * 0.7 + 0.5)
    let y = 0.5 + 0.46 * sin(b * seconds * 0.7)
    put(Dot(x: x, y: y, color: color(at: seconds)))
  }

  /// Moves the pen by a key.
  mutating func push(_ key: Studio.Key) {
    var dot = pen
    switch key {
    case .up: dot.y = max(0, dot.y - 0.04)
    case .down: dot.y = min(1, dot.y + 0.04)
    case .left: dot.x = max(0, dot.x - 0.02)
    case .right: dot.x = min(1, dot.x + 0.02)
    default: return
    }
    put(dot)
  }

  /// The dots since the last call.
  mutating func takeFresh() -> [Dot] {
    defer { fresh.removeAll(keepingCapacity: true) }
    return fresh
  }

  /// Draws a line from the pen to the dot.
  private mutating func put(_ dot: Dot) {
    let far = max(abs(dot.x - pen.x) * 100, abs(dot.y - pen.y) * 40)
    let steps = isEmpty ? 1 : max(1, min(20, Int(far)))
    for step in 1...steps {
      let share = Double(step) / Double(steps)
      let point = Dot(
        x: pen.x + (dot.x - pen.x) * share, y: pen.y + (dot.y - pen.y) * share, color: dot.color)
      fresh.append(point)
      recent.append(point)
    }
    pen = dot
    if recent.count > Drawing.recentLimit { recent.removeFirst(Drawing.recentLimit / 4) }
  }

  private var isEmpty: Bool { recent.isEmpty }

  private func color(at seconds: Double) -> UInt8 {
    Drawing.colors[Int(seconds * 1.5) % Drawing.colors.count]
  }
}

/// A layer of the picture: a block of memory that goes back to the system as soon as the layer is released.
///
/// Source: `mmap(2)`. An allocator might keep the memory, but the tour should show that it is released.
@safe struct Layer: ~Copyable {
  private let start: UnsafeMutableRawPointer
  let bytes: Int

  /// - Returns: `nil` if memory is not available.
  init?(mebibytes: Int) {
    bytes = mebibytes << 20
    let wanted = unsafe mmap(
      nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let wanted = unsafe wanted, unsafe wanted != MAP_FAILED else { return nil }
    unsafe start = wanted
    // A page counts as memory only after it has been written to.
    var offset = 0
    while offset < bytes {
      unsafe start.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
      offset += 4096
    }
  }

  deinit { unsafe munmap(start, bytes) }
}
