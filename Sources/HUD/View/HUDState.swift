import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler
import Terminal

/// The kind of HUD.
package enum HUDFamily: Sendable {
  /// A full-screen view, or a side pane.
  case pane
  /// An overlay: drawn over a program, with a border or in reverse video.
  case overlay
}

/// A run as it was when the picture was frozen. A class, because a run is large and rarely frozen.
final class FrozenRun: Sendable {
  let run: Run
  init(_ run: borrowing Run) { self.run = copy run }
}

/// The state of the view, which keys change and recordings do not contain.
package struct HUDState: Sendable {
  package var language: Language
  package var graphStyle: GraphStyle
  /// Whether the program has the alternate screen, and so draws frames or is about to.
  var programFillsScreen = false
  /// Whether only ASCII is drawn.
  package var isASCII: Bool
  package let family: HUDFamily
  /// Whether the HUD has the focus instead of the program beneath; the frame of an overlay shows this.
  package var hasKeys = false
  /// The name of the prefix key; empty without one.
  package var prefixKey = ""
  /// Whether each key for the HUD comes after the prefix key, as the help says.
  var needsPrefixKey = false
  /// What a pane shows, on which its layout depends.
  package var view = PaneView()
  /// The position of the tabs' underline while it moves, in columns of the row.
  var tabLine: Range<Int>?
  /// Whether the underline slides to a chosen tab. Tests of single pictures switch this off.
  package var isAnimated = true
  /// The content of the list window.
  package var page = ListPage.log
  /// How many alerts had been raised when their page or the log was last shown.
  var seenAlerts: UInt64 = 0
  package internal(set) var processList = ProcessListOptions()
  /// Whether the list has the focus; its frame shows it.
  var isListFocused = false
  /// Whether a search or a filter is being typed, or the menu of signals is open.
  var isPromptFocused = false
  /// Whether a search or a filter is being typed.
  var isTypingInList = false
  /// The name of the prefix key while the frame shows it; empty otherwise.
  package var prefixKeyHint = ""
  /// The toast in the lower edge of an overlay.
  var edgeToast: ToastLine?
  /// The action that a toast in a row of its own says is HIGH.
  var highActionInRow: Event.Name?
  /// Whether the frame shows that this HUD follows one that died.
  package var isRestarted = false
  /// Whether a key counts the children of the target, or no longer does.
  var mayCountChildren = false
  /// Whether CPU is shown as a share of all processors that the target may use.
  package var showsCPUOfAllProcessors = false
  /// The frozen run; `nil` unless the picture is paused.
  var frozen: FrozenRun?
  /// The interval that the user chose last, in nanoseconds.
  package var interval: UInt64
  /// What the graphs show.
  package internal(set) var graph = GraphViewport()
  package var axes = GraphAxes()
  package var values = ShownValues()
  /// Whether there are phases, from any source.
  package var hasPhases = false
  /// Whether a visible CPU graph shows its greatest value: in its heading, or over a command by its axis alone.
  var graphShowsGreatestCPU = false
  /// Whether a HUD over a program shows the times of its frames in place of the CPU graph; the row of CPU has a
  /// sparkline.
  var hasFrameGraph = false

  /// What the progress row shows; `nil` without a recording.
  package var replay: ReplayState?
  /// Which table of keys applies.
  var keys: KeySet { KeySet(family, isReplay: replay != nil) }

  package init(
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
  var hasFocus: Bool { hasKeys && !isListFocused }

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

/// Short lines shown over the picture.
struct Messages: Sendable {
  var toasts: [ToastLine] = []
  /// Where a full-screen view shows them.
  var places: [ToastPlace] = []
  /// The toast that shows the result of the last key.
  var keyResult: ToastLine?
  /// The result of the last key, until a picture has shown it.
  var note: (text: String, seconds: Double)?
  var loading: LoadingLine?
  /// Whether the user has just closed a message that covered the screen.
  var hasClosedCover = false
  /// Until when no other message may cover the screen.
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
  /// The phase, and the number of alerts so far.
  var phase: PhaseIndex?
  var alerts: UInt64 = 0
}
