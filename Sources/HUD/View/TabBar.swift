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
    /// `Overview Mem`.
    case shortNames
    /// `Overview Memory 3 Threads`: the chosen one has a name, and the first ones as far as there is room.
    case someNames
  }

  private(set) var form = Form.numbered
  let count: Int
  /// The columns of each tab, from left to right.
  private var starts = InlineArray<8, Int>(repeating: 0)
  private var ends = InlineArray<8, Int>(repeating: 0)
  /// How many of the first tabs have a name.
  private var named: Int
  private let chosen: PaneTab

  /// - Parameters:
  ///   - width: the columns of the row.
  init(_ chosen: PaneTab, width: Int, _ language: Language) {
    self.chosen = chosen
    count = PaneTab.allCases.count
    named = count
    layOut(language)
    if ends[count - 1] <= width { return }
    form = .names
    layOut(language)
    if ends[count - 1] <= width { return }
    form = .shortNames
    layOut(language)
    if ends[count - 1] <= width { return }
    form = .someNames
    while named > 0, ends[count - 1] > width {
      named -= 1
      layOut(language)
    }
  }

  /// The name of a tab in this form.
  func name(of tab: PaneTab, _ language: Language) -> StaticString {
    (form == .shortNames ? tab.shortWord : tab.word).text(language)
  }

  /// Whether a tab has a name, not only a number.
  func hasName(_ tab: PaneTab) -> Bool { tab == chosen || tab.rawValue < named }

  /// Places the tabs one after another.
  private mutating func layOut(_ language: Language) {
    var column = 0
    for index in 0..<count {
      guard let tab = PaneTab(rawValue: index) else { continue }
      starts[index] = column
      column += hasName(tab) ? Canvas.width(name(of: tab, language)) : 1
      if form == .numbered { column += 2 }
      ends[index] = column
      column += form == .numbered ? 2 : 1
    }
  }

  /// The columns of a tab.
  subscript(index: Int) -> Range<Int> { starts[index]..<ends[index] }

  /// The tab at a column of the row.
  func tab(at column: Int) -> PaneTab? {
    for index in 0..<count where self[index].contains(column) { return PaneTab(rawValue: index) }
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
/// Without that line the chosen name is in reverse video. Tabs that have nothing to show yet are dim.
@Sendable func drawTabs(_ canvas: inout Canvas, _ frame: Rect, _ context: DrawContext) {
  let state = context.state
  let bar = TabBar(state.view.tab, width: frame.columns, context.language)
  let hasLine = frame.rows > 1
  for index in 0..<bar.count {
    guard let tab = PaneTab(rawValue: index) else { continue }
    let isChosen = tab == state.view.tab
    let role: Role =
      isChosen ? (hasLine ? .title : .notice) : context.hasContent(tab) ? .text : .dim
    var column = frame.column + bar[index].lowerBound
    let number = Unicode.Scalar(UInt8(ascii: "1") + UInt8(index))
    if bar.form == .numbered {
      canvas.put(number, row: frame.row, column: column, role: role)
      canvas.put(" ", row: frame.row, column: column + 1, role: role)
      column += 2
    }
    if !bar.hasName(tab) {
      canvas.put(number, row: frame.row, column: column, role: role)
    } else {
      // The name of another page is not longer than that of its tab, whose columns it has, so that nothing moves.
      let page = isChosen && bar.form != .shortNames ? state.view.page?.tabWord : nil
      canvas.text(
        page?.text(context.language) ?? bar.name(of: tab, context.language), row: frame.row,
        column: column, role: role)
    }
  }
  guard hasLine else { return }
  let row = frame.row + 1
  canvas.fill(
    context.glyph("─", "-"), row: row, column: frame.column, count: frame.columns, role: .frame)
  let line = state.tabLine ?? bar[state.view.tab.rawValue]
  canvas.fill(
    context.glyph("━", "="), row: row, column: frame.column + line.lowerBound, count: line.count,
    role: .cpu)
}

extension DrawContext {
  /// Whether a tab has more to show than how to fill it.
  fileprivate func hasContent(_ tab: PaneTab) -> Bool {
    switch tab {
    case .overview, .memory, .whySlow: true
    // The processes of a cgroup are not read.
    case .processes, .threads: !run.header.isCgroup
    case .actions:
      run.actions.count > 0 || run.reports.values.all.count > 0 || PageOrder.entryCount(run) > 0
        || !run.alerts.isEmpty
    case .frames: state.view.hasFrames
    }
  }
}
