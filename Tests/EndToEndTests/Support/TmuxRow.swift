import TestSupport

@testable import Terminal

/// A row of the screen model as tmux copies it: one text a character, whatever its width.
///
/// Of a wide character that was cut, tmux copies what it has kept as the whole character or as nothing, so that the
/// rest of the row is one column beside its place. Such a cell is unknown to the model: it is one
/// character or for none.
struct TmuxRow: CustomStringConvertible {
  private struct Place {
    let column: Int
    /// `nil` if unknown.
    let text: String?
  }

  private var places: [Place] = []

  init(_ screen: borrowing Screen, _ row: Int) {
    for column in 0..<screen.size.columns {
      let cell = screen.cell(row: row, column: column)
      if cell.isUnknown {
        places.append(Place(column: column, text: nil))
      } else if !cell.isContinuation {
        var text = ""
        for scalar in screen.scalars(of: cell) { text.unicodeScalars.append(scalar) }
        places.append(Place(column: column, text: text))
      }
    }
  }

  /// The column from which on tmux cannot have copied this row; `nil` if it can.
  ///
  /// - Parameter cells: what tmux has copied, in which a blank end may be missing.
  func firstDifference(from cells: [GridCell]) -> Int? {
    let texts = cells.map(\.text).filter { !$0.isEmpty }
    // How many characters of tmux may have been used up.
    var ends: Set<Int> = [0]
    for place in places {
      var next: Set<Int> = []
      for end in ends {
        if let text = place.text {
          if end < texts.count ? texts[end] == text : text == " " {
            next.insert(min(end + 1, texts.count))
          }
        } else {
          next.insert(end)
          if end < texts.count { next.insert(end + 1) }
        }
      }
      guard !next.isEmpty else { return place.column }
      ends = next
    }
    return ends.contains(texts.count) ? nil : (places.last?.column ?? 0)
  }

  var description: String { places.map { $0.text ?? "¿" }.joined(separator: "|") }
}
