/// The styles that the style numbers in the HUD's cells stand for, each with its SGR.
struct HUDStyles {
  private var styles: [Style]
  private var renditions: [[UInt8]]

  /// - Parameter styles: if there are none, all numbers stand for the plain style.
  init(_ styles: [Style]) {
    self.styles = styles.isEmpty ? [.plain] : styles
    renditions = OutputQueue.renditions(of: self.styles)
  }

  var count: Int { styles.count }

  /// The index of the style with this number: the last one if there are fewer.
  @inline(__always) func index(of style: StyleID) -> Int { min(Int(style.raw), styles.count - 1) }

  @inline(__always) subscript(index: Int) -> Style { styles[index] }

  /// The SGR that sets a style.
  @inline(__always) func rendition(_ index: Int) -> [UInt8] { renditions[index] }
}
