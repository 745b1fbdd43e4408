import PerfHUDBase
import Sampler
import Terminal

/// The rows of a list, by index.
package protocol ListRows {
  var count: Int { get }
  /// Appends a row to a line; nothing if the row does not exist.
  func write(_ row: Int, to line: inout ListRow)
}

/// A row of a list while it is being written: characters with their looks, all harmless for a terminal.
///
/// It reuses its memory from row to row, so writing allocates nothing once the longest row has been written.
package struct ListRow: Sendable {
  struct Character: Sendable {
    var scalar: Unicode.Scalar
    var role: Role
    /// The height of a cell of a sparkline, from 1 to `Sparkline.steps`; 0 for all other characters.
    var height: UInt8 = 0
  }

  /// A position in the row to return to.
  struct Mark {
    fileprivate let count: Int
    fileprivate let columns: Int
  }

  private var characters: [Character] = []
  /// The number of columns written.
  package private(set) var columns = 0
  /// The indices of the characters that a search does not look at; the end is open until `endUnsearched`.
  private var unsearched = 0..<0
  /// The index of the first character of a command line, which may be shortened to fit; `nil` without one.
  private(set) var commandStart: Int?
  /// Whether the first word of the command line is the program.
  var commandHasProgram = false

  package init() {}

  var count: Int { characters.count }
  subscript(index: Int) -> Character { characters[index] }
  /// The last character.
  var last: Unicode.Scalar? { characters.last?.scalar }

  package mutating func clear() {
    characters.removeAll(keepingCapacity: true)
    columns = 0
    unsearched = 0..<0
    commandStart = nil
  }

  /// Begins a command line, which is the rest of the row.
  ///
  /// - Parameter hasProgram: Whether the first word is the program.
  mutating func beginCommand(hasProgram: Bool = true) {
    commandStart = characters.count
    commandHasProgram = hasProgram
  }

  /// Excludes what is written from now on from searches, until `endUnsearched`. Once in a row.
  mutating func beginUnsearched() { unsearched = characters.count..<Int.max }

  mutating func endUnsearched() { unsearched = unsearched.lowerBound..<characters.count }

  // MARK: Text

  mutating func append(_ scalar: Unicode.Scalar, _ role: Role = .text) {
    let harmless = SafeText.replacement(for: scalar)
    characters.append(Character(scalar: harmless, role: role))
    columns += CharacterWidth.of(harmless)
  }

  mutating func append(_ text: StaticString, _ role: Role = .text) {
    var decoder = UTF8Decoder()
    for index in 0..<text.utf8CodeUnitCount {
      if let scalar = unsafe decoder.feed(text.utf8Start[index]) { append(scalar, role) }
    }
  }

  mutating func append(_ text: ShortText, _ role: Role = .text) {
    var decoder = UTF8Decoder()
    for index in 0..<text.count {
      if let scalar = decoder.feed(text[index]) { append(scalar, role) }
    }
  }

  mutating func append<let capacity: Int>(_ text: InlineText<capacity>, _ role: Role = .text) {
    var decoder = UTF8Decoder()
    for index in 0..<text.count {
      if let scalar = decoder.feed(text[index]) { append(scalar, role) }
    }
  }

  package mutating func append(_ text: String, _ role: Role = .text) {
    for scalar in text.unicodeScalars { append(scalar, role) }
  }

  /// Appends the name as the kernel keeps it, which need not be UTF-8.
  mutating func append(_ name: ProcessName, _ role: Role = .text) {
    name.forEachScalar { append($0, role) }
  }

  mutating func append(number: Int, _ role: Role = .text) {
    var text = ShortText()
    text.append(decimal: number)
    append(text, role)
  }

  mutating func blanks(_ count: Int, _ role: Role = .text) {
    for _ in 0..<max(0, count) { append(" ", role) }
  }

  /// Appends a cell of a sparkline.
  ///
  /// - Parameter height: from 1 to `Sparkline.steps`.
  mutating func append(height: Int, _ role: Role, _ context: DrawContext) {
    append(Sparkline.glyph(height, context), role)
    characters[characters.count - 1].height = UInt8(height)
  }

  /// Appends a value, right-aligned in a number of columns.
  mutating func right(_ text: ShortText, _ width: Int, _ role: Role = .text) {
    blanks(width - Canvas.width(text), role)
    append(text, role)
  }

  mutating func right(number: Int, _ width: Int, _ role: Role = .text) {
    var text = ShortText()
    text.append(decimal: number)
    right(text, width, role)
  }

  // MARK: Columns

  var mark: Mark { Mark(count: characters.count, columns: columns) }

  /// The number of columns since a mark.
  func columns(since mark: Mark) -> Int { columns - mark.columns }

  /// Removes what was written since a mark.
  mutating func cut(to mark: Mark) {
    characters.removeLast(characters.count - mark.count)
    columns = mark.columns
  }

  /// Keeps everything written since a mark if the row still fits, otherwise removes it.
  ///
  /// - Returns: whether it fits.
  @discardableResult
  mutating func keep(since mark: Mark, within limit: Int) -> Bool {
    if columns <= limit { return true }
    cut(to: mark)
    return false
  }

  /// Cuts or pads everything written since a mark to a number of columns.
  mutating func fit(since mark: Mark, _ width: Int, _ role: Role, ellipsis: Unicode.Scalar) {
    if columns(since: mark) > width {
      while columns(since: mark) > width - 1, characters.count > mark.count {
        columns -= CharacterWidth.of(characters.removeLast().scalar)
      }
      append(ellipsis, role)
    }
    blanks(width - columns(since: mark), role)
  }

  /// Removes characters behind those that a search does not look at.
  mutating func remove(_ range: Range<Int>) {
    for index in range { columns -= CharacterWidth.of(characters[index].scalar) }
    characters.removeSubrange(range)
  }

  /// Replaces characters behind those that a search does not look at by one that is repeated.
  mutating func replace(_ range: Range<Int>, with scalar: Unicode.Scalar, count: Int) {
    let rest = range.lowerBound..<min(range.lowerBound + count, range.upperBound)
    remove(rest.upperBound..<range.upperBound)
    for index in rest {
      columns += CharacterWidth.of(scalar) - CharacterWidth.of(characters[index].scalar)
      characters[index].scalar = scalar
    }
  }

  // MARK: Search

  /// Whether a text in lower case is at a position of the row, whatever the case of the row.
  func begins(with pattern: [Unicode.Scalar], at position: Int) -> Bool {
    let end = position + pattern.count
    guard !pattern.isEmpty, end <= characters.count,
      end <= unsearched.lowerBound || position >= unsearched.upperBound
    else { return false }
    for index in pattern.indices {
      guard characters[position + index].scalar.folded == pattern[index] else { return false }
    }
    return true
  }

  func contains(_ pattern: [Unicode.Scalar]) -> Bool {
    for position in characters.indices where begins(with: pattern, at: position) { return true }
    return false
  }
}

extension ProcessName {
  /// Calls `body` with each scalar of the name, which need not be UTF-8; they are not yet safe for a terminal.
  func forEachScalar(_ body: (Unicode.Scalar) -> Void) {
    var position = 0
    while position < Int(count) {
      let (scalar, length) = UTF8Form.character(at: position, count: Int(count)) { self[$0] }
      body(scalar)
      position += length
    }
  }
}

extension Unicode.Scalar {
  /// The scalar in lower case if that is a single scalar, so that positions do not change.
  var folded: Unicode.Scalar {
    if isASCII {
      return ("A"..."Z").contains(self) ? Unicode.Scalar(UInt8(value) + 0x20) : self
    }
    let lower = properties.lowercaseMapping.unicodeScalars
    return lower.count == 1 ? lower.first ?? self : self
  }
}
