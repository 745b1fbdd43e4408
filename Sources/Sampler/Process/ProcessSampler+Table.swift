import PerfHUDBase

/// The state of the list of processes or threads, while one is shown.
struct ProcessListState: ~Copyable, Sendable {
  var request: ProcessTableRequest?
  /// The descendants, if the samples do not include them.
  var tree: ProcessTree?
  var threads: ThreadLister?
  var mappings: MappingReader?
  /// The descendant whose mappings are listed; `nil` while they are those of the process itself.
  var mapped: MappedProcess?
  /// The command lines of a list of processes, and their reader.
  var commandLines: CommandLineReader?
  /// When the list was last made, and the CPU time of the process at that time.
  var lastTime: Instant?
  var lastNanoseconds: UInt64 = 0
}

/// A descendant whose mappings are listed.
struct MappedProcess: ~Copyable, Sendable {
  let target: Target
  /// Its directory in /proc, held open: a file that is opened through it is never of another process.
  let directory: Descriptor
  var residentBytes: UInt64 = 0
}

/// The list of processes or threads.
extension ProcessSampler {
  /// Sets which list is read from now on; `nil` for none. A list of another kind allocates once.
  mutating func setTable(_ request: ProcessTableRequest?) {
    if request != nil { due.stat = Instant(nanoseconds: 0) }
    if request?.kind != list.request?.kind {
      list = ProcessListState()
      tree?.keepsEnded = request?.kind == .processes
      makeReaders(for: request?.kind)
    }
    list.request = request
  }

  private mutating func makeReaders(for kind: ProcessTableRequest.Kind?) {
    let pid = facts.target.pid
    if kind == .processes { list.commandLines = CommandLineReader(root: root) }
    switch kind {
    case .processes where tree == nil && !facts.isKernelThread:
      list.tree = try? ProcessTree(
        pid: pid, usesClock: cpuSource == .processClock, units: units, root: root)
      list.tree?.keepsEnded = true
    case .threads: list.threads = ThreadLister(pid: pid, units: units, root: root)
    case .mappings where !facts.isKernelThread: list.mappings = MappingReader()
    case .processes, .mappings, nil: break
    }
  }

  /// Reads the mappings with the next list, whatever it costs.
  mutating func requestMappings() { list.mappings?.request() }

  /// Fills a table with the list, as of the sample that was just made.
  mutating func readTable(into table: inout ProcessTableBuffer) {
    guard let request = list.request else { return }
    let interval = list.lastTime.map { UInt64(max(0, latest.time.nanoseconds(since: $0))) } ?? 0
    table.begin(request, at: latest.time)
    switch request.kind {
    case .mappings:
      if facts.isKernelThread {
        table.setMappings(absence: .kernelThread, at: latest.time)
      } else if !latest.hasEnded {
        readMappings(into: &table)
      }
    case .threads:
      readThreadCountersWithList()
      let threads = tree == nil ? latest.threads : combined.sample.threads
      list.threads?.read(
        into: &table, total: Int(threads.value ?? 0), members: tree?.pids ?? [])
    case .processes:
      table.add(ownRow(interval: interval), isKept: true)
      if tree != nil {
        tree?.list(into: &table, interval: interval)
        table.others += Int(tree?.leftOut ?? 0)
      } else {
        let readsStat = list.tree?.begin(now: latest.time) != nil
        // Before the descendants, as in a sample of the tree.
        if let own = (try? files.stat.read(as: StatFields.self)) ?? nil {
          list.tree?.root.reaped =
            (own.childrenUserTicks &+ own.childrenSystemTicks) &* units.tickNanoseconds
        }
        _ = list.tree?.read(readsStat: readsStat)
        _ = list.tree?.end(hasReadStat: readsStat, now: latest.time)
        list.tree?.list(into: &table, interval: interval)
        table.others += Int(list.tree?.leftOut ?? 0)
      }
      list.commandLines?.fill(&table)
    }
    list.lastTime = latest.time
    list.lastNanoseconds = latest.processCPUNanoseconds.value ?? 0
  }

  /// Reads the mappings of the process, or in a tree those of its greatest process: a shell that waits for others has
  /// none that matter. The table of a tree has the row of that process.
  private mutating func readMappings(into table: inout ProcessTableBuffer) {
    let footprint = ownFootprint ?? 0
    if tree != nil { chooseMapped(rootBytes: footprint, into: &table) }
    let residentBytes = list.mapped?.residentBytes ?? latest.residentBytes.value ?? 0
    list.mappings?.update(
      &table, now: latest.time, residentBytes: residentBytes,
      directory: list.mapped?.directory.raw ?? directory.raw)
  }

  private mutating func chooseMapped(rootBytes: UInt64, into table: inout ProcessTableBuffer) {
    let member = tree?.greatestMember(rootBytes: rootBytes, previous: list.mapped?.target)
    let target = member.map { Target(pid: $0.pid, startTicks: $0.startTicks) }
    if target != list.mapped?.target {
      let raw = target.flatMap { tree?.openFile($0.pid, "") } ?? -1
      // If it cannot be opened, a read of the process itself goes on.
      if list.mapped != nil || raw >= 0 { list.mappings?.changeProcess() }
      list.mapped = nil
      if let target, raw >= 0 {
        list.mapped = MappedProcess(target: target, directory: Descriptor(owning: raw))
      }
    }
    if let member, list.mapped != nil {
      list.mapped?.residentBytes = member.residentPages &* units.pageBytes
      if let row = tree?.row(of: member, interval: 0) { table.add(row, isKept: true) }
    } else {
      table.add(ownRow(interval: 0), isKept: true)
    }
  }

  /// The footprint of the process alone, in bytes; `nil` if its memory is not known.
  var ownFootprint: UInt64? {
    latest.anonymousBytes.value.map {
      $0 &+ (latest.swapBytes.value ?? 0) &+ (latest.pageTableBytes.value ?? 0)
    }
  }

  /// The row of the process itself.
  private mutating func ownRow(interval: UInt64) -> ProcessRow {
    var row = ProcessRow()
    row.pid = latest.pid
    row.startTicks = latest.startTicks
    row.name = latest.name
    row.state = latest.state
    if latest.hasEnded { row.end = latest.processEnd == .none ? .unknown : latest.processEnd }
    row.endTime = latest.time
    row.cpuNanoseconds = latest.processCPUNanoseconds.value ?? 0
    row.cpuNanosecondsBefore = list.lastNanoseconds
    row.intervalNanoseconds = interval
    row.footprintBytes = ownFootprint ?? 0
    row.firstFootprintBytes = firstFootprint ?? row.footprintBytes
    row.threads = latest.threads.value ?? 1
    return row
  }
}
