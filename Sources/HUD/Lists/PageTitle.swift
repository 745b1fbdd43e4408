import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The title of a page: its name, notes on what it shows, and which rows are visible.

/// The visible rows of a list: `1-5/60`.
struct RowsSeen {
  /// Counted from 1.
  let first: Int
  let last: Int
  let total: Int

  /// - Parameters:
  ///   - rows: The visible rows, counted from 0.
  ///   - count: The number of rows.
  ///   - total: The number of entries; more than `count` if the last row represents several.
  init(_ rows: Range<Int>, count: Int, total: Int) {
    first = rows.lowerBound + 1
    last = rows.upperBound == count ? total : rows.upperBound
    self.total = total
  }

  var isAll: Bool { first <= 1 && last >= total }

  var text: ShortText {
    var text = ShortText()
    text.append(decimal: first)
    if last > first {
      text.append("-")
      text.append(decimal: last)
    }
    text.append("/")
    text.append(decimal: total)
    return text
  }
}

/// Draws the name of a page, its order, and at the right end which rows are visible if not all are.
func drawPageTitle(
  _ canvas: inout Canvas, _ title: Rect, _ page: ListPage, seen: RowsSeen? = nil,
  hasNotes: Bool = true, _ context: DrawContext
) {
  let name = page.title.text(context.language)
  drawInset(&canvas, title, name, .title)
  var title = title
  if let seen { drawRowsSeen(&canvas, &title, after: Canvas.width(name), seen) }
  guard hasNotes else { return }
  var column = title.column + Canvas.width(name)
  switch page {
  case .processes:
    drawPageNote(&canvas, title, &column, context.state.processList.order.word, context)
    let listing = context.order.listing
    if listing.table == nil ? context.state.processList.isTree : listing.isTree {
      drawPageNote(&canvas, title, &column, .treeView, context)
    }
    if context.hasSharedPagesInEach {
      drawPageNote(&canvas, title, &column, .sharedInEach, context)
    }
    // The edge of the list, the margins of its rows.
    let shown = ProcessColumns(
      title.columns + 1, context.state.processList.order, hasGrown: context.order.listing.hasGrown)
    if shown.hasGrowth {
      drawPageNote(&canvas, title, &column, .growthSince, context)
    }
  case .threads where context.state.family == .overlay || seen != nil:
    drawPageNote(&canvas, title, &column, .cpu, context)
    drawPageNote(&canvas, title, &column, .meanOfSeconds, context)
  case .mappings where context.order.listing.table?.request.kind == .mappings:
    if context.state.family == .overlay || seen != nil {
      drawPageNote(&canvas, title, &column, .pss, context)
    }
    if context.row?[.processes].value ?? 1 > 1 {
      drawMappedProcess(&canvas, title, &column, context)
    }
    guard let mappings = context.order.listing.table?.mappings else { break }
    if mappings.isPartial {
      drawPageNote(&canvas, title, &column, .mappingsPartial, context)
    } else if let age = mappingsAge(mappings, context) {
      drawPageNote(&canvas, title, &column, age, context)
    }
  case .actions where context.run.actions.count > 0:
    var limit = ShortText(Word.actionHigh.text(context.language))
    limit.append(" ")
    limit.append(HighRateText.limit(context.run.actions.threshold))
    drawPageNote(&canvas, title, &column, limit, context)
  case .frames:
    if let slow = lastSlowFrame(context) { drawPageNote(&canvas, title, &column, slow, context) }
  default: break
  }
}

/// Draws which process of a tree has the mappings.
private func drawMappedProcess(
  _ canvas: inout Canvas, _ title: Rect, _ column: inout Int, _ context: DrawContext
) {
  // Recordings of earlier versions do not tell; they are of the first one.
  guard let row = context.order.listing.table?.rows.first else {
    return drawPageNote(&canvas, title, &column, .firstProcess, context)
  }
  var name = InlineText<48>()
  row.name.forEachScalar { _ = name.append(SafeText.replacement(for: $0)) }
  var text = ShortText(Word.summaryLargest.text(context.language))
  text.append(" ")
  text.append(name)
  text.append(" ")
  text.append(decimal: Int(row.pid))
  drawPageNote(&canvas, title, &column, text, context)
}

/// How old the mappings are, which are read more rarely than the other values; `nil` below a second.
private func mappingsAge(_ mappings: MappingTable, _ context: DrawContext) -> ShortText? {
  guard let row = context.row, mappings.absence == nil else { return nil }
  let seconds = Double(row.time.nanoseconds(since: mappings.time)) / 1e9
  guard seconds >= 1 else { return nil }
  var text = ShortText(Word.readAt.text(context.language))
  text.append(NumberFormat.duration(seconds: seconds.rounded(.down)))
  text.append(Word.ago.text(context.language))
  return text
}

/// Draws at the right end of a title which rows are visible, if not all are and there is room after the name.
func drawRowsSeen(
  _ canvas: inout Canvas, _ title: inout Rect, after name: Int, _ seen: RowsSeen
) {
  let text = seen.text
  guard !seen.isAll, name + 3 + text.count <= title.columns else { return }
  title.columns -= text.count + 2
  let column = title.endColumn + 2
  canvas.put(" ", row: title.row, column: column - 1)
  let end = canvas.text(text, row: title.row, column: column, role: .dim)
  canvas.put(" ", row: title.row, column: end)
}

func drawPageNote(
  _ canvas: inout Canvas, _ title: Rect, _ column: inout Int, _ word: Word, _ context: DrawContext
) {
  drawPageNote(&canvas, title, &column, ShortText(word.text(context.language)), context)
}

private func drawPageNote(
  _ canvas: inout Canvas, _ title: Rect, _ column: inout Int, _ text: ShortText,
  _ context: DrawContext
) {
  guard column + 3 + Canvas.width(text) < title.endColumn else {
    column = title.endColumn
    return
  }
  canvas.text(context.state.isASCII ? " - " : " · ", row: title.row, column: column, role: .dim)
  column = canvas.text(text, row: title.row, column: column + 3, role: .dim)
  canvas.put(" ", row: title.row, column: column)
}
