import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The kind of HUD.
public enum HUDFamily: Sendable {
  /// A full-screen view, or a side pane.
  case pane
  /// An overlay: drawn over a program, with a border or in reverse video.
  case overlay
}

/// A run at the time when the picture was frozen. In a box: a run is large, and rarely frozen.
final class FrozenRun: Sendable {
  let run: Run
  init(_ run: borrowing Run) { self.run = copy run }
}

/// The state of the view: keys change it, and recordings do not have it.
public struct HUDState: Sendable {
  public var language: Language
  public var graphStyle: GraphStyle
  /// Whether only ASCII is drawn.
  public var isASCII: Bool
  public let family: HUDFamily
  /// Whether the HUD has the focus, not the program beneath; the frame of an overlay shows it.
  public var hasKeys = false
  /// The name of the prefix key; empty without one.
  public var prefixKey = ""
  /// The tab of a pane that is shown.
  public internal(set) var tab = PaneTab.overview
  /// Where the underline of the tabs is while it moves, in columns of the row.
  var tabLine: Range<Int>?
  /// Whether the underline slides to a tab that was chosen. Tests of single pictures switch it off.
  public var isAnimated = true
  /// What the overview of a pane shows.
  public var layout = OverviewLayout.standard
  /// The list on the standard overview, and whether it is a long one.
  var listPanel: WidgetID? = .threads
  var hasLongPanel = false
  /// What the window of the list shows.
  public var page = ListPage.log
  /// How the list of processes is sorted, and whether children follow their parents.
  public var processOrder = ProcessOrder.cpu
  public var isProcessTree = true
  /// Whether processes have their command lines; else their names.
  public var showsCommandLine = true
  /// Whether the log has the focus; its frame shows it.
  var isLogFocused = false
  /// The name of the prefix key while the frame shows it; empty otherwise.
  public var prefixKeyHint = ""
  /// CPU as a share of all processors that the target may use.
  public var cpuOfAll = false
  /// The frozen run, while the picture is paused.
  var frozen: FrozenRun?
  /// The interval that the user last chose, in nanoseconds.
  public var interval: UInt64
  /// The duration of a cell of a graph, in nanoseconds.
  public var cellDuration: UInt64 = 1_000_000_000
  /// Where the graphs end while nothing changes; `nil`: at the newest sample.
  var graphEnd: Instant?
  /// The view of the graphs.
  public internal(set) var graph = GraphViewport()
  /// The thresholds that graphs show.
  public var thresholds: [GraphThreshold] = []
  /// The values that are shown: they change twice a second, so that they can be read.
  public var shown: Row?
  /// What the target waits for, shown in the edge of an overlay; `nil` where it waits for nothing.
  var heldBack: Metric?
  /// The name of the target, made harmless; updated only when it changes.
  public var name = ""
  /// Whether there are phases, from any source.
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

  /// Whether the gauges have the focus.
  var hasFocus: Bool { hasKeys && !isLogFocused }

  /// Selects the next graph style.
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
  /// The one of `toasts` that shows the result of the last key.
  var keyResult: ToastLine?
  /// The result of the last key, while no picture has shown it yet.
  var note: (text: String, seconds: Double)?
  var loading: LoadingLine?
  /// Whether the user has just closed a message that covered the screen.
  var hasClosedCover = false
  /// Until then no other one covers it.
  var noCoverUntil: Instant?
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
