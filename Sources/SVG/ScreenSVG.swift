import Terminal

/// Writes what a screen shows as an SVG document: a window with a title.
///
/// Text uses the reader's monospaced font, with a fixed width for each run. Lines, blocks and braille are drawn as
/// shapes, so they join in every font.
package struct ScreenSVG {
  private let picture: ScreenPicture
  private let colors: TerminalColors
  private var svg = SVGText()

  private static let padding = 10.0
  private static let titleHeight = 28.0
  private static let fontSize = 15.0
  /// The distance from the top of a cell to the baseline of its text.
  private static let baseline = 13.75
  private static let fonts =
    "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace"

  /// - Parameters:
  ///   - title: the text in the bar above the screen.
  ///   - description: a description of the picture, for users who cannot see it.
  /// - Returns: an SVG document. The same arguments produce the same bytes.
  package static func text(
    _ picture: ScreenPicture, title: String, description: String, colors: TerminalColors = .dark
  ) -> String {
    var writer = ScreenSVG(picture: picture, colors: colors)
    writer.write(title: title, description: description)
    return writer.svg.text
  }

  private init(picture: ScreenPicture, colors: TerminalColors) {
    self.picture = picture
    self.colors = colors
  }

  private mutating func write(title: String, description: String) {
    let padding = ScreenSVG.padding
    let width = Double(picture.size.columns) * ScreenShapes.width + 2 * padding
    let height =
      Double(picture.size.rows) * ScreenShapes.height + 2 * padding + ScreenSVG.titleHeight
    let number = SVGText.number
    svg.open(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "width": number(width), "height": number(height),
        "viewBox": "0 0 \(number(width)) \(number(height))", "role": "img",
        "font-family": ScreenSVG.fonts, "font-size": number(ScreenSVG.fontSize),
      ])
    svg.newline()
    svg.element("title", [:], title)
    svg.element("desc", [:], description)
    writeWindow(title: title, width: width, height: height)
    svg.open(
      "g", ["transform": "translate(\(number(padding)) \(number(padding + ScreenSVG.titleHeight)))"]
    )
    svg.newline()
    writeShapes(ScreenShapes(picture, colors))
    writeText()
    svg.close("g")
    svg.close("svg")
  }

  private mutating func writeWindow(title: String, width: Double, height: Double) {
    let number = SVGText.number
    svg.element(
      "rect",
      [
        "x": "0.5", "y": "0.5", "width": number(width - 1), "height": number(height - 1), "rx": "8",
        "fill": SVGText.color(colors.background), "stroke": SVGText.color(colors.edge),
      ])
    // The bar, with the upper corners of the window.
    let bar = ScreenSVG.titleHeight
    svg.element(
      "path",
      [
        "d": "M1 \(number(bar))V8.5a7.5 7.5 0 0 1 7.5-7.5H\(number(width - 8.5))"
          + "a7.5 7.5 0 0 1 7.5 7.5V\(number(bar))z",
        "fill": SVGText.color(colors.titleBar),
      ])
    for (index, color) in [0xEC_6A5E, 0xF4_BF4F, 0x61_C554].enumerated()
      as EnumeratedSequence<[UInt32]>
    {
      svg.element(
        "circle",
        [
          "cx": number(16 + Double(index) * 18), "cy": number(bar / 2 + 0.5), "r": "5",
          "fill": SVGText.color(color),
        ])
    }
    svg.element(
      "text",
      [
        "x": number(width / 2), "y": number(bar / 2 + 5), "text-anchor": "middle",
        "font-size": "13", "fill": SVGText.color(dimmed),
      ], title)
  }

  private var dimmed: UInt32 { TerminalColors.mix(colors.foreground, colors.titleBar, 0.35) }

  // MARK: Shapes

  private mutating func writeShapes(_ shapes: ScreenShapes) {
    for layers in [shapes.backgrounds, shapes.blocks] {
      for (color, layer) in layers.entries {
        svg.element(
          "path",
          [
            "d": layer.path.data, "fill": SVGText.color(color), "shape-rendering": "crispEdges",
          ])
      }
    }
    for (color, layer) in shapes.dots.entries {
      svg.element(
        "path",
        [
          "d": layer.path.data, "stroke": SVGText.color(color), "stroke-width": "3.2",
          "stroke-linecap": "round",
          "stroke-dasharray": "0.01 \(SVGText.number(ScreenShapes.dotStep - 0.01))", "fill": "none",
        ])
    }
    for (stroke, layer) in shapes.lines.entries {
      svg.element(
        "path",
        [
          "d": layer.data, "stroke": SVGText.color(stroke.color),
          "stroke-width": SVGText.number(stroke.width), "fill": "none",
        ])
    }
  }

  // MARK: Text

  /// The properties that all runs of a group share.
  private struct Font: Hashable {
    var color: UInt32
    var isBold: Bool
    var isItalic: Bool
  }

  private struct TextRun {
    let row: Int
    let column: Int
    var columns: Int
    var text: String
    /// Whether other characters may follow in the same run.
    let isPlain: Bool
    /// Whether it keeps its own width and is centered in its cells.
    let isPictograph: Bool

    init(_ row: Int, _ column: Int, _ glyph: ScreenPicture.Glyph) {
      self.row = row
      self.column = column
      columns = glyph.columns
      text = glyph.text
      isPlain = ScreenSVG.isPlain(text)
      isPictograph = text.unicodeScalars.contains { $0.value >= 0x1_F000 || $0.value == 0xFE0F }
    }
  }

  private mutating func writeText() {
    var groups = OrderedLayers<Font, [TextRun]>()
    for row in 0..<picture.size.rows { collectText(row, into: &groups) }
    for (font, runs) in groups.entries {
      svg.open(
        "g",
        [
          "fill": SVGText.color(font.color), "font-weight": font.isBold ? "bold" : "normal",
          "font-style": font.isItalic ? "italic" : "normal",
        ])
      svg.newline()
      for run in runs { write(run) }
      svg.close("g")
    }
  }

  private func collectText(_ row: Int, into groups: inout OrderedLayers<Font, [TextRun]>) {
    var open: (font: Font, run: TextRun)?
    // A single blank does not end a run. Two would, because XML collapses them into one.
    var hasBlank = false
    func end() {
      if let (font, run) = open { groups[font, default: []].append(run) }
      open = nil
      hasBlank = false
    }
    for column in 0..<picture.size.columns {
      let glyph = picture[row, column]
      if GlyphShape(glyph.text) != nil {
        if glyph.text == " ", open != nil, !hasBlank { hasBlank = true } else { end() }
        continue
      }
      let font = Font(
        color: colors.colors(of: glyph.style).foreground,
        isBold: glyph.style.attributes.contains(.bold),
        isItalic: glyph.style.attributes.contains(.italic))
      if let (current, run) = open, current == font, run.isPlain, ScreenSVG.isPlain(glyph.text) {
        open?.run.text += hasBlank ? " " + glyph.text : glyph.text
        open?.run.columns += hasBlank ? 2 : 1
        hasBlank = false
        continue
      }
      end()
      open = (font, TextRun(row, column, glyph))
    }
    end()
  }

  /// Whether every monospaced font has all characters of the text, each one column wide.
  private static func isPlain(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
      (0x21...0x7E).contains($0.value) || (0xA1...0x17F).contains($0.value)
    }
  }

  private mutating func write(_ run: TextRun) {
    let number = SVGText.number
    let x = Double(run.column) * ScreenShapes.width
    let y = number(Double(run.row) * ScreenShapes.height + ScreenSVG.baseline)
    let width = Double(run.columns) * ScreenShapes.width
    if run.isPictograph {
      svg.element(
        "text", ["x": number(x + width / 2), "y": y, "text-anchor": "middle", "font-size": "13"],
        run.text)
    } else if run.isPlain {
      svg.element("text", ["x": number(x), "y": y, "textLength": number(width)], run.text)
    } else {
      // A substitute font may give the text another width.
      svg.element(
        "text",
        [
          "x": number(x), "y": y, "textLength": number(width), "lengthAdjust": "spacingAndGlyphs",
        ], run.text)
    }
  }
}
