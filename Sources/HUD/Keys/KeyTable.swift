import Metrics
import Terminal

/// The command of a key.
package enum HUDCommand: Equatable, Sendable {
  case quit
  case pause
  case faster
  case slower
  case graphStyle
  case cpuScale
  case mark
  case resetPeaks
  case readPSS
  /// Write the last part of the run to a file.
  case recordLast
  /// Count the children of the target, or no longer.
  case countChildren
  case help
  /// Show a page of the list; a second time close it, or leave its tab.
  case page(ListPage)
  /// Sort the processes by the next metric.
  case processOrder
  /// Switch between the processes as a tree and a list sorted by that metric.
  case processView
  /// Switch between command lines and names of the processes.
  case commandLine
  /// Show the menu of signals for the selected process.
  case signals
  /// Add this to the nice value of the selected process.
  case renice(Int32)
  /// Show a tab of a pane.
  case tab(PaneTab)
  /// Leave the tab for the overview.
  case leave
  /// Show the tab at this distance to the right; to the left if negative.
  case moveTab(Int)
  /// Focus the next part of a pane, or with -1 the previous one.
  case moveFocus(Int)
  /// Show more time in each cell of the graphs, or less with -1.
  case zoom(Int)
  case logScale
  /// Keep the current graphs as a baseline.
  case baseline
  case forgetBaseline
  /// Focus the list.
  case focusList
  /// Show the settings.
  case settings
  /// Leave the terminal to the shell until the job is continued.
  case suspend
  /// Draw everything again.
  case redraw
  /// Hide the HUD and return the keys to the program.
  case hide
  case corner(CornerStep)
  case nextSize
  /// Return the keys to the program.
  case back
  /// Keep the focus until a key returns it.
  case keepFocus
  /// A command that only a replay executes.
  case replay(ReplayAction)
}

/// An entry in the table of keys and their commands. The help is generated from this table.
package struct KeyBinding: Sendable {
  /// The keys of the command.
  package let commands: [(key: Key, command: HUDCommand)]
  /// The keys as the help shows them.
  package let label: StaticString
  /// Whether the key is the prefix key, whose name replaces the label.
  let isPrefixKey: Bool
  /// The label in ASCII, if it differs.
  var plainLabel: StaticString?
  package let word: Word

  init(
    _ keys: [Key], _ label: StaticString, plain: StaticString? = nil, _ command: HUDCommand,
    _ word: Word
  ) {
    self.init(keys.map { ($0, command) }, label, word)
    plainLabel = plain
  }

  init(_ commands: [(Key, HUDCommand)], _ label: StaticString, _ word: Word) {
    self.commands = commands.map { (key: $0.0, command: $0.1) }
    self.label = label
    self.word = word
    isPrefixKey = false
  }

  /// The entry of the prefix key.
  private init(prefix word: Word) {
    commands = []
    label = ""
    self.word = word
    isPrefixKey = true
  }

  /// An entry without a command: keys of a list, or the meaning of a mark on a graph.
  private init(fixed label: StaticString, plain: StaticString? = nil, _ word: Word) {
    self.init([], label, word)
    plainLabel = plain
  }

  /// The keys that only some lists have.
  static let list = [
    KeyBinding(fixed: "/ n N", .helpFind), KeyBinding(fixed: "&", .helpFilter),
    KeyBinding(fixed: "k", .helpSignal), KeyBinding(fixed: "[ ]", .helpRenice),
  ]

  /// The command of a key for the selected process in the list of processes, as in htop; `nil` if the key has none.
  package static func processCommand(for key: Key) -> HUDCommand? {
    switch key {
    case .character("k"), .function(9): .signals
    case .character("["), .function(8): .renice(1)
    case .character("]"), .function(7): .renice(-1)
    default: nil
    }
  }

  /// The keys of both families that change what is shown and measured.
  static let common: [KeyBinding] = [
    KeyBinding([.character(" ")], "space", .pause, .helpPause),
    KeyBinding([.character("+"), .character("=")], "+", .faster, .helpFaster),
    KeyBinding([.character("-"), .character("_")], "-", .slower, .helpSlower),
    KeyBinding([.character("g")], "g", .graphStyle, .helpGraph),
    KeyBinding([.character("I"), .character("i")], "I", .cpuScale, .helpScale),
    KeyBinding([.character("m")], "m", .mark, .helpMark),
    KeyBinding([.character("r")], "r", .resetPeaks, .helpReset),
    KeyBinding([.character("P")], "P", .readPSS, .helpPSS),
    KeyBinding([.character("w")], "w", .recordLast, .helpRecordLast),
    KeyBinding([.character("p")], "p", .page(.phases), .helpPhases),
    KeyBinding([.character("M")], "M", .page(.mappings), .helpMappings),
    KeyBinding([.character("a")], "a", .page(.actions), .helpActions),
    KeyBinding([.character("F")], "F", .page(.frames), .helpFrames),
    KeyBinding(
      [(.character("t"), .page(.processes)), (.character("T"), .page(.threads))], "t T",
      .helpProcesses),
    KeyBinding(
      [(.character("o"), .processOrder), (.character("v"), .processView)], "o v",
      .helpProcessOrder),
    KeyBinding([.character("c")], "c", .commandLine, .helpCommandLine),
    KeyBinding([.character("y")], "y", .page(.bottlenecks), .helpWhySlow),
    KeyBinding([.character("l")], "l", .page(.log), .helpLog),
    KeyBinding([.character("!")], "!", .page(.alerts), .helpAlerts),
    KeyBinding([.character(",")], ",", .settings, .helpSettings),
    KeyBinding(fixed: "▼ ▾ ╹", plain: "v ' !", .helpMarks),
    KeyBinding(fixed: "≥", plain: ">", .helpAtLeast),
  ]

  /// The tabs of a pane, from left to right.
  private static let tabs: [(Key, HUDCommand)] = {
    let chosen: [(Key, HUDCommand)] = PaneTab.allCases.map { tab in
      (.character(Unicode.Scalar(UInt8(ascii: "1") + UInt8(tab.rawValue))), .tab(tab))
    }
    return chosen + [(.left, .moveTab(-1)), (.right, .moveTab(1))]
  }()

  /// The keys of a full-screen view.
  package static let pane: [KeyBinding] =
    [KeyBinding([.character("q"), .character("Q"), .control("c")], "q", .quit, .helpQuit)]
    + [
      KeyBinding(tabs, "1-7", .helpTabs),
      KeyBinding(
        [
          (.tab, .moveFocus(1)), (.down, .moveFocus(1)), (.backTab, .moveFocus(-1)),
          (.up, .moveFocus(-1)),
        ], "Tab", .helpNextFocus),
      KeyBinding([.escape], "Esc", .leave, .helpOverview),
      KeyBinding(
        [(.character("z"), .zoom(-1)), (.character("Z"), .zoom(1))], "z Z", .helpZoom),
      KeyBinding([.character("L")], "L", .logScale, .helpLogScale),
      KeyBinding(
        [(.character("b"), .baseline), (.character("B"), .forgetBaseline)], "b B", .helpBaseline),
    ] + common
    + [
      KeyBinding([.character("C")], "C", .countChildren, .helpChildren),
      KeyBinding([.character("f")], "f", .focusList, .helpList),
    ] + list + [
      KeyBinding([.character("?"), .character("h")], "?", .help, .helpHelp),
      KeyBinding([.control("l")], "^L", .redraw, .helpRedraw),
      KeyBinding([.control("z")], "^Z", .suspend, .helpSuspend),
    ]

  /// The keys of an overlay while it has the focus.
  package static let overlay: [KeyBinding] =
    [
      KeyBinding([.character("h"), .character("H")], "h", .hide, .helpHide),
      KeyBinding(
        [
          (.character("1"), .corner(.to(.topLeft))), (.character("2"), .corner(.to(.topRight))),
          (.character("3"), .corner(.to(.bottomLeft))),
          (.character("4"), .corner(.to(.bottomRight))), (.up, .corner(.up)),
          (.down, .corner(.down)), (.left, .corner(.left)), (.right, .corner(.right)),
        ], "1-4", .helpCorner),
      KeyBinding([.character("s")], "s", .nextSize, .helpSize),
    ] + common + [
      KeyBinding(
        [.character("f"), .enter], "f ↵", plain: "f Ent", .keepFocus, .helpKeepFocus),
      KeyBinding([.tab], "Tab", .focusList, .helpFocus),
    ] + list + [
      KeyBinding([.character("?")], "?", .help, .helpHelp),
      KeyBinding([.control("l")], "^L", .redraw, .helpRedraw),
      KeyBinding([.escape, .character("q"), .control("c")], "Esc q", .back, .helpBack),
      KeyBinding(prefix: .helpPrefixKey),
    ]

  package static func all(_ keys: KeySet) -> [KeyBinding] {
    switch keys {
    case .pane: pane
    case .overlay: overlay
    case .replay: replay
    case .replayOverlay: replayOverlay
    }
  }

  /// The command of a key, or `nil` if it has none.
  package static func command(for key: Key, in keys: KeySet) -> HUDCommand? {
    for binding in all(keys) {
      for (candidate, command) in binding.commands where candidate == key { return command }
    }
    return keys.isReplay && isRefused(key) ? .replay(.refuse) : nil
  }
}

/// The command of a key in a list.
package enum ListCommand: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end
  /// Start typing a search or a filter.
  case search, filter
  case nextMatch, previousMatch

  /// Whether text is typed after it.
  var isTyped: Bool { self == .search || self == .filter }

  /// The keys of every list, as in less, vi and htop.
  package init?(_ key: Key) {
    switch key {
    case .up, .character("k"): self = .up
    case .down, .character("j"): self = .down
    case .pageUp, .character("b"), .control("b"): self = .pageUp
    case .pageDown, .character(" "), .control("f"): self = .pageDown
    case .home, .character("g"): self = .home
    case .end, .character("G"): self = .end
    case .character("/"), .function(3): self = .search
    case .character("&"), .function(4): self = .filter
    case .character("n"): self = .nextMatch
    case .character("N"): self = .previousMatch
    default: return nil
    }
  }
}

/// The command of a key in the settings editor.
package enum SettingsCommand: Equatable, Sendable {
  case up, down, pageUp, pageDown, home, end
  /// Take the previous or the next value.
  case previous, next
  /// Start typing a value.
  case type
  /// Close it and undo all changes.
  case undo
  /// Close it and keep all changes.
  case keep
  case save

  package init?(_ key: Key) {
    switch key {
    case .up, .character("k"): self = .up
    case .down, .character("j"), .tab: self = .down
    case .pageUp, .control("b"): self = .pageUp
    case .pageDown, .control("f"): self = .pageDown
    case .home, .character("g"): self = .home
    case .end, .character("G"): self = .end
    case .left, .character("h"), .character("-"): self = .previous
    case .right, .character("l"), .character("+"), .character(" "): self = .next
    case .enter: self = .type
    case .escape, .control("c"): self = .undo
    case .character(","), .character("q"): self = .keep
    case .character("S"), .character("s"): self = .save
    default: return nil
    }
  }
}
