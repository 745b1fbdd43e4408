import Metrics
import PerfHUDBase
import Sampler

/// A line of the log: what has happened, and when.
struct LogEntry: BitwiseCopyable, Sendable {
  enum Kind: BitwiseCopyable {
    case mark, ended
    case job(Int)
    /// How many actions ago it happened.
    case action(Int)
    case notice(Int)
  }

  var time: Instant
  var kind: Kind
}

/// The order of the rows on sorted pages. It reuses its memory from picture to picture.
struct PageOrder: Sendable {
  private(set) var entries: [LogEntry] = []
  private(set) var listing = ProcessListing()

  /// The number of entries in the log of a run.
  static func entryCount(_ run: Run) -> Int {
    var count = run.marks.count + run.jobs.count + run.actions.log.count
    if run.ended != nil { count += 1 }
    let notices = run.noticeList.all
    for index in 0..<notices.count where notices[index].kind != .restarted { count += 1 }
    return count
  }

  /// Updates the order of the visible pages.
  ///
  /// - Parameter isHeld: whether the rows of processes and threads keep their places.
  mutating func update(
    _ run: Run, _ options: ProcessListOptions, hasLog: Bool, hasTable: Bool,
    isHeld: Bool = false
  ) {
    entries.removeAll(keepingCapacity: true)
    if hasLog { collectEntries(of: run) }
    let table = hasTable ? run.processes : nil
    let isThreads = table?.request.kind == .threads
    listing.update(
      table, by: isThreads ? .cpu : options.order, isTree: options.isTree,
      isHeld: isHeld, wholePercent: isThreads ? nil : run.processesCPUPercent,
      root: run.latest?.pid)
  }

  /// Collects the entries, sorted by time; entries with the same time are in the order of their reports.
  private mutating func collectEntries(of run: Run) {
    for time in run.marks { add(time, .mark) }
    for index in run.jobs.indices { add(run.jobs[index].time, .job(index)) }
    var age = run.actions.log.count
    while age > 0 {
      age -= 1
      add(run.actions.log[age].first, .action(age))
    }
    for (index, notice) in run.noticeList.all.enumerated() where notice.kind != .restarted {
      add(notice.time, .notice(index))
    }
    if let ended = run.ended { add(ended, .ended) }
  }

  /// Inserts an entry. The sources come one after another, each nearly in order. Their limits (512 actions, 32 notices)
  /// keep insertion cheap.
  private mutating func add(_ time: Instant, _ kind: LogEntry.Kind) {
    let entry = LogEntry(time: time, kind: kind)
    entries.append(entry)
    var position = entries.count - 1
    while position > 0, entries[position - 1].time > time {
      entries[position] = entries[position - 1]
      position -= 1
    }
    entries[position] = entry
  }
}
