import Metrics
import PerfHUDBase
import Sampler
import Terminal

/// The size of a widget in each family of sizes; `nil` if the family does not have it.
package struct WidgetSizes: Sendable {
  /// One row.
  package var line: Size?
  /// A corner of a program's screen, 24 by 5.
  package var small: Size?
  /// A corner of a program's screen, 38 by 5.
  package var medium: Size?
  /// A row of a large HUD over a program, 68 by 1.
  package var wide: Size?
  /// A pane.
  package var large: Size?

  /// Columns and rows.
  init(
    line: (Int, Int)? = nil, small: (Int, Int)? = nil, medium: (Int, Int)? = nil,
    wide: (Int, Int)? = nil, large: (Int, Int)? = nil
  ) {
    self.line = line.map { Size(rows: $0.1, columns: $0.0) }
    self.small = small.map { Size(rows: $0.1, columns: $0.0) }
    self.medium = medium.map { Size(rows: $0.1, columns: $0.0) }
    self.wide = wide.map { Size(rows: $0.1, columns: $0.0) }
    self.large = large.map { Size(rows: $0.1, columns: $0.0) }
  }
}

/// The declaration of a part of the HUD: its sizes and how it is drawn.
package struct Widget: Sendable {
  package let id: WidgetID
  /// The name in the gallery and in layouts.
  package let name: StaticString
  /// The unit of its values; empty if it has several or none.
  package let unit: StaticString
  /// The least number of rows in which it is useful.
  package let leastRows: Int
  /// The preferred sizes.
  package let sizes: WidgetSizes
  package let draw: @Sendable (inout Canvas, Rect, DrawContext) -> Void

  init(
    _ id: WidgetID, _ name: StaticString, unit: StaticString = "", leastRows: Int = 1,
    _ sizes: WidgetSizes, draw: @escaping @Sendable (inout Canvas, Rect, DrawContext) -> Void
  ) {
    self.id = id
    self.name = name
    self.unit = unit
    self.leastRows = leastRows
    self.sizes = sizes
    self.draw = draw
  }

  /// All widgets, by the raw value of their `WidgetID`.
  package static let all: [Widget] = [
    Widget(.title, "title", WidgetSizes(small: (22, 1), large: (72, 1)), draw: drawTitle),
    Widget(.line, "line", WidgetSizes(line: (48, 1)), draw: drawLine),
    Widget(
      .cpu, "cpu", unit: "%",
      WidgetSizes(small: (22, 1), medium: (34, 1), wide: (68, 1), large: (72, 1)), draw: drawCPU),
    Widget(
      .memory, "memory", unit: "MiB",
      WidgetSizes(small: (22, 1), medium: (34, 1), wide: (68, 1), large: (72, 1)),
      draw: drawMemory),
    Widget(
      .fps, "fps", unit: "FPS",
      WidgetSizes(small: (22, 1), medium: (34, 1), wide: (68, 1), large: (72, 1)), draw: drawFPS),
    Widget(.details, "details", WidgetSizes(wide: (68, 1), large: (72, 3)), draw: drawDetails),
    Widget(
      .memoryGraph, "memory-graph", unit: "MiB",
      WidgetSizes(small: (22, 2), medium: (36, 4), large: (72, 10)), draw: drawMemoryGraph),
    Widget(
      .cpuGraph, "cpu-graph", unit: "%", WidgetSizes(medium: (36, 5), large: (72, 8)),
      draw: drawCPUGraph),
    Widget(.footer, "self-cost", WidgetSizes(large: (72, 1)), draw: drawFooter),
    Widget(
      .edge, "edge", leastRows: 5, WidgetSizes(small: (24, 5), medium: (38, 5)), draw: drawEdge),
    Widget(.strip, "strip", WidgetSizes(line: (52, 1), small: (20, 1)), draw: drawStrip),
    Widget(
      .output, "output", unit: "B/frame", WidgetSizes(medium: (34, 1), wide: (68, 1)),
      draw: drawOutput),
    Widget(.tabs, "tabs", WidgetSizes(line: (44, 1), large: (72, 2)), draw: drawTabs),
    // The list window covers it.
    Widget(.list, "list", leastRows: 3, WidgetSizes(), draw: { _, _, _ in }),
    Widget(page: .log, "log"), Widget(page: .phases, "phases", unit: "MiB"),
    Widget(page: .actions, "actions", unit: "/s"),
    Widget(page: .frames, "frames", unit: "ms", leastRows: 5),
    Widget(page: .processes, "processes", unit: "%"), Widget(page: .threads, "threads", unit: "%"),
    Widget(page: .bottlenecks, "why-slow"), Widget(page: .alerts, "alerts"),
    Widget(page: .mappings, "mappings", unit: "MiB"),
    Widget(
      .memoryParts, "memory-parts", unit: "MiB", leastRows: 3,
      WidgetSizes(medium: (34, 6), large: (72, 8)), draw: drawMemoryParts),
    Widget(
      .progress, "progress", WidgetSizes(line: (44, 1), small: (20, 1), large: (72, 1)),
      draw: drawProgress),
    Widget(
      .storageGraph, "storage-graph", unit: "B/s", leastRows: 4,
      WidgetSizes(medium: (34, 5), large: (72, 6)), draw: drawStorageGraph),
    Widget(
      .processDetails, "process-details", leastRows: 2,
      WidgetSizes(medium: (34, 10), large: (72, 8)), draw: drawProcessDetails),
  ]

  /// A page of the list as part of a layout: a heading and its first rows.
  private init(
    page: ListPage, _ name: StaticString, unit: StaticString = "", leastRows: Int = 3
  ) {
    self.init(
      WidgetID(page), name, unit: unit, leastRows: leastRows,
      WidgetSizes(medium: (34, 6), large: (72, 8)),
      draw: { canvas, frame, context in drawPage(&canvas, frame, page, context) })
  }

  static func of(_ id: WidgetID) -> Widget { all[id.rawValue] }
}
