import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// Every widget in each family of sizes and in each state, every window, and whole pictures, as text, with made-up
/// data.
package struct Gallery {
  /// A state that a widget may be in, and the program that produces it.
  enum Example: String, CaseIterable {
    case placeholder, data, stale, error

    func run(_ program: GalleryProgram.Kind, _ table: ProcessTableRequest.Kind) -> Run {
      switch self {
      case .placeholder: GalleryProgram.beginning(program)
      case .data: GalleryProgram.running(table, program)
      case .stale: GalleryProgram.ended(table, program)
      case .error: GalleryProgram.forbidden(program)
      }
    }
  }

  let language: Language
  let isASCII: Bool
  private var text = ""

  /// - Parameter isASCII: draws only ASCII, with English words.
  package static func text(_ language: Language, isASCII: Bool) -> String {
    var gallery = Gallery(language: language, isASCII: isASCII)
    for widget in Widget.all { gallery.add(widget) }
    gallery.addWindows()
    gallery.addScreens()
    return gallery.text
  }

  private init(language: Language, isASCII: Bool) {
    self.language = isASCII ? .english : language
    self.isASCII = isASCII
  }

  // MARK: Widgets

  private mutating func add(_ widget: Widget) {
    let families: [(String, Size?, HUDFamily)] = [
      ("line", widget.sizes.line, widget.id == .strip ? .overlay : .pane),
      ("small", widget.sizes.small, .overlay), ("medium", widget.sizes.medium, .overlay),
      ("wide", widget.sizes.wide, .overlay), ("large", widget.sizes.large, .pane),
    ]
    for (name, size, family) in families {
      guard let size else { continue }
      let unit = "\(widget.unit)".isEmpty ? "" : ", \(widget.unit)"
      text += "\(widget.name)\(unit), \(name) \(size.columns)x\(size.rows)\n"
      for example in Example.allCases {
        var canvas = Canvas(size, isASCII: isASCII)
        widget.draw(&canvas, Rect(size), context(example, widget, family, size))
        add(example.rawValue, canvas.grid)
      }
      text += "\n"
    }
  }

  /// The context for a widget of this size: the values, axes and time of a HUD that shows the program.
  private func context(
    _ example: Example, _ widget: Widget, _ family: HUDFamily, _ size: Size
  ) -> DrawContext {
    let kind: ProcessTableRequest.Kind = widget.id == .threads ? .threads : .processes
    let run = example.run(.phases, kind)
    // A row of an overlay is between its edges and, from the medium one on, blanks.
    let edges = family == .pane ? 0 : size.rows == 1 && size.columns > 24 ? 4 : 2
    let columns = max(size.columns, 24) + edges
    var hud = HUD(size: Size(rows: 26, columns: columns), state: state(family))
    hud.draw(run, now: run.latest?.time ?? run.header.start)
    var order = PageOrder()
    order.update(run, hud.state.processList, hasLog: true, hasTable: true)
    return DrawContext(run: run, row: hud.state.values.row, state: hud.state, order: order)
  }

  func state(_ family: HUDFamily) -> HUDState {
    HUDState(language: language, isASCII: isASCII, family: family)
  }

  // MARK: Text

  mutating func begin(_ title: String) { text += title + "\n" }
  mutating func end() { text += "\n" }

  mutating func add(_ example: String, _ grid: CellGrid) {
    text += "  \(example)\n"
    for row in 0..<grid.size.rows {
      text += "    |"
      for column in 0..<grid.size.columns where !grid[row, column].isContinuation {
        text.unicodeScalars.append(Unicode.Scalar(grid[row, column].scalarValue) ?? " ")
      }
      text += "|\n"
    }
  }
}
