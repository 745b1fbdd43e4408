/// The lines of the primary and the alternate screen, each in a ring, so that scrolling the whole screen moves no
/// lines.
struct LineRing: ~Copyable {
  /// One line. Cells from `used` on are all `blank`.
  struct Line: BitwiseCopyable {
    /// Where its cells begin.
    var start: Int
    var used: Int32
    /// Whether there may be wide characters, so that halves must be looked for.
    var hasWide: Bool
    /// Whether the text continues in the next line (soft wrap).
    var isWrapped: Bool
    /// Whether tmux may consider the line to continue in the next: it has done so since it was empty.
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
  /// The index in memory of the first line of the shown screen.
  private var base = 0
  /// The index of the first row, relative to `base`; for the other screen, relative to its own base.
  private var first = 0
  private var otherFirst = 0

  /// Makes empty lines, whose cells follow one another.
  init(_ size: Size, mayGoOn: Bool, blank: Cell) {
    rows = size.rows
    lines = UncheckedBuffer(
      repeating: Line(start: 0, mayGoOn: mayGoOn, blank: blank), count: size.rows * 2)
    for index in 0..<size.rows * 2 { lines[index].start = index * size.columns }
  }

  /// Whether the alternate screen is shown.
  var isAlternate: Bool { base > 0 }

  /// The number of lines of both screens.
  var count: Int { rows * 2 }

  /// A line by its index, which it keeps while the whole screen scrolls.
  @inline(__always) subscript(index: Int) -> Line {
    get { lines[index] }
    nonmutating _modify { yield &lines[index] }
  }

  /// The index of the line in a row of the shown screen.
  @inline(__always) func index(of row: Int) -> Int {
    assert(row >= 0 && row < rows)
    var index = first &+ row
    if index >= rows { index &-= rows }
    return base &+ index
  }

  /// The row of the shown screen that contains a line.
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

  /// Moves all rows up by one: the first one becomes the last.
  @inline(__always) mutating func scrollUp() { first = first &+ 1 == rows ? 0 : first &+ 1 }

  /// Moves rows up by `distance`, at least 1 and fewer than there are; rows that leave at the top come in at the
  /// bottom.
  mutating func rotate(_ top: Int, _ bottom: Int, up distance: Int) {
    if top == 0, bottom == rows - 1 {
      first = (first + distance) % rows
      return
    }
    if index(of: bottom) < index(of: top) { straighten() }
    let start = index(of: top)
    let end = index(of: bottom)
    let length = end &- start
    // Most moves are by one row, up or down, which takes a single move of memory.
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

  /// Puts the ring's first line at its start, so that a scrolling part is contiguous.
  private mutating func straighten() {
    rotateMemory(base, base + rows - 1, by: first)
    first = 0
  }

  /// Moves lines to the start of a part of the memory; the lines before them go to its end.
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
