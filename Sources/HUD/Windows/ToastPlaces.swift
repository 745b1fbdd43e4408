import Metrics
import PerfHUDBase
import Terminal

/// A toast of a full-screen view and the cells that it covers.
struct ToastPlace: Equatable, Sendable {
  var line: ToastLine
  /// One row, in cells of the screen.
  var frame: Rect
}

/// Where a full-screen view shows its toasts: at the end of the line below the tabs. Where there is no line, or it has no
/// room, next to the tabs, else over blank cells, else over the row of keys. They cover neither values nor graphs.
extension HUD {
  /// The least columns that stay visible at the left end of the row of keys.
  private static let leastFooterColumns = 24

  /// Opens a window for each toast, and closes those that are no longer needed.
  mutating func placeToasts(_ run: Run) {
    guard !messages.toasts.isEmpty || !messages.places.isEmpty else { return }
    var lines = messages.toasts.filter { !logShows($0.event, run) }
    // Where they have no line of their own, a second one would cover too much.
    if tabLineRow == nil { lines = lines.suffix(1) }
    messages.places = lines.isEmpty ? [] : places(of: lines)
    for (index, id) in WindowID.toasts.enumerated() {
      guard index < messages.places.count else {
        stack.close(id)
        surfaces.removeAll { $0.id == id }
        continue
      }
      stack.show(Window(id: id, level: .toast, frame: messages.places[index].frame))
      if !surfaces.contains(where: { $0.id == id }) {
        surfaces.append(
          Surface(id: id, canvas: Canvas(Size(rows: 0, columns: 0), isASCII: state.isASCII)))
      }
    }
  }

  /// Draws each toast in its window.
  mutating func drawPlacedToasts(_ context: DrawContext) {
    for (place, id) in zip(messages.places, WindowID.toasts) {
      guard let index = surfaces.firstIndex(where: { $0.id == id }) else { continue }
      surfaces[index].canvas.resize(to: place.frame.size)
      surfaces[index].canvas.erase()
      drawToasts(&surfaces[index].canvas, [place.line], context)
    }
  }

  /// Whether an event is among the visible rows of the log.
  private func logShows(_ event: ToastLine.Event?, _ run: Run) -> Bool {
    guard let event else { return false }
    let entries = order.entries
    func isSame(_ row: Int) -> Bool {
      guard entries.indices.contains(row) else { return false }
      switch (event, entries[row].kind) {
      case (.notice(let id), .notice(let index)): return run.noticeList.all[index].id == id
      case (.restart(let time), .job(let index)):
        return run.jobs[index].isRestart && entries[row].time == time
      default: return false
      }
    }
    if stack.isOpen(.list), state.page == .log { return list.visible.contains(where: isSame) }
    guard let log = layout.first(where: { $0.id == .log }) else { return false }
    // The part of a layout shows the last rows, below its heading or inside its frame.
    let edges = hasPanelFrame(log.frame.size) ? 2 : 1
    return entries.indices.suffix(max(0, log.frame.rows - edges)).contains(where: isSame)
  }

  // MARK: Places

  /// The places of the toasts. The newest one always has a place; an older one may have none.
  private func places(of lines: [ToastLine]) -> [ToastPlace] {
    let origin = stack[.hud]?.frame ?? room
    var grid = cellsBeneathToasts(origin)
    var places: [ToastPlace] = []
    func add(_ line: ToastLine, _ frame: Rect) {
      grid.take(frame)
      places.append(ToastPlace(line: line, frame: frame))
    }
    let lineRow = tabLineRow
    // A toast stays in its place while the cells there are free.
    for old in messages.places {
      let frame = old.frame.moved(up: origin.row, left: origin.column)
      let isFree = frame.row == lineRow ? grid.areLine(frame) : grid.areBlank(frame)
      if isFree, let same = lines.first(where: { $0.text == old.line.text }),
        !places.contains(where: { $0.line == same })
      {
        add(same, frame)
      }
    }
    var footer = coverableRow(.footer, origin)
    for line in lines.reversed() where !places.contains(where: { $0.line == line }) {
      let width = min(Canvas.columns(of: line.text) + 2, grid.size.columns)
      if let frame = blankFrame(width, in: grid) {
        add(line, frame)
      } else if let row = footer, width <= row.columns {
        let frame = row.end(of: width, in: canvas.grid, least: HUD.leastFooterColumns)
        add(line, frame)
        footer?.columns = max(0, frame.column - 1)
      } else if line == lines.last {
        let frame = lastResort(origin)
        places.removeAll { !$0.frame.intersection(frame).isEmpty }
        add(line, frame)
      }
    }
    for index in places.indices {
      places[index].frame = places[index].frame.moved(up: -origin.row, left: -origin.column)
        .clamped(to: room)
    }
    return places
  }

  /// The cells beneath the toasts, without those that toasts must not cover.
  private func cellsBeneathToasts(_ origin: Rect) -> CellGrid {
    var grid = canvas.grid
    if let frame = stack[.list]?.frame, origin.intersection(frame) == frame,
      let surface = surfaces.first(where: { $0.id == .list })
    {
      grid.paint(surface.canvas.grid, at: frame, in: origin)
    }
    for placed in layout where hasValues(placed) { grid.take(placed.frame) }
    for window in stack.windows where window.level > .toast {
      grid.take(window.frame.moved(up: origin.row, left: origin.column))
    }
    return grid
  }

  /// Whether a part has values or a graph in all of its cells, also in those that are blank now.
  private func hasValues(_ placed: PlacedWidget) -> Bool {
    switch placed.id {
    case .line, .strip, .cpu, .memory, .fps, .details, .memoryGraph, .cpuGraph, .frames, .footer,
      .progress, .storageGraph, .processDetails:
      true
    case .list: state.page == .frames
    default: false
    }
  }

  /// The row of the line below the tabs, if there is one.
  private var tabLineRow: Int? {
    layout.first { $0.id == .tabs && $0.frame.rows > 1 }.map { $0.frame.row + 1 }
  }

  /// The cells for a toast: at the end of the line below the tabs, else in the row of tabs, else as far down as
  /// possible, first at the right end of a row.
  private func blankFrame(_ width: Int, in grid: CellGrid) -> Rect? {
    let tabs = layout.first { $0.id == .tabs }?.frame.row
    if let row = tabLineRow, let column = grid.lineColumn(row: row, count: width) {
      return Rect(row: row, column: column, rows: 1, columns: width)
    }
    if let tabs, let column = grid.blankColumn(row: tabs, count: width, isAtEnd: false) {
      return Rect(row: tabs, column: column, rows: 1, columns: width)
    }
    for isAtEnd in [true, false] {
      for row in (0..<grid.size.rows).reversed() where row != tabs {
        if let column = grid.blankColumn(row: row, count: width, isAtEnd: isAtEnd) {
          return Rect(row: row, column: column, rows: 1, columns: width)
        }
      }
    }
    return nil
  }

  /// The first row of a part, if no window covers it; `nil` for a list without other rows.
  private func coverableRow(_ id: WidgetID, _ origin: Rect) -> Rect? {
    guard let placed = layout.first(where: { $0.id == id }), id != .list || placed.frame.rows > 1
    else { return nil }
    var frame = placed.frame
    frame.rows = 1
    let isCovered = stack.windows.contains {
      $0.level > .toast
        && !$0.frame.moved(up: origin.row, left: origin.column).intersection(frame).isEmpty
    }
    return isCovered ? nil : frame
  }

  /// The row that a toast covers if there is no other room: all of it, because half of a value would be misread.
  private func lastResort(_ origin: Rect) -> Rect {
    for id in [WidgetID.footer, .title, .list] {
      if let row = coverableRow(id, origin) { return row }
    }
    // The position in a recording stays visible.
    let hasProgress = layout.contains { $0.id == .progress }
    let size = canvas.grid.size
    return Rect(
      row: max(0, size.rows - (hasProgress ? 2 : 1)), column: 0, rows: 1, columns: size.columns)
  }
}

extension Rect {
  fileprivate func moved(up rows: Int, left columns: Int) -> Rect {
    Rect(row: row - rows, column: column - columns, rows: self.rows, columns: self.columns)
  }

  /// The end of a row that a text of `width` columns covers, extended to the left until no word is cut: words that
  /// belong together have one blank between them. All of the row if less than `least` columns would stay.
  fileprivate func end(of width: Int, in grid: CellGrid, least: Int) -> Rect {
    var start = endColumn - width
    while start >= least, !(grid.isBlank(row, start - 1) && grid.isBlank(row, start - 2)) {
      start -= 1
    }
    if start < least { start = column }
    return Rect(row: row, column: start, rows: 1, columns: endColumn - start)
  }
}

extension CellGrid {
  fileprivate func isBlank(_ row: Int, _ column: Int) -> Bool {
    let cell = self[row, column]
    return (cell.isClear || cell.scalarValue == 0x20) && !cell.isContinuation
      && cell.style != Role.notice.style
  }

  /// Whether the cells of one row are blank, and those next to them.
  fileprivate func areBlank(_ frame: Rect) -> Bool {
    guard frame.row >= 0, frame.row < size.rows, frame.column >= 0, frame.endColumn <= size.columns
    else { return false }
    let columns = max(0, frame.column - 1)..<min(size.columns, frame.endColumn + 1)
    return columns.allSatisfy { isBlank(frame.row, $0) }
  }

  /// Whether a cell has a line, thin or thick.
  private func isLine(_ row: Int, _ column: Int) -> Bool {
    let scalar = self[row, column].scalarValue
    return scalar == 0x2500 || scalar == 0x2501 || scalar == UInt32(UInt8(ascii: "-"))
      || scalar == UInt32(UInt8(ascii: "="))
  }

  /// Whether the cells of one row have a line.
  fileprivate func areLine(_ frame: Rect) -> Bool {
    guard frame.row >= 0, frame.row < size.rows, frame.column >= 0, frame.endColumn <= size.columns
    else { return false }
    return (frame.column..<frame.endColumn).allSatisfy { isLine(frame.row, $0) }
  }

  /// The first of `count` cells of a line as far to the right as possible, with a cell of the line before them.
  fileprivate func lineColumn(row: Int, count: Int) -> Int? {
    var end = size.columns
    for column in (0..<size.columns).reversed() {
      guard isLine(row, column) else {
        end = column - 1
        continue
      }
      if column == end - count - 1 { return column + 1 }
    }
    return nil
  }

  /// The first of `count` blank cells as far to the right as possible, with a blank on either side.
  ///
  /// - Parameter isAtEnd: Whether they have to be at the end of the row.
  fileprivate func blankColumn(row: Int, count: Int, isAtEnd: Bool) -> Int? {
    var end = size.columns
    for column in (0..<size.columns).reversed() {
      guard isBlank(row, column) else {
        if isAtEnd { return nil }
        end = column - 1
        continue
      }
      let start = end - count
      if column == start - 1 || (column == 0 && start == 0) { return start }
    }
    return nil
  }

  /// Marks cells as not blank.
  fileprivate mutating func take(_ frame: Rect) {
    let frame = frame.intersection(Rect(size))
    for row in frame.row..<frame.endRow {
      for column in frame.column..<frame.endColumn { self[row, column] = Cell("#") }
    }
  }
}
