import Metrics

/// What a group of keys in the help is about.
enum KeyGroup: CaseIterable {
  case replay, lists, graphs, processes, hud

  func word(_ keys: KeySet) -> Word {
    switch self {
    case .replay: .helpGroupReplay
    case .lists: keys.isOverlay ? .helpGroupLists : .helpGroupTabsAndLists
    case .graphs: .helpGroupGraphs
    case .processes: .helpGroupProcesses
    case .hud: .helpGroupHUD
    }
  }
}

/// A line of the help.
enum HelpLine {
  case heading(KeyGroup)
  case key(KeyBinding)

  var isHeading: Bool { if case .heading = self { true } else { false } }

  func word(_ keys: KeySet) -> Word {
    switch self {
    case .heading(let group): group.word(keys)
    case .key(let binding): binding.word
    }
  }
}

/// The lines of the help: the keys in the order of their table, below the headings of their groups.
struct HelpLines {
  let lines: [HelpLine]
  /// The same for two columns: those of the first one, then those of the second one. A group is in both only if the
  /// columns would otherwise differ much.
  let paired: [HelpLine]
  /// The index of the first line of the second column in these.
  let secondColumn: Int

  static func of(_ keys: KeySet) -> HelpLines {
    switch keys {
    case .pane: pane
    case .overlay: overlay
    case .replay: replay
    case .replayOverlay: replayOverlay
    }
  }

  // The tables never change, so a redraw builds nothing.
  private static let pane = HelpLines(KeyBinding.pane, first: .hud)
  private static let overlay = HelpLines(KeyBinding.overlay, first: .hud)
  private static let replay = HelpLines(KeyBinding.replay)
  private static let replayOverlay = HelpLines(KeyBinding.replayOverlay)

  /// - Parameter first: the group to begin with: that of the HUD, which has the keys to quit, to pause and to go back,
  ///   since the rest may have no room. In a recording the keys of that come first.
  private init(_ bindings: [KeyBinding], first: KeyGroup? = nil) {
    var groups: [[HelpLine]] = []
    let others = KeyGroup.allCases.filter { $0 != first }
    for group in (first.map { [$0] } ?? []) + others {
      let keys = bindings.filter { $0.group == group }
      guard !keys.isEmpty else { continue }
      groups.append([.heading(group)] + keys.map { .key($0) })
    }
    lines = groups.flatMap { $0 }
    let isLeft = HelpLines.leftGroups(groups.map(\.count))
    let columns = [true, false].map { side in
      groups.indices.filter { isLeft[$0] == side }.flatMap { groups[$0] }
    }
    let half = (lines.count + 1) / 2
    if max(columns[0].count, columns[1].count) <= half + 1 {
      paired = columns[0] + columns[1]
      secondColumn = columns[0].count
    } else {
      // Groups of such sizes would need more rows. No heading is the last line of a column.
      paired = lines
      secondColumn = half > 1 && lines[half - 1].isHeading ? half - 1 : half
    }
  }

  /// Which groups are in the first of two columns, with as few rows as possible, and as few groups before an earlier one.
  /// The first group is in the first column.
  ///
  /// - Parameter sizes: the lines of each group.
  private static func leftGroups(_ sizes: [Int]) -> [Bool] {
    var best: (rows: Int, swaps: Int, isLeft: [Bool])?
    for mask in 0..<1 << sizes.count where mask & 1 == 1 {
      let isLeft = sizes.indices.map { mask >> $0 & 1 == 1 }
      let left = zip(sizes, isLeft).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
      let rows = max(left, sizes.reduce(0, +) - left)
      var swaps = 0
      for index in isLeft.indices where isLeft[index] {
        swaps += isLeft[..<index].count { !$0 }
      }
      if best.map({ (rows, swaps) < ($0.rows, $0.swaps) }) ?? true { best = (rows, swaps, isLeft) }
    }
    return best?.isLeft ?? []
  }

  /// The rows of one or two columns.
  func rows(columns: Int) -> Int {
    columns == 1 ? lines.count : max(secondColumn, lines.count - secondColumn)
  }

  /// The blank rows with which each group but the first one of its column stands apart in two columns.
  var blankRows: Int {
    func blanks(_ column: Int) -> Int {
      var count = 0
      for index in range(column: column, of: 2).dropFirst() where paired[index].isHeading {
        count += 1
      }
      return count + range(column: column, of: 2).count
    }
    return max(blanks(0), blanks(1)) - rows(columns: 2)
  }

  /// The lines of a column.
  func range(column: Int, of columns: Int) -> Range<Int> {
    guard columns > 1 else { return 0..<lines.count }
    return column == 0 ? 0..<secondColumn : secondColumn..<lines.count
  }
}

extension KeyBinding {
  var group: KeyGroup {
    switch word {
    case .helpPlay, .helpSpeed, .helpStep, .helpSeek, .helpSeekMinute, .helpSeekEnds, .helpSeekTime,
      .helpScreen, .helpNextPhase, .helpNextSlowFrame, .helpNextAlert, .helpNextUserMark:
      .replay
    case .helpTabs, .helpTabsByNumber, .helpNextFocus, .helpPhases, .helpMappings, .helpActions,
      .helpFrames, .helpProcesses, .helpWhySlow, .helpLog, .helpAlerts, .helpList, .helpFocus,
      .helpFind, .helpFilter:
      .lists
    case .helpZoom, .helpLogScale, .helpBaseline, .helpGraph, .helpScale, .helpMark, .helpReset,
      .helpMarks, .helpAtLeast:
      .graphs
    case .helpChildren, .helpProcessOrder, .helpCommandLine, .helpSignal, .helpRenice, .helpPSS:
      .processes
    default: .hud
    }
  }
}
