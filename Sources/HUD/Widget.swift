import Base
import Metrics
import Sampler
import Terminal

/// Everything that a widget may look at.
public struct Scene: Sendable {
  public let run: Run
  /// The figures to show; `nil` before the first sample.
  public let row: Row?
  public let state: HUDState

  public init(run: Run, row: Row?, state: HUDState) {
    self.run = run
    self.row = row
    self.state = state
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
    return row?.hasEnded == true ? .ended : nil
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

/// A part of the HUD as a record of facts: measuring and drawing are two things.
public struct Widget: Sendable {
  public let id: WidgetID
  public let draw: @Sendable (inout Canvas, Rect, Scene) -> Void

  /// All widgets, by the number of their `WidgetID`.
  public static let all: [Widget] = [
    Widget(id: .title, draw: drawTitle),
    Widget(id: .line, draw: drawLine),
    Widget(id: .cpu, draw: drawCPU),
    Widget(id: .memory, draw: drawMemory),
    Widget(id: .fps, draw: drawFPS),
    Widget(id: .details, draw: drawDetails),
    Widget(id: .memoryGraph, draw: drawMemoryGraph),
    Widget(id: .cpuGraph, draw: drawCPUGraph),
    Widget(id: .footer, draw: drawFooter),
    Widget(id: .edge, draw: drawEdge),
    Widget(id: .strip, draw: drawStrip),
    Widget(id: .output, draw: drawOutput),
  ]
}

extension ShortText {
  /// The text without the blanks in front that keep a figure's width.
  var trimmedText: String {
    String(decoding: (0..<count).map { self[$0] }.drop { $0 == 0x20 }, as: UTF8.self)
  }
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
  mutating func noticeMark(_ scene: Scene, on canvas: inout Canvas) {
    guard let notice = scene.notice else {
      if scene.run.unansweredSince != nil { text("!", .notice, on: &canvas) }
      return
    }
    text(notice == .paused ? "=" : "X", .notice, on: &canvas)
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
