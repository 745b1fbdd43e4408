import Base
import Metrics
import Terminal

/// Every widget in each family of sizes and in each state, as text, from made-up data.
public struct Gallery {
  /// A state that a widget may be in, and the program that brings it about.
  private enum Example: String, CaseIterable {
    case placeholder, data, stale, error
  }

  private let language: Language
  private let isASCII: Bool
  private var text = ""

  /// - Parameter isASCII: nothing beyond ASCII is drawn, and the words are English.
  public static func text(_ language: Language, isASCII: Bool) -> String {
    var gallery = Gallery(language: language, isASCII: isASCII)
    for widget in Widget.all { gallery.add(widget) }
    for page in ListPage.allCases { gallery.add(page) }
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
      ("large", widget.sizes.large, .pane),
    ]
    for (name, size, family) in families {
      guard let size else { continue }
      let unit = "\(widget.unit)".isEmpty ? "" : ", \(widget.unit)"
      text += "\(widget.name)\(unit), \(name) \(size.columns)x\(size.rows)\n"
      for example in Example.allCases {
        var canvas = Canvas(size, isASCII: isASCII)
        widget.draw(&canvas, Rect(size), scene(example, family, size))
        add(example, canvas.grid)
      }
      text += "\n"
    }
  }

  /// A page of the list: it has no gauge's states, but it may be empty.
  private mutating func add(_ page: ListPage) {
    for (name, size) in [
      ("medium", Size(rows: 6, columns: 34)), ("large", Size(rows: 7, columns: 72)),
    ] {
      let family: HUDFamily = name == "large" ? .pane : .overlay
      text += "\(page), \(name) \(size.columns)x\(size.rows)\n"
      for example in [Example.placeholder, .data] {
        var canvas = Canvas(size, isASCII: isASCII)
        var list = ListView(startsAtTop: page != .log)
        let plain = scene(example, family, size)
        var state = plain.state
        state.page = page
        drawLog(
          &canvas, &list, KeyFocus(family), Scene(run: plain.run, row: plain.row, state: state))
        add(example, canvas.grid)
      }
      text += "\n"
    }
  }

  /// What a widget of a size finds: figures, axes and time are those of a HUD that shows the program.
  private func scene(_ example: Example, _ family: HUDFamily, _ size: Size) -> Scene {
    let run =
      switch example {
      case .placeholder: GalleryProgram.beginning
      case .data: GalleryProgram.running
      case .stale: GalleryProgram.ended
      case .error: GalleryProgram.forbidden
      }
    let state = HUDState(language: language, isASCII: isASCII, family: family)
    let columns = max(size.columns, 24) + (family == .overlay ? 2 : 0)
    var hud = HUD(size: Size(rows: 26, columns: columns), state: state)
    hud.draw(run, now: run.latest?.time ?? run.header.start)
    return Scene(run: run, row: hud.state.shown, state: hud.state)
  }

  private mutating func add(_ example: Example, _ grid: CellGrid) {
    text += "  \(example.rawValue)\n"
    for row in 0..<grid.size.rows {
      text += "    |"
      for column in 0..<grid.size.columns where !grid[row, column].isContinuation {
        text.unicodeScalars.append(Unicode.Scalar(grid[row, column].scalarValue) ?? " ")
      }
      text += "|\n"
    }
  }
}
