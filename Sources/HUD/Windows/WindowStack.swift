import Terminal

/// The identity of a window.
package struct WindowID: Hashable, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// The gauges and graphs.
  package static let hud = WindowID(rawValue: 0)
  package static let list = WindowID(rawValue: 1)
  package static let toast = WindowID(rawValue: 2)
  /// In a full-screen view each toast has a window of its own.
  static let toasts = [toast, WindowID(rawValue: 7), WindowID(rawValue: 8)]
  package static let loading = WindowID(rawValue: 3)
  package static let help = WindowID(rawValue: 4)
  package static let settings = WindowID(rawValue: 5)
  package static let signals = WindowID(rawValue: 6)
}

/// The purpose of a window; a higher level is drawn over a lower one.
package enum WindowLevel: Int, Comparable, CaseIterable, Sendable {
  /// A window that covers a program; the HUD stays in front of it.
  case cover
  case hud, list, toast, loading, help

  package static func < (a: WindowLevel, b: WindowLevel) -> Bool { a.rawValue < b.rawValue }
}

/// A window of the HUD on the screen.
package struct Window: Equatable, Sendable {
  package let id: WindowID
  package let level: WindowLevel
  /// Its frame, in cells of the screen.
  package internal(set) var frame: Rect

  package init(id: WindowID, level: WindowLevel, frame: Rect) {
    self.id = id
    self.level = level
    self.frame = frame
  }
}

/// The open windows: which one is on top, which ones cover others. Pure. `KeyFocus` knows where the keys go.
///
/// Within a level the window that was shown last is on top. All positions are cells of the screen, from its top left
/// corner; the conversions to a window's own cells are here and nowhere else.
package struct WindowStack: Sendable {
  /// From back to front.
  package private(set) var windows: [Window] = []

  package init() {}

  package subscript(id: WindowID) -> Window? { windows.first { $0.id == id } }

  package func isOpen(_ id: WindowID) -> Bool { self[id] != nil }

  // MARK: Order

  /// Opens a window above those of its level. An open one with the same id is replaced.
  package mutating func show(_ window: Window) {
    close(window.id)
    let index = windows.firstIndex { $0.level > window.level } ?? windows.endIndex
    windows.insert(window, at: index)
  }

  package mutating func close(_ id: WindowID) { windows.removeAll { $0.id == id } }

  // MARK: Positions

  package mutating func move(_ id: WindowID, to frame: Rect) {
    guard let index = windows.firstIndex(where: { $0.id == id }) else { return }
    windows[index].frame = frame
  }

  /// Fits every window into a room that has changed: moves it, and cuts it if it is larger.
  package mutating func fit(into room: Rect) {
    for index in windows.indices { windows[index].frame = windows[index].frame.clamped(to: room) }
  }

  /// The frames of the windows, from front to back, except those that another window covers completely.
  package var covered: RectList {
    var list = RectList()
    for index in windows.indices.reversed() {
      let frame = windows[index].frame
      let isHidden = windows[(index + 1)...].contains { $0.frame.intersection(frame) == frame }
      if !isHidden { list.add(frame) }
    }
    return list
  }

  /// The rectangle around all windows.
  package var bounds: Rect {
    windows.reduce(Rect.empty) { $0.union($1.frame) }
  }

  /// The topmost window at a point of the screen.
  package func window(at point: Point) -> WindowID? {
    windows.last { $0.frame.contains(point) }?.id
  }

  // MARK: Conversion

  /// Converts a point of the screen to a window; `nil` if the window is not open.
  package func toWindow(_ point: Point, _ id: WindowID) -> Point? {
    self[id].map { point.relative(to: $0.frame) }
  }

  /// Converts a point of the screen to a widget.
  ///
  /// - Parameter frame: The frame of the widget in the window.
  /// - Returns: `nil` if the window is not open, or the point is not in the widget.
  package func toWidget(_ point: Point, _ frame: Rect, in id: WindowID) -> Point? {
    guard let inner = toWindow(point, id), frame.contains(inner) else { return nil }
    return inner.relative(to: frame)
  }
}

extension Point {
  /// The same point relative to a rectangle.
  func relative(to frame: Rect) -> Point {
    Point(row: row - frame.row, column: column - frame.column)
  }
}

extension Rect {
  var size: Size { Size(rows: rows, columns: columns) }

  /// The same rectangle, moved into a room and cut if it is larger.
  func clamped(to room: Rect) -> Rect {
    let rows = min(rows, room.rows)
    let columns = min(columns, room.columns)
    return Rect(
      row: max(room.row, min(row, room.endRow - rows)),
      column: max(room.column, min(column, room.endColumn - columns)), rows: rows,
      columns: columns)
  }

  /// A centered rectangle of a size, cut if it is larger.
  func centered(_ size: Size) -> Rect {
    let rows = min(size.rows, rows)
    let columns = min(size.columns, columns)
    return Rect(
      row: row + (self.rows - rows) / 2, column: column + (self.columns - columns) / 2,
      rows: rows, columns: columns)
  }
}
