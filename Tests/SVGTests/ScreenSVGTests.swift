import Terminal
import Testing

@testable import SVG

/// The picture of a screen that was sent a text; `^` is an escape character.
private func picture(_ text: String, rows: Int = 2, columns: Int = 12) -> ScreenPicture {
  var screen = Screen(Size(rows: rows, columns: columns))
  _ = unsafe screen.feed(Array(text.replacing("^", with: "\u{1B}").utf8).span.bytes)
  return ScreenPicture(screen)
}

private func svg(_ picture: ScreenPicture, colors: TerminalColors = .dark) -> String {
  ScreenSVG.text(picture, title: "a <title>", description: "b & c", colors: colors)
}

/// The elements `text` of the screen, without the title of the window.
private func texts(_ picture: ScreenPicture) -> [String] {
  svg(picture).split(separator: "\n").filter { $0.hasPrefix("<text") }.dropFirst().map {
    String($0)
  }
}

private func shapes(_ text: String, rows: Int = 2, columns: Int = 12) -> ScreenShapes {
  ScreenShapes(picture(text, rows: rows, columns: columns), .dark)
}

@Suite struct ScreenSVGTests {
  @Test func `a run of text has its place and its width`() {
    #expect(
      texts(picture("  one two   3", columns: 20)).first
        == "<text x=\"18\" y=\"13.75\" textLength=\"63\">one two</text>")
  }

  @Test func `two blanks, another color and a character that fonts may lack end a run`() {
    let picture = picture("ab  cd^[31mef^[m→gh")
    #expect(texts(picture).count == 5)
    for run in [">ab<", ">cd<", ">ef<", ">→<", ">gh<"] {
      #expect(svg(picture).contains(run), "\(run)")
    }
  }

  @Test func `markup in the text, the title and the description is escaped`() {
    let text = svg(picture("a<b>&\"c"))
    #expect(text.contains(">a&lt;b&gt;&amp;&quot;c</text>"))
    #expect(text.contains("<title>a &lt;title&gt;</title>"))
    #expect(text.contains("<desc>b &amp; c</desc>"))
  }

  @Test func `a wide character has the width of two cells, an emoji is in their middle`() {
    #expect(texts(picture("日")).first?.contains("textLength=\"18\" lengthAdjust") == true)
    #expect(
      texts(picture("🎨")).first?.contains("x=\"9\" y=\"13.75\" text-anchor=\"middle\"") == true)
  }

  @Test func `bold, italic, dim and reverse text`() {
    let all = svg(picture("^[1mb^[0;3mi^[0;2md^[0;7mr"))
    #expect(all.contains("font-weight=\"bold\""))
    #expect(all.contains("font-style=\"italic\""))
    let colors = TerminalColors.dark
    let dim = TerminalColors.mix(colors.foreground, colors.background, 0.4)
    #expect(all.contains("fill=\"\(SVGText.color(dim))\""))
    let reversed = shapes("^[7mr").backgrounds.entries
    #expect(reversed.map(\.key) == [colors.foreground])
  }

  @Test func `colors by number and by value`() {
    let colors = TerminalColors.dark
    func front(_ text: String) -> UInt32 { colors.colors(of: picture(text)[0, 0].style).foreground }
    #expect(front("^[38;2;1;2;3mx") == 0x01_0203)
    #expect(front("^[38;5;208mx") == 0xFF_8700)
    #expect(front("^[31mx") == colors.named[1])
    #expect(front("^[91mx") == colors.named[9])
    #expect(front("x") == colors.foreground)
    #expect(front("^[8mx") == colors.background)
  }

  @Test func `the same screen makes the same document`() {
    let text = "^[1mone^[0m ┌──┐ ⣿⡀ ▂▅█ 日🎨"
    #expect(svg(picture(text, columns: 40)) == svg(picture(text, columns: 40)))
  }

  @Test func `the cursor is drawn where it is shown`() {
    var screen = Screen(Size(rows: 1, columns: 4))
    _ = unsafe screen.feed(Array("ab".utf8).span.bytes)
    #expect(ScreenPicture(screen, showsCursor: true)[0, 2].style.attributes == .reverse)
    #expect(ScreenPicture(screen)[0, 2].style == .plain)
    _ = unsafe screen.feed(Array("\u{1B}[?25l".utf8).span.bytes)
    #expect(ScreenPicture(screen, showsCursor: true) == ScreenPicture(screen))
  }

  @Test func `graphics of the DEC set are drawn as lines`() {
    #expect(picture("^(0lqk")[0, 0].text == "┌")
    #expect(texts(picture("^(0lqk")).isEmpty)
  }
}

@Suite struct ScreenShapesTests {
  @Test func `a horizontal line over several cells is one line`() {
    let lines = shapes("───").lines.entries
    #expect(lines.map { $0.layer.data } == ["M0 9h27"])
  }

  @Test func `a box is four lines`() {
    let box = shapes("┌──┐\r\n│  │\r\n└──┘", rows: 3).lines.entries
    #expect(box.map { $0.layer.data } == ["M4.5 9h27M4.5 45h27M4.5 9v36M31.5 9v36"])
  }

  @Test func `a double line has two lines, and corners that meet`() {
    let box = shapes("╔═╗\r\n╚═╝").lines.entries
    #expect(
      box.map { $0.layer.data } == [
        "M2.75 7.25h21.5M6.25 10.75h14.5M6.25 25.25h14.5M2.75 28.75h21.5"
          + "M2.75 7.25v21.5M6.25 10.75v14.5M20.75 10.75v14.5M24.25 7.25v21.5"
      ])
  }

  @Test func `every box character has lines, and only the diagonals and arcs have others`() {
    for value in UInt32(0x2500)...0x257F {
      let text = Unicode.Scalar(value).map { String($0) } ?? ""
      switch GlyphShape(text) {
      case .lines(let arms):
        #expect(arms != BoxArms(), "\(text)")
        #expect(shapes(text).lines.entries.allSatisfy { !$0.layer.data.isEmpty }, "\(text)")
      case .arc, .diagonals: #expect((0x256D...0x2573).contains(value), "\(text)")
      default: Issue.record("\(text) is not drawn")
      }
    }
  }

  @Test func `blocks of the same height become one rectangle, also over rows`() {
    let blocks = shapes("██\r\n██").blocks.entries
    #expect(blocks.map { $0.layer.path.data } == ["M0 0h18v36h-18z"])
    #expect(
      shapes("▄▄ ▁").blocks.entries[0].layer.path.data == "M0 9h18v9h-18zM27 15.75h9v2.25h-9z")
    #expect(shapes("▚").blocks.entries[0].layer.rectangles.count == 2)
  }

  @Test func `every block character but the shades has rectangles within its cell`() {
    for value in UInt32(0x2580)...0x259F where !(0x2591...0x2593).contains(value) {
      let parts = BlockPart.parts(value)
      #expect(!parts.isEmpty)
      for part in parts {
        #expect(part.columns > 0 && part.rows > 0)
        #expect(part.column + part.columns <= 8 && part.row + part.rows <= 8)
      }
    }
  }

  @Test func `a shade is between the colors`() {
    let colors = TerminalColors.dark
    #expect(
      shapes("▒").blocks.entries.map(\.key)
        == [TerminalColors.mix(colors.background, colors.foreground, 0.5)])
  }

  @Test func `dots beside one another are a dotted line`() {
    let dots = shapes("⣿⣿").dots.entries
    #expect(
      dots.map { $0.layer.path.data }
        == ["M2.25 2.25h13.6M2.25 6.75h13.6M2.25 11.25h13.6M2.25 15.75h13.6"])
    #expect(shapes("⠁⢀").dots.entries[0].layer.path.data == "M2.25 2.25h0.1M15.75 15.75h0.1")
  }

  @Test func `lines below, through and above the text`() {
    #expect(shapes("^[4mab").lines.entries.map { $0.layer.data } == ["M0 15.5h18"])
    #expect(shapes("^[21ma").lines.entries.map { $0.layer.data } == ["M0 15.5h9M0 17.5h9"])
    #expect(shapes("^[9;53ma").lines.entries.map { $0.layer.data } == ["M0 0.5h9M0 9.5h9"])
    #expect(shapes("^[4;58;2;255;0;0ma").lines.entries.map(\.key.color) == [0xFF_0000])
  }
}
