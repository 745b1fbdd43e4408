import Metrics
import PerfHUDBase
import Terminal

/// The columns of the tab names. Pure; allocates nothing.
struct TabBar {
  /// The forms of the names, the longest first.
  enum Form: Equatable {
    /// `1 Overview  2 Memory`.
    case numbered
    /// `Overview Memory`.
    case names
    /// `1 Memory 3`: only the chosen one has a name.
    case chosen
  }

  private(set) var form = Form.numbered
  let count: Int
  /// The columns of each tab, from left to right.
  private var starts = InlineArray<8, Int>(repeating: 0)
  private var ends = InlineArray<8, Int>(repeating: 0)

  /// - Parameters:
  ///   - width: the columns of the row.
  ///   - tabs: at most 8.
  init(_ chosen: PaneTab, width: Int, _ language: Language, tabs: [PaneTab] = PaneTab.shown) {
    count = min(tabs.count, 8)
    layOut(chosen, language, tabs)
    if ends[max(0, count - 1)] <= width { return }
    form = .names
    layOut(chosen, language, tabs)
    if ends[max(0, count - 1)] <= width { return }
    form = .chosen
    layOut(chosen, language, tabs)
  }

  /// Places the tabs one after another.
  private mutating func layOut(_ chosen: PaneTab, _ language: Language, _ tabs: [PaneTab]) {
    var column = 0
    for index in 0..<count {
      let name = Canvas.width(tabs[index].word.text(language))
      starts[index] = column
      switch form {
      case .numbered: column += name + 2
      case .names: column += name
      case .chosen: column += tabs[index] == chosen ? name : 1
      }
      ends[index] = column
      column += form == .numbered ? 2 : 1
    }
  }

  /// The columns of a tab.
  subscript(index: Int) -> Range<Int> { starts[index]..<ends[index] }

  /// The index of the tab at a column of the row.
  func index(at column: Int) -> Int? {
    for index in 0..<count where self[index].contains(column) { return index }
    return nil
  }
}

/// The movement of the underline from one tab to another.
struct TabSlide: Sendable {
  /// How long it takes, in nanoseconds.
  static let duration: Int64 = 160_000_000
  /// The least time between two pictures of it, in nanoseconds: 30 a second.
  static let framePeriod: Int64 = 33_333_334

  let from: Range<Int>
  /// When its first picture was drawn.
  var start: Instant?
  var lastDrawn: Instant?

  /// Where the underline is on its way to `to`; it starts and stops slowly.
  func columns(now: Instant, to: Range<Int>) -> Range<Int> {
    guard let start else { return from }
    let time = min(1, max(0, Double(now.nanoseconds(since: start)) / Double(TabSlide.duration)))
    let share = time * time * (3 - 2 * time)
    func between(_ a: Int, _ b: Int) -> Int { Int((Double(a) + Double(b - a) * share).rounded()) }
    let left = between(from.lowerBound, to.lowerBound)
    return left..<max(left + 1, between(from.upperBound, to.upperBound))
  }

  func isOver(now: Instant) -> Bool {
    start.map { now.nanoseconds(since: $0) >= TabSlide.duration } ?? false
  }
}

/// Draws the names of the tabs, and in a second row, if there is one, a line that is thick below the chosen tab.
/// Without that line the chosen name is in reverse video.
@Sendable func drawTabs(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let state = context.state
  let bar = TabBar(state.view.tab, width: frame.columns, context.language)
  let hasLine = frame.rows > 1
  var chosen = 0
  for index in 0..<bar.count {
    let tab = PaneTab.shown[index]
    let isChosen = tab == state.view.tab
    if isChosen { chosen = index }
    let role: Role = isChosen ? (hasLine ? .title : .notice) : .dim
    var column = frame.column + bar[index].lowerBound
    let number = Unicode.Scalar(UInt8(ascii: "1") + UInt8(index))
    if bar.form == .numbered {
      canvas.put(number, row: frame.row, column: column, role: role)
      canvas.put(" ", row: frame.row, column: column + 1, role: role)
      column += 2
    }
    if bar.form == .chosen, !isChosen {
      canvas.put(number, row: frame.row, column: column, role: role)
    } else {
      canvas.text(tab.word.text(context.language), row: frame.row, column: column, role: role)
    }
  }
  guard hasLine else { return }
  let row = frame.row + 1
  canvas.fill(
    context.glyph("─", "-"), row: row, column: frame.column, count: frame.columns, role: .frame)
  let line = state.tabLine ?? bar[chosen]
  canvas.fill(
    context.glyph("━", "="), row: row, column: frame.column + line.lowerBound, count: line.count,
    role: .cpu)
}
