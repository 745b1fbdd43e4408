import Metrics
import PerfHUDBase
import Sampler
import Terminal

// The rows of the pages of the list. Each page writes its rows in its own file.

/// The most rows of a low list of reasons, where those that are at 0 now come after all others.
private let lowReasonRows = 8

/// The rows of a page.
struct PageRows: ListRows {
  let page: ListPage
  let context: DrawContext
  let columns: Int
  /// The rows that are visible at once.
  var visibleRows = Int.max {
    didSet {
      if (visibleRows <= lowReasonRows) != (oldValue <= lowReasonRows) { orderReasons() }
    }
  }
  /// The time of the newest sample.
  let now: Instant
  private let phases: Ranking
  private let actions: Ranking
  private let bottlenecks: Bottlenecks?
  /// The order of the reasons on the page of bottlenecks.
  private(set) var reasonRows = ReasonRows()
  /// The columns of the longest name of an action, a value or a phase; 0 on pages that show none.
  let longestName: Int
  /// The columns of the page of alerts; `nil` on others.
  let alertColumns: AlertColumns?
  /// Whether the page shows threads of which none has a name of its own.
  let areThreadsUnnamed: Bool
  /// Whether a list of mappings has no column headings.
  var isBrief = false

  var language: Language { context.language }

  /// - Parameter columns: the columns of a row.
  init(_ page: ListPage, _ context: DrawContext, columns: Int) {
    self.page = page
    self.context = context
    self.columns = columns
    now = context.run.latest?.time ?? context.run.header.start
    phases = context.run.phases.ranking
    actions = context.run.actions.ranking
    bottlenecks = page == .bottlenecks ? context.row.map { Bottlenecks($0) } : nil
    alertColumns =
      page == .alerts ? AlertColumns(columns, context.run.alerts, context.language) : nil
    areThreadsUnnamed = page == .threads && PageRows.areUnnamed(context)
    longestName =
      switch page {
      case .actions, .log: PageRows.longestName(context.run)
      case .phases: PageRows.longestPhaseName(context.run)
      default: 0
      }
    orderReasons()
  }

  private mutating func orderReasons() {
    guard let bottlenecks else { return }
    reasonRows = ReasonRows(bottlenecks, context, isLow: visibleRows <= lowReasonRows)
  }

  /// The processes or threads, whichever the page shows.
  var listing: ProcessListing? {
    let kind: ProcessTableRequest.Kind = page == .processes ? .processes : .threads
    return context.order.listing.table?.request.kind == kind ? context.order.listing : nil
  }

  var count: Int {
    switch page {
    case .log: context.order.entries.count
    case .phases: phases.count
    case .actions: actions.count + valueHeadRows + context.run.reports.values.all.count
    case .frames: 0
    case .processes, .threads: listing?.count ?? 0
    case .bottlenecks: bottlenecks.map { bottleneckCount($0) } ?? 0
    case .alerts: context.run.alerts.trackers.count
    case .mappings: mappingCount
    }
  }

  /// The rows between actions and values: the headings of the values, unless they are at the top of the page, and before
  /// them a blank row if all rows are visible with it.
  private var valueHeadRows: Int {
    let values = context.run.reports.values.all.count
    guard actions.count > 0, values > 0 else { return 0 }
    return visibleRows >= actions.count + 2 + values ? 2 : 1
  }

  /// The number of rows, including those that do not fit in the list. The children that have ended share one.
  var total: Int {
    guard let listing, page == .processes || page == .threads else { return count }
    return listing.entries.count + (listing.ended > 0 ? 1 : 0) + listing.others
  }

  /// Writes a row of the list.
  func write(_ row: Int, to line: inout ListRow) {
    guard row >= 0, row < count else { return }
    switch page {
    case .log: writeLog(context.order.entries[row], to: &line)
    case .phases: writePhase(phases[row], to: &line)
    case .actions:
      if row < actions.count {
        writeAction(actions[row], to: &line)
      } else if row < actions.count + valueHeadRows {
        guard row == actions.count + valueHeadRows - 1 else { break }
        line.beginUnsearched()
        writeValueHeads(to: &line)
        line.endUnsearched()
      } else {
        write(context.run.reports.values.all[row - actions.count - valueHeadRows], to: &line)
      }
    case .frames: break
    case .processes, .threads: writeListing(row, to: &line)
    case .bottlenecks: if let bottlenecks { writeBottleneck(row, bottlenecks, to: &line) }
    case .alerts: writeAlert(row, to: &line)
    case .mappings: writeMapping(row, to: &line)
    }
  }

  // MARK: Columns

  /// The least columns in which a page shows all its values.
  static let wideColumns = 72

  var ellipsis: Unicode.Scalar { context.ellipsis }

  /// Appends a text, cut or padded to a number of columns.
  func write<let capacity: Int>(
    _ text: InlineText<capacity>, _ width: Int, _ role: Role, to line: inout ListRow
  ) {
    let start = line.mark
    line.append(text, role)
    line.fit(since: start, width, role, ellipsis: ellipsis)
  }

  // MARK: Values

  var times: StaticString { context.state.isASCII ? "x" : "×" }

  func perSecond(_ rate: Double) -> ShortText {
    var text = ShortText()
    text.append(rate, decimals: rate < 10 ? 1 : 0)
    text.append("/s")
    return text
  }

  func signed(_ bytes: Double) -> ShortText {
    var text = ShortText(bytes < 0 ? "-" : "+")
    text.append(NumberFormat.bytes(abs(bytes)).trimmed)
    return text
  }
}
