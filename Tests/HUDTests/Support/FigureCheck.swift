/// Tells whether a row of a screen has a figure that is cut from its unit.
struct FigureCheck {
  // A literal is parsed wherever it stands, each time.
  private let digits = /[0-9]+\.[0-9]+/
  private let unit =
    /( ?%| ([KMGTP]iB|B)(\/s)?| ms(\/s)?|\/s|s\b|[kKMG]\b|B\b| FPS| [KMGTP]?i?B\/frame)/
  private let cutUnit = /(\b[KMGT]i|\bFP|[0-9] m)( |$)|[0-9] (ms?\/?|[KMGT]i?)[…~]/

  func isCut(_ line: String) -> Bool {
    for figure in line.matches(of: digits) {
      let before = line[..<figure.range.lowerBound].last
      // Part of a name.
      if before?.isLetter == true || before == "." || before == "/" { continue }
      if line[figure.range.upperBound...].prefixMatch(of: unit) == nil { return true }
    }
    return line.firstMatch(of: cutUnit) != nil
  }
}
