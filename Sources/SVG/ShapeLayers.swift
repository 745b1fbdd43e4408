/// Rectangles of one color. Adjacent ones are merged, so that no seams show at any scale.
struct RectangleLayer {
  struct Rectangle: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
  }

  private(set) var rectangles: [Rectangle] = []

  /// Adds a rectangle. Rectangles of a row must come from left to right.
  mutating func add(_ new: Rectangle) {
    if let last = rectangles.last, last.y == new.y, last.height == new.height,
      last.x + last.width == new.x
    {
      rectangles[rectangles.count - 1].width += new.width
    } else {
      rectangles.append(new)
    }
  }

  /// The rectangles, merged with those below them.
  var path: SVGPath {
    var joined: [Rectangle] = []
    for rectangle in rectangles {
      let above = joined.lastIndex {
        $0.x == rectangle.x && $0.width == rectangle.width && $0.y + $0.height == rectangle.y
      }
      if let above {
        joined[above].height += rectangle.height
      } else {
        joined.append(rectangle)
      }
    }
    var path = SVGPath()
    for part in joined {
      path.rectangle(x: part.x, y: part.y, width: part.width, height: part.height)
    }
    return path
  }
}

/// Lines of one color and width. Lines that join in a straight line are merged.
struct LineLayer {
  private struct Line {
    /// The coordinate across the line: the y of a horizontal line.
    var place: Double
    var from: Double
    var to: Double
  }

  private var horizontals: [Line] = []
  private var verticals: [Line] = []
  /// Curves and diagonals.
  var others = SVGPath()

  mutating func addHorizontal(y: Double, from: Double, to: Double) {
    if from < to { horizontals.append(Line(place: y, from: from, to: to)) }
  }

  mutating func addVertical(x: Double, from: Double, to: Double) {
    if from < to { verticals.append(Line(place: x, from: from, to: to)) }
  }

  private static func joined(_ lines: [Line]) -> [Line] {
    var result: [Line] = []
    for line in lines.sorted(by: { ($0.place, $0.from, $0.to) < ($1.place, $1.from, $1.to) }) {
      if let last = result.last, last.place == line.place, last.to >= line.from {
        result[result.count - 1].to = max(last.to, line.to)
      } else {
        result.append(line)
      }
    }
    return result
  }

  var data: String {
    var path = SVGPath()
    for line in LineLayer.joined(horizontals) {
      path.horizontal(line.from, line.place, length: line.to - line.from)
    }
    for line in LineLayer.joined(verticals) {
      path.vertical(line.place, line.from, length: line.to - line.from)
    }
    return path.data + others.data
  }
}

/// Braille dots of one color, as dotted lines: all dots of a screen are on one grid.
struct DotLayer {
  /// The distance between two dots.
  let step: Double
  private var rows: [Int: [Int]] = [:]

  init(step: Double) { self.step = step }

  /// Adds the dots of a character.
  ///
  /// - Parameter bits: bits 0 to 2 are the upper three dots on the left, 3 to 5 those on the right, 6 and 7 the lowest
  ///   ones. Source: the Unicode Standard, 21.1, Braille.
  mutating func add(_ bits: UInt8, row: Int, column: Int) {
    let places = [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1), (3, 0), (3, 1)]
    for (bit, place) in places.enumerated() where bits >> bit & 1 == 1 {
      rows[row * 4 + place.0, default: []].append(column * 2 + place.1)
    }
  }

  /// Lines from the first to the last dot of each run, which a dash pattern of `step` turns into dots.
  var path: SVGPath {
    var path = SVGPath()
    for row in rows.keys.sorted() {
      let dots = rows[row, default: []].sorted()
      var index = 0
      while index < dots.count {
        var end = index
        while end + 1 < dots.count, dots[end + 1] == dots[end] + 1 { end += 1 }
        // The last dot is the start of a dash, so the line extends slightly beyond it.
        let length = Double(end - index) * step + 0.1
        path.horizontal(
          (Double(dots[index]) + 0.5) * step, (Double(row) + 0.5) * step, length: length)
        index = end + 1
      }
    }
    return path
  }
}

/// Values by key, in the order in which the keys first appeared.
struct OrderedLayers<Key: Hashable, Layer> {
  private(set) var entries: [(key: Key, layer: Layer)] = []
  private var places: [Key: Int] = [:]

  subscript(key: Key, default empty: @autoclosure () -> Layer) -> Layer {
    get { places[key].map { entries[$0].layer } ?? empty() }
    set {
      if let place = places[key] {
        entries[place].layer = newValue
      } else {
        places[key] = entries.count
        entries.append((key, newValue))
      }
    }
  }
}
