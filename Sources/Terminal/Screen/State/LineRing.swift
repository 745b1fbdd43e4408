/// The lines of the primary and the alternate screen: of each a ring, so that scrolling the whole screen moves no
/// line.
struct LineRing: ~Copyable {
  /// One line. Cells from `used` on are all `blank`.
  struct Line: BitwiseCopyable {
    /// Where its cells begin.
    var start: Int
    var used: Int32
    /// There may be wide characters, so that halves have to be looked for.
    var hasWide: Bool
    /// The text goes on in the next line (soft wrap).
    var isWrapped: Bool
    /// tmux may take the line for one that goes on in the next: it has done so since it was empty.
    var mayGoOn: Bool
    var blank: Cell

    init(start: Int, used: Int = 0, hasWide: Bool = false, mayGoOn: Bool, blank: Cell) {
      self.start = start
      self.used = Int32(used)
      self.hasWide = hasWide
      isWrapped = false
      self.mayGoOn = mayGoOn
      self.blank = blank
    }
  }

  /// The lines of the primary screen, then those of the alternate one.
  private let lines: UncheckedBuffer<Line>
  private let rows: Int
  /// The first line of the screen that shows, in memory.
  private var base = 0
  /// The first row, from `base` on; of the other screen from its own base on.
  private var first = 0
  private var otherFirst = 0

  /// Empty lines, with their cells one line after the other.
  init(_ size: Size, mayGoOn: Bool, blank: Cell) {
    rows = size.rows
    lines = UncheckedBuffer(
      repeating: Line(start: 0, mayGoOn: mayGoOn, blank: blank), count: size.rows * 2)
    for index in 0..<size.rows * 2 { lines[index].start = index * size.columns }
  }

  /// Whether the alternate screen shows.
  var isAlternate: Bool { base > 0 }

  /// How many lines both screens have.
  var count: Int { rows * 2 }

  /// A line by its index, which it keeps while the whole screen scrolls.
  @inline(__always) subscript(index: Int) -> Line {
    get { lines[index] }
    nonmutating _modify { yield &lines[index] }
  }

  /// The index of the line in a row of the screen that shows.
  @inline(__always) func index(of row: Int) -> Int {
    assert(row >= 0 && row < rows)
    var index = first &+ row
    if index >= rows { index &-= rows }
    return base &+ index
  }

  /// The row in which a line of the screen that shows is.
  func row(of index: Int) -> Int {
    let row = index - base - first
    return row < 0 ? row + rows : row
  }

  /// The index of a row of either screen.
  func index(of row: Int, isAlternate: Bool) -> Int {
    let isShown = isAlternate == (base > 0)
    return (isAlternate ? rows : 0) + ((isShown ? first : otherFirst) + row) % rows
  }

  /// Shows the other screen.
  mutating func switchScreens() {
    base = base > 0 ? 0 : rows
    swap(&first, &otherFirst)
  }

  /// Moves all rows up by one: the first comes in at the bottom.
  @inline(__always) mutating func scrollUp() { first = first &+ 1 == rows ? 0 : first &+ 1 }

  /// Moves rows up by `distance`, at least 1 and fewer than there are; those that leave at the top come in at
  /// the bottom.
  mutating func rotate(_ top: Int, _ bottom: Int, up distance: Int) {
    if top == 0, bottom == rows - 1 {
      first = (first + distance) % rows
      return
    }
    if index(of: bottom) < index(of: top) { straighten() }
    let start = index(of: top)
    let end = index(of: bottom)
    let length = end &- start
    // Most rows go up or down by one, which takes a single move.
    if distance == 1 {
      let line = lines[start]
      lines.move(from: start &+ 1, to: start, length)
      lines[end] = line
    } else if distance == length {
      let line = lines[end]
      lines.move(from: start, to: start &+ 1, length)
      lines[start] = line
    } else {
      rotateMemory(start, end, by: distance)
    }
  }

  /// Puts the ring's first line first: a part of it that scrolls alone stays in one piece then.
  private mutating func straighten() {
    rotateMemory(base, base + rows - 1, by: first)
    first = 0
  }

  /// Moves lines to the front of a part of the memory; those before them go to its end.
  private func rotateMemory(_ start: Int, _ end: Int, by distance: Int) {
    reverse(start, start + distance - 1)
    reverse(start + distance, end)
    reverse(start, end)
  }

  private func reverse(_ first: Int, _ last: Int) {
    var low = first
    var high = last
    while low < high {
      let line = lines[low]
      lines[low] = lines[high]
      lines[high] = line
      low += 1
      high -= 1
    }
  }
}
