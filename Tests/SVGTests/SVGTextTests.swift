import SVG
import Testing

@Suite struct SVGTextTests {
  @Test(arguments: [
    (0.0, "0"), (-0.0, "0"), (3, "3"), (12.5, "12.5"), (2.25, "2.25"), (-1.125, "-1.13"),
    (0.004, "0"), (-0.004, "0"), (100.05, "100.05"), (.infinity, "0"), (.nan, "0"),
    (1e300, "1000000000000"),
  ])
  func `a number has two decimals at most and no trailing zeros`(value: Double, text: String) {
    #expect(SVGText.number(value) == text)
  }

  @Test func `a color has six digits`() {
    #expect(SVGText.color(0x00_0A0F) == "#000a0f")
    #expect(SVGText.color(0xFF_FFFF) == "#ffffff")
  }

  @Test func `text cannot end an element or an attribute, nor have what XML forbids`() {
    #expect(
      SVGText.escaped("<a href=\"x\">&\u{1B}\u{0}\u{FFFF}日\n")
        == "&lt;a href=&quot;x&quot;&gt;&amp;\u{FFFD}\u{FFFD}\u{FFFD}日\n")
    var svg = SVGText()
    svg.element("text", ["x": "\"/>"], "</text>")
    #expect(svg.text == "<text x=\"&quot;/&gt;\">&lt;/text&gt;</text>\n")
  }

  @Test func `a path has its rectangles and lines`() {
    var path = SVGPath()
    path.rectangle(x: 1, y: -2, width: 3, height: 4.5)
    path.horizontal(0, 9, length: 18)
    path.vertical(4.5, 0, length: 9)
    path.move(0, 0)
    path.line(-1, 2)
    path.curve(by: 1, 2, to: -3, 4)
    #expect(path.data == "M1-2h3v4.5h-3zM0 9h18M4.5 0v9M0 0L-1 2Q1 2 -3 4")
  }
}
