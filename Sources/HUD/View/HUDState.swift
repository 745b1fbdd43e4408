import Base
import Metrics
import Sampler
import Terminal

/// How the HUD shares its screen.
public enum HUDFamily: Sendable {
  /// It fills a terminal or a pane of its own.
  case pane
  /// It lies on the screen of a program: something sets it apart from what is around it.
  case overlay
}

/// A run as it was when the picture was frozen. In a box: a run is large, and there hardly ever is one.
final class FrozenRun: Sendable {
  let run: Run
  init(_ run: borrowing Run) { self.run = copy run }
}

/// What only the view knows: it changes by keys and never enters a recording.
public struct HUDState: Sendable {
  public var language: Language
  public var graphStyle: GraphStyle
  /// No character beyond ASCII may be drawn.
  public var isASCII: Bool
  public let family: HUDFamily
  /// The keys go to the HUD and not to the program beneath; the edge of an overlay tells.
  public var hasKeys = false
  /// How the key is called that gives them to it; empty where none does.
  public var prefixKey = ""
  /// The tab of a pane that is shown.
  public internal(set) var tab = PaneTab.overview
  /// Where the underline of the tabs is while it moves, in columns of the row.
  var tabLine: Range<Int>?
  /// Whether the underline slides to a tab that was chosen. Tests of single pictures switch it off.
  public var isAnimated = true
  /// What the overview of a pane shows.
  public var layout = OverviewLayout.standard
  /// What the window of the list shows.
  public var page = ListPage.log
  /// How the list of processes is sorted, and whether children stand behind their parents.
  public var processOrder = ProcessOrder.cpu
  public var isProcessTree = true
  /// The keys are those of the log, whose edge tells then.
  var isLogFocused = false
  /// The key that gives them to it, as long as the edge says so.
  public var prefixKeyHint = ""
  /// CPU as a share of all processors that the target may use.
  public var cpuOfAll = false
  /// What the picture shows that stays while the run goes on.
  var frozen: FrozenRun?
  /// The interval that the user last chose, in nanoseconds.
  public var interval: UInt64
  /// Nanoseconds of a cell of a graph.
  public var cellDuration: UInt64 = 1_000_000_000
  /// Where the graphs end, while they wait for something to tell; `nil`: at the newest sample.
  var graphEnd: Instant?
  /// What the user has made of the graphs.
  public internal(set) var graph = GraphViewport()
  /// Lines that say where too much begins.
  public var thresholds: [GraphThreshold] = []
  /// The figures that are shown: they change twice a second, so that they can be read.
  public var shown: Row?
  /// The name of the target, made harmless; made anew only when it changes.
  public var name = ""
  /// The program has told its phases, or they were found out.
  public var hasPhases = false
  /// The axes of the graphs, kept as long as they fit.
  public var memoryAxis = Axis(low: 0, high: 1_048_576)
  public var cpuAxis = Axis(low: 0, high: 100)

  public init(
    language: Language = .english, graphStyle: GraphStyle = .braille, isASCII: Bool = false,
    interval: UInt64 = 100_000_000, family: HUDFamily = .pane
  ) {
    self.family = family
    self.language = isASCII ? .english : language
    self.graphStyle = isASCII ? .ascii : graphStyle
    self.isASCII = isASCII
    self.interval = interval
  }

  /// The keys are those of the gauges.
  var hasFocus: Bool { hasKeys && !isLogFocused }

  /// The next style of graph that may be drawn.
  mutating func nextGraphStyle() {
    guard !isASCII else { return }
    switch graphStyle {
    case .braille: graphStyle = .block
    case .block: graphStyle = .ascii
    case .ascii: graphStyle = .braille
    }
  }
}

/// The tab of a pane, beside what `HUDState` has of it.
struct PaneTabState: Sendable {
  /// Whether a list is shown.
  var hasList = false
  /// The page of the overview when another tab was chosen.
  var overviewPage: ListPage?
  /// Whether the gauges are one row.
  var isCollapsed = false
  /// Whether the log was shown before it got the keys.
  var keepsLog = false
}

/// Short lines over the picture.
struct Messages: Sendable {
  var toasts: [ToastLine] = []
  /// Those of `toasts` that show the result of a key.
  var keyResults: [ToastLine] = []
  /// Results of keys that no picture has shown yet.
  var notes: [String] = []
  var loading: LoadingLine?
}

/// What was drawn last, and when.
struct DrawnPicture: Sendable {
  var time: Instant?
  /// The end of the graphs.
  var graphEnd: Instant?
  var size: Size?
  /// The time of the list of processes.
  var table: Instant?
  /// When the values changed.
  var valuesTime: Instant?
  /// When the cost of perfhud itself changed.
  var ownCostTime: Instant?
}
