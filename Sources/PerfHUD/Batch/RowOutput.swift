import Base
import HUD
import Metrics

/// Writes rows to a file while a HUD is drawn.
///
/// Nothing about the file disturbs the command or the HUD: rows that nobody reads are counted and left
/// out, and a file that takes no more is given up. `problem` has the reason at the end.
struct RowOutput: ~Copyable {
  private var lines: BatchFrontend?
  private let name: String
  /// Rows for which there was no room, since nobody read those before.
  private var lost = 0
  private var failure: String?

  /// - Parameters:
  ///   - lines: where the rows go; `nil` if none were asked for.
  ///   - name: the file.
  init(_ lines: consuming BatchFrontend?, name: String = "") {
    self.lines = lines
    self.name = name
  }

  /// Whether rows are written.
  var isOpen: Bool { lines != nil }

  mutating func register(with poller: inout Poller) { lines?.register(with: &poller) }

  mutating func take(_ row: Row, run: borrowing Run) {
    // The first values are not those of a whole interval.
    guard isOpen, !row.isProvisional else { return }
    if lines?.isFull == true {
      lost += 1
    } else {
      lines?.take(row, run: run)
    }
  }

  /// Writes what the file takes now.
  mutating func present(run: borrowing Run, now: Instant, poller: inout Poller) {
    guard let slot = lines?.outputSlot else { return }
    do throws(RunError) {
      try lines?.present(run: run, now: now, poller: &poller)
    } catch {
      failure = "\(error)"
    }
    giveUpIfBroken()
    if !isOpen { poller.replace(nil, slot: slot) }
  }

  mutating func flushLast() {
    do throws(RunError) {
      try lines?.flush()
    } catch {
      failure = "\(error)"
    }
    giveUpIfBroken()
  }

  private mutating func giveUpIfBroken() {
    if failure == nil, lines?.hasLostReader == true {
      failure = "nobody reads \(name) any more: the lines end there"
    }
    if failure != nil { lines = nil }
  }

  /// What went wrong with the file; `nil` if every row was written.
  var problem: String? {
    if let failure { return failure }
    return lost == 0 ? nil : "\(name) was read too slowly: \(lost) lines were left out"
  }
}
