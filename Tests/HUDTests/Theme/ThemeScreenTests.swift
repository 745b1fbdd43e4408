import Metrics
import PerfHUDBase
import PerfHUDEvents
import Terminal
import TestSupport
import Testing

@testable import HUD

/// Whole screens in each theme: what is there, and what each cell looks like at each depth of color.
@Suite struct ThemeScreenTests {
  private static let depths: [ColorDepth] = [.indexed, .sixteen, .none]

  /// Two phases, actions of which one is too frequent, and a rule that holds.
  private static let run: Run = {
    var header = RunHeader(
      start: MadeUpProcess.start, wallClockOffset: 1_700_000_000_000_000_000,
      interval: 100_000_000, tickPeriod: 16_666_666, command: "/usr/bin/demo",
      name: processName("demo"))
    header.alerts = ["threads > 4"].compactMap { try? Rule($0) }
    var process = MadeUpProcess(header: header)
    for visit in 0..<6 {
      var phase = Event(.phase)
      phase.name = Event.Name(visit.isMultiple(of: 2) ? "gallery" : "canvas")
      process.apply(.event(phase, process.now))
      for _ in 0..<60 {
        for _ in 0..<4 {
          var action = Event(.action)
          action.name = Event.Name("pen.move")
          process.apply(.event(action, process.now))
        }
        process.step()
      }
      process.apply(.mark(process.now))
    }
    return process.run
  }()

  /// The overview with a notice, and, where there is less room, the actions with the keys.
  private func hud(_ columns: Int, _ rows: Int) -> HUD {
    let keys: [Key] = columns < 60 ? [.character("a"), .character("f")] : []
    return screen(columns, rows, ThemeScreenTests.run, keys: keys)
  }

  /// What a style looks like, as the table of a theme has it.
  private func look(_ style: Style) -> String {
    func text(_ color: Color) -> String {
      color == .standard ? "-" : color.paletteIndex.map { "\($0)" } ?? "?"
    }
    var look = text(style.foreground)
    if style.background != .standard { look += " on \(text(style.background))" }
    let weights: [(Attributes, String)] = [
      (.bold, "bold"), (.dim, "dim"), (.underline, "underline"), (.reverse, "reverse"),
    ]
    for (attribute, word) in weights where style.attributes.contains(attribute) {
      look += " \(word)"
    }
    return look
  }

  @Test(arguments: Palette.allCases, [(80, 24), (44, 15)])
  func `a screen, the looks of its cells, and what they are at 256, at 16 and without colors`(
    palette: Palette, size: (columns: Int, rows: Int)
  ) throws {
    let hud = hud(size.columns, size.rows)
    let picture = hud.picture
    let styles = ThemeScreenTests.depths.map { Theme(depth: $0, palette: palette).styles }
    let allLooks = styles[0].indices.map { style in styles.map { look($0[style]) } }
    var letters: [[String]: Unicode.Scalar] = [:]
    var legend: [String] = []
    var map: [String] = []
    for row in 0..<picture.size.rows {
      var line = ""
      for column in 0..<picture.size.columns {
        let looks = allLooks[Int(picture[row, column].style.raw)]
        if letters[looks] == nil {
          let letter = Unicode.Scalar(UInt8(ascii: "a") + UInt8(letters.count))
          letters[looks] = letter
          legend.append("\(letter): " + looks.joined(separator: " | "))
        }
        line.unicodeScalars.append(try #require(letters[looks]))
      }
      map.append(line)
    }
    let text = (hud.lines + [""] + map + [""] + legend).joined(separator: "\n")
    expectGolden(text, file: "Golden/Themes/\(palette.rawValue)-\(size.columns)x\(size.rows).txt")
  }
}
