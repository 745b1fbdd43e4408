import Metrics
import Testing

@testable import HUD

@Suite struct TabBarTests {
  @Test func `as columns shrink the tabs lose numbers, then letters, then names`() {
    for language in Language.allCases {
      for width in 1...120 {
        for chosen in PaneTab.allCases {
          let bar = TabBar(chosen, width: width, language)
          for index in 1..<bar.count { #expect(bar[index - 1].upperBound < bar[index].lowerBound) }
          #expect(bar.hasName(chosen))
          // One name and the numbers of the others.
          #expect(bar[bar.count - 1].upperBound <= max(width, 10 + 2 * (bar.count - 1)))
        }
      }
    }
    for language in Language.allCases {
      #expect(TabBar(.overview, width: 80, language).form == .numbered)
      #expect(TabBar(.overview, width: 60, language).form == .names)
    }
    for language in Language.allCases {
      #expect(TabBar(.overview, width: 44, language).form == .shortNames)
    }
    let narrow = TabBar(.frames, width: 40, .english)
    #expect(narrow.form == .someNames && narrow.hasName(.frames))
    #expect(narrow.hasName(.memory) && !narrow.hasName(.actions))
  }
}
