import Base
import Metrics
import Sampler
import Terminal

/// Everything that a widget may look at.
public struct DrawContext: Sendable {
  public let run: Run
  /// The figures to show; `nil` before the first sample.
  public let row: Row?
  public let state: HUDState
  /// The order of the rows of pages that are shown.
  let order: PageOrder

  public init(run: Run, row: Row?, state: HUDState) {
    self.init(run: run, row: row, state: state, order: PageOrder())
  }

  init(run: Run, row: Row?, state: HUDState, order: PageOrder) {
    self.run = run
    self.row = row
    self.state = state
    self.order = order
  }

  var language: Language { state.language }

  /// What CPU shares are divided by: 1, or the processors that the target may use (key I).
  var cpuScale: Double {
    state.cpuOfAll ? max(row?.usableProcessors.value ?? 1, 0.01) : 1
  }

  /// Whether it lies on a program's screen.
  var isOverlay: Bool { state.family == .overlay }

  /// The glyph, or the ASCII one that stands in for it.
  func glyph(_ scalar: Unicode.Scalar, _ plain: Unicode.Scalar) -> Unicode.Scalar {
    state.isASCII ? plain : scalar
  }

  /// What must not be missed: why the figures stand still.
  var notice: Word? {
    if state.frozen != nil { return .paused }
    guard let row, row.hasEnded else { return nil }
    return row.isZombie ? .zombie : .ended
  }

  /// The state of the widget that shows a figure.
  func widgetState(_ metric: Metric) -> WidgetState {
    guard let row else { return .placeholder }
    switch row[metric] {
    case .absent(.pending): return .placeholder
    case .absent(let reason): return .error(reason)
    case .value: return row.hasEnded ? .stale : .data
    }
  }
}

/// What a widget has to show.
public enum WidgetState: Equatable, Sendable {
  /// No figure yet.
  case placeholder
  case data
  /// The figure is the last one of a target that has ended.
  case stale
  /// There is no figure, and this is why.
  case error(Absence)

  /// Why there is no figure.
  var reason: Absence {
    if case .error(let reason) = self { return reason }
    return .pending
  }
}

/// What a widget takes in each family of sizes; `nil` where the family does not have it.
public struct WidgetSizes: Sendable {
  /// One row.
  public var line: Size?
  /// A corner of a program's screen, 24 by 5.
  public var small: Size?
  /// A corner of a program's screen, 36 by 9.
  public var medium: Size?
  /// A pane.
  public var large: Size?

  /// Columns and rows.
  init(
    line: (Int, Int)? = nil, small: (Int, Int)? = nil, medium: (Int, Int)? = nil,
    large: (Int, Int)? = nil
  ) {
    self.line = line.map { Size(rows: $0.1, columns: $0.0) }
    self.small = small.map { Size(rows: $0.1, columns: $0.0) }
    self.medium = medium.map { Size(rows: $0.1, columns: $0.0) }
    self.large = large.map { Size(rows: $0.1, columns: $0.0) }
  }
}

/// A part of the HUD as a record of facts: measuring and drawing are two things.
public struct Widget: Sendable {
  public let id: WidgetID
  /// As the gallery calls it.
  public let name: StaticString
  /// The unit of its figures; empty where they have several, or it has none.
  public let unit: StaticString
  /// The least rows that show what it is there for.
  public let leastRows: Int
  /// What it prefers.
  public let sizes: WidgetSizes
  public let draw: @Sendable (inout Canvas, Rect, DrawContext) -> Void

  init(
    _ id: WidgetID, _ name: StaticString, unit: StaticString = "", leastRows: Int = 1,
    _ sizes: WidgetSizes, draw: @escaping @Sendable (inout Canvas, Rect, DrawContext) -> Void
  ) {
    self.id = id
    self.name = name
    self.unit = unit
    self.leastRows = leastRows
    self.sizes = sizes
    self.draw = draw
  }

  /// All widgets, by the number of their `WidgetID`.
  public static let all: [Widget] = [
    Widget(.title, "title", WidgetSizes(small: (22, 1), large: (72, 1)), draw: drawTitle),
    Widget(.line, "line", WidgetSizes(line: (48, 1)), draw: drawLine),
    Widget(
      .cpu, "cpu", unit: "%", WidgetSizes(small: (22, 1), medium: (34, 1), large: (72, 1)),
      draw: drawCPU),
    Widget(
      .memory, "memory", unit: "MiB", WidgetSizes(small: (22, 1), medium: (34, 1), large: (72, 1)),
      draw: drawMemory),
    Widget(
      .fps, "fps", unit: "FPS", WidgetSizes(small: (22, 1), medium: (34, 1), large: (72, 1)),
      draw: drawFPS),
    Widget(.details, "details", WidgetSizes(medium: (34, 3), large: (72, 3)), draw: drawDetails),
    Widget(
      .memoryGraph, "memory-graph", unit: "MiB",
      WidgetSizes(small: (22, 2), medium: (34, 4), large: (72, 10)), draw: drawMemoryGraph),
    Widget(
      .cpuGraph, "cpu-graph", unit: "%", leastRows: 5, WidgetSizes(medium: (34, 5), large: (72, 8)),
      draw: drawCPUGraph),
    Widget(.footer, "self-cost", WidgetSizes(large: (72, 1)), draw: drawFooter),
    Widget(
      .edge, "edge", leastRows: 5, WidgetSizes(small: (24, 5), medium: (36, 5)), draw: drawEdge),
    Widget(.strip, "strip", WidgetSizes(line: (48, 1), small: (20, 1)), draw: drawStrip),
    Widget(.output, "output", unit: "B/frame", WidgetSizes(medium: (34, 1)), draw: drawOutput),
    Widget(.tabs, "tabs", WidgetSizes(line: (44, 1), large: (72, 2)), draw: drawTabs),
    // The window of the list lies there.
    Widget(.list, "list", leastRows: 3, WidgetSizes(), draw: { _, _, _ in }),
    Widget(page: .log, "log"), Widget(page: .phases, "phases", unit: "MiB"),
    Widget(page: .actions, "actions", unit: "/s"),
    Widget(page: .frames, "frames", unit: "ms", leastRows: 5),
    Widget(page: .processes, "processes", unit: "%"), Widget(page: .threads, "threads", unit: "%"),
    Widget(page: .slow, "why-slow"), Widget(page: .alerts, "alerts"),
  ]

  /// A page of the list as a part of a layout: a heading and its first rows.
  private init(
    page: ListPage, _ name: StaticString, unit: StaticString = "", leastRows: Int = 3
  ) {
    self.init(
      WidgetID(page), name, unit: unit, leastRows: leastRows,
      WidgetSizes(medium: (34, 6), large: (72, 8)),
      draw: { canvas, frame, context in drawPage(&canvas, frame, page, context) })
  }

  static func of(_ id: WidgetID) -> Widget { all[id.rawValue] }
}

extension ShortText {
  /// The text without the blanks in front that keep a figure's width.
  var trimmedText: String { trimmed.description }
}

/// Places text in a row from left to right; what does not fit is left out whole, never cut.
struct RowPen {
  let row: Int
  let end: Int
  var column: Int

  init(_ frame: Rect, row: Int = 0) {
    self.row = frame.row + row
    column = frame.column
    end = frame.endColumn
  }

  var room: Int { max(0, end - column) }

  @discardableResult
  mutating func text(
    _ text: StaticString, _ role: Role = .text, gap: Int = 0, on canvas: inout Canvas
  ) -> Bool {
    guard column + gap + Canvas.width(text) <= end else { return false }
    column = canvas.text(text, row: row, column: column + gap, role: role)
    return true
  }

  @discardableResult
  mutating func text(
    _ text: ShortText, _ role: Role = .text, gap: Int = 0, on canvas: inout Canvas
  ) -> Bool {
    guard column + gap + text.count <= end else { return false }
    column = canvas.text(text, row: row, column: column + gap, role: role)
    return true
  }

  /// A label at the pen and its figure at the end of the row, or neither.
  @discardableResult
  mutating func note(
    _ label: StaticString, _ figure: ShortText, on canvas: inout Canvas
  ) -> Bool {
    guard column + 1 + Canvas.width(label) + 1 + figure.count <= end else { return false }
    canvas.text(label, row: row, column: column + 1, role: .dim)
    canvas.text(figure, row: row, column: end - figure.count)
    column = end
    return true
  }

  /// A mark of why the figures stand still, where a word would cost a figure.
  mutating func noticeMark(_ context: DrawContext, on canvas: inout Canvas) {
    guard let notice = context.notice else {
      if context.run.unansweredSince != nil { text("!", .notice, on: &canvas) }
      return
    }
    text(notice == .paused ? "=" : notice == .zombie ? "Z" : "X", .notice, on: &canvas)
  }

  /// A label and its figure, or neither.
  @discardableResult
  mutating func pair(
    _ label: StaticString, _ figure: ShortText, gap: Int = 2, on canvas: inout Canvas
  ) -> Bool {
    guard column + gap + Canvas.width(label) + 1 + figure.count <= end else { return false }
    text(label, .dim, gap: gap, on: &canvas)
    text(figure, gap: 1, on: &canvas)
    return true
  }
}
