import Terminal

/// A part of the HUD.
package enum WidgetID: Int, CaseIterable, Sendable {
  case title
  case line
  case cpu
  case memory
  case fps
  case details
  case memoryGraph
  case cpuGraph
  case footer
  /// The edge of an overlay, with its name and its cost.
  case edge
  /// An overlay of one row.
  case strip
  /// What the program writes.
  case output
  /// The row of tabs of a pane.
  case tabs
  /// The area of the list window in a pane.
  case list
  // The pages of the list as parts of a layout.
  case log
  case phases
  case actions
  case frames
  case processes
  case threads
  case bottlenecks
  case alerts
  /// The mapped files.
  case mappings
  /// What the target's memory consists of.
  case memoryParts
  /// The position in a recording.
  case progress
  /// Reads and writes over time.
  case storageGraph
  /// Facts about a process that is alone in its list.
  case processDetails

  init(_ page: ListPage) {
    self =
      switch page {
      case .log: .log
      case .phases: .phases
      case .actions: .actions
      case .frames: .frames
      case .processes: .processes
      case .threads: .threads
      case .bottlenecks: .bottlenecks
      case .alerts: .alerts
      case .mappings: .mappings
      }
  }

  /// The page that the widget shows; `nil` for other widgets.
  var page: ListPage? { ListPage.allCases.first { WidgetID($0) == self } }
}

/// The position of a widget.
package struct PlacedWidget: Equatable, Sendable {
  package let id: WidgetID
  package let frame: Rect
  /// Whether a list has a frame, not only a heading; `nil` if its size decides.
  package let hasFrame: Bool?

  package init(id: WidgetID, frame: Rect, hasFrame: Bool? = nil) {
    self.id = id
    self.frame = frame
    self.hasFrame = hasFrame
  }

  /// Whether it is a graph over the time of the run.
  var isTimeGraph: Bool { id == .memoryGraph || id == .cpuGraph }
}

/// The widgets of a HUD of a given size, and their positions. Pure.
///
/// Any size is accepted. As rows shrink, the panels below the graphs go first, then the line below the tabs, the tabs,
/// the footer, the graphs and the title. CPU, memory and FPS go last; a single row shows them together.
package enum Layout {
  package static func place(
    in size: Size, family: HUDFamily = .pane, view: PaneView = PaneView()
  ) -> [PlacedWidget] {
    guard size.rows > 0, size.columns > 0 else { return [] }
    return family == .overlay ? placeOverlay(in: size) : placePane(in: size, view)
  }

  /// The least rows for a title.
  package static let titleRows = 4
  /// The least columns of a single row with the frame rate.
  package static let lineWithFrames = 24
  /// Columns of a metric in the details.
  package static let detailWidth = 21
  /// The number of values in the details.
  package static let detailCount = 11
}
