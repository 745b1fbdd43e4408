import Terminal

/// The parts of a layout as a list: the shown ones in their order, then the others. Pure.
struct LayoutParts: Equatable, Sendable {
  private(set) var shown: [WidgetID]
  private(set) var selection = 0
  /// The first visible part.
  private(set) var first = 0

  init(_ layout: OverviewLayout) { shown = layout.parts }

  var all: [WidgetID] { shown + OverviewLayout.choices.filter { !shown.contains($0) } }

  var layout: OverviewLayout { OverviewLayout(parts: shown) }

  /// Scrolls so that the selection is visible.
  mutating func settle(height: Int) {
    let height = max(1, height)
    first = min(max(first, selection - height + 1), selection)
    first = max(0, min(first, OverviewLayout.choices.count - height))
  }

  /// Moves the selection down by a number of rows, or up if negative.
  mutating func select(by rows: Int) {
    selection = max(0, min(selection + rows, OverviewLayout.choices.count - 1))
  }

  /// Selects the part in a visible row, counted from the top.
  ///
  /// - Returns: whether there is one.
  mutating func click(_ row: Int) -> Bool {
    guard row >= 0, first + row < OverviewLayout.choices.count else { return false }
    selection = first + row
    return true
  }

  /// Shows the selected part below the others, or hides it; the selection moves with it.
  ///
  /// - Returns: `false` if no part would be left.
  mutating func toggle() -> Bool {
    let part = all[selection]
    if let position = shown.firstIndex(of: part) {
      guard shown.count > 1 else { return false }
      shown.remove(at: position)
    } else {
      shown.removeAll { OverviewLayout.excludes($0, part) }
      shown.append(part)
    }
    selection = all.firstIndex(of: part) ?? selection
    return true
  }

  /// Moves the selected part among the shown ones; negative moves up.
  mutating func move(by step: Int) {
    let position = selection + step
    guard shown.indices.contains(selection), shown.indices.contains(position) else { return }
    shown.swapAt(selection, position)
    selection = position
  }
}
