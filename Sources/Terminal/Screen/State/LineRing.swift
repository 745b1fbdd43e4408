/// The lines of the primary and the alternate screen, each in a ring, so that scrolling the whole screen moves no
/// lines. The ring of the primary screen also has the lines that scrolled off last, for terminals that show them again
/// when their size changes.
struct LineRing: ~Copyable {
  /// One line. Cells from `used` on are all `blank`.
  struct Line: BitwiseCopyable {
    /// Where its cells begin.
    var start: Int
    var used: Int32
    /// The column up to which the terminal has had a HUD in the line since the line was empty: it may count these cells
    /// as written.
    var reach: Int32 = 0
    /// In a line with lost cells, the column from which on nothing was written when the last of them was lost. It may
    /// be less than `used`, since lost cells fill a line. 0 means that it is not known.
    var bound: Int32 = 0
    /// Whether there may be wide characters, so that halves must be looked for.
    var hasWide: Bool
    /// Whether the text continues in the next line (soft wrap).
    var isWrapped: Bool
    /// Whether tmux may consider the line to continue in the next: it has continued at some time since it was empty.
    var mayGoOn: Bool
    /// Whether tmux considers the line to continue in the next, as far as that is modeled: unlike `isWrapped` this
    /// stays when the end of the line is erased.
    var goesOn = false
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
  /// The greatest number of lines above the primary screen.
  let historyLimit: Int
  /// The number of lines in the ring of the shown screen.
  private var ringLength: Int
  /// The index in memory of the first line of the shown screen.
  private var base = 0
  /// The index of the first row, relative to `base`; for the other screen, relative to its own base.
  private var first = 0
  private var otherFirst = 0
  /// The number of lines that have scrolled off the shown screen; the next one is for the other screen.
  private var shownScrolled = 0
  private var otherScrolled = 0

  /// Creates empty lines, whose cells follow one another.
  init(_ size: Size, historyLimit: Int = 0, mayGoOn: Bool, blank: Cell) {
    rows = size.rows
    self.historyLimit = historyLimit
    ringLength = size.rows + historyLimit
    let count = size.rows * 2 + historyLimit
    lines = UncheckedBuffer(
      repeating: Line(start: 0, mayGoOn: mayGoOn, blank: blank), count: count)
    for index in 0..<count { lines[index].start = index * size.columns }
  }

  /// Whether the alternate screen is shown.
  var isAlternate: Bool { base > 0 }

  /// The number of lines of both screens and of those above.
  var count: Int { rows * 2 + historyLimit }

  /// The number of lines that have scrolled off the primary screen since this number was set.
  var scrolled: Int { isAlternate ? otherScrolled : shownScrolled }

  /// The number of lines above the primary screen that are still in the ring.
  var historyCount: Int { max(0, min(scrolled, historyLimit)) }

  /// The index of a line above the primary screen; 1 is the last one that has scrolled off.
  func historyIndex(_ number: Int) -> Int {
    assert(number > 0 && number <= historyCount)
    let count = rows + historyLimit
    return ((isAlternate ? otherFirst : first) - number + count) % count
  }

  /// Sets the number of lines that have scrolled off the primary screen.
  mutating func setScrolled(_ count: Int) {
    if isAlternate { otherScrolled = count } else { shownScrolled = count }
  }

  /// A line by its index, which it keeps while the whole screen scrolls.
  @inline(__always) subscript(index: Int) -> Line {
    get { lines[index] }
    nonmutating _modify { yield &lines[index] }
  }

  /// The index of the line in a row of the shown screen.
  @inline(__always) func index(of row: Int) -> Int {
    assert(row >= 0 && row < rows)
    var index = first &+ row
    if index >= ringLength { index &-= ringLength }
    return base &+ index
  }

  /// The row of the shown screen that contains a line.
  func row(of index: Int) -> Int {
    let row = index - base - first
    return row < 0 ? row + ringLength : row
  }

  /// The index of a row of either screen.
  func index(of row: Int, isAlternate: Bool) -> Int {
    let isShown = isAlternate == (base > 0)
    let start = (isShown ? first : otherFirst) + row
    return isAlternate ? rows + historyLimit + start % rows : start % (rows + historyLimit)
  }

  /// Shows the other screen.
  mutating func switchScreens() {
    base = base > 0 ? 0 : rows + historyLimit
    ringLength = base > 0 ? rows : rows + historyLimit
    swap(&first, &otherFirst)
    swap(&shownScrolled, &otherScrolled)
  }

  /// Moves all rows up by one: the first one leaves, and the oldest line becomes the last.
  @inline(__always) mutating func scrollUp() {
    first = first &+ 1 == ringLength ? 0 : first &+ 1
    shownScrolled &+= 1
  }

  /// Moves rows up by `distance`, at least 1 and fewer than there are; rows that leave at the top come in at the
  /// bottom.
  mutating func rotate(_ top: Int, _ bottom: Int, up distance: Int) {
    if top == 0, bottom == rows - 1, ringLength == rows {
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
    if first > 0 { rotateMemory(base, base + ringLength - 1, by: first) }
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
