import HUD
import Metrics
import PerfHUDBase

/// Writes rows to a file while a HUD is drawn.
///
/// Problems with the file never disturb the command or the HUD: rows that nobody reads are counted and left out, and a
/// file that takes no more is given up. `problem` has the reason at the end.
struct RowOutput: ~Copyable {
  private var writer: BatchFrontend?
  private let name: String
  /// The number of rows without room, because earlier ones were not read.
  private var lost = 0
  private var failure: String?

  /// - Parameters:
  ///   - writer: writes the rows; `nil` if none were requested.
  ///   - name: the file's name.
  init(_ writer: consuming BatchFrontend?, name: String = "") {
    self.writer = writer
    self.name = name
  }

  /// Whether rows are written.
  var isOpen: Bool { writer != nil }

  mutating func register(with poller: inout Poller) { writer?.register(with: &poller) }

  mutating func take(_ row: Row, run: borrowing Run) {
    // The first values do not cover a whole interval.
    guard isOpen, !row.isProvisional else { return }
    if writer?.isFull == true {
      lost += 1
    } else {
      writer?.take(row, run: run)
    }
  }

  /// Writes as much as the file takes now.
  mutating func present(run: borrowing Run, now: Instant, poller: inout Poller) {
    guard let slot = writer?.outputSlot else { return }
    do throws(RunError) {
      try writer?.present(run: run, now: now, poller: &poller)
    } catch {
      failure = "\(error)"
    }
    giveUpIfBroken()
    if !isOpen { poller.replace(nil, slot: slot) }
  }

  mutating func flushLast() {
    do throws(RunError) {
      try writer?.flush()
    } catch {
      failure = "\(error)"
    }
    giveUpIfBroken()
  }

  private mutating func giveUpIfBroken() {
    if failure == nil, writer?.hasLostReader == true {
      failure = "nobody reads \(name) any more: the rows end there"
    }
    if failure != nil { writer = nil }
  }

  /// What went wrong with the file; `nil` if every row was written.
  var problem: String? {
    if let failure { return failure }
    return lost == 0 ? nil : "\(name) was read too slowly: \(lost) rows were left out"
  }
}
