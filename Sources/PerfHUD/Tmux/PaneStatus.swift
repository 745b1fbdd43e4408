import Glibc
import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The line of `perfhud tmux status`. It needs no running process: readings are stored in a file for the next line.
struct PaneStatus {
  /// The program in the foreground of a pane, with its descendants, at one moment.
  struct Reading: Equatable {
    var pane: Int32
    var group: Int32
    /// The start time of the process that represents the program, in clock ticks since boot, since a PID may be reused.
    var start: UInt64
    /// CPU time in clock ticks, and memory in bytes.
    var ticks: UInt64
    var bytes: UInt64 = 0
    var name = ""
    var time: Instant

    /// Whether an earlier reading is of the same program.
    func continues(_ earlier: Reading) -> Bool {
      pane == earlier.pane && group == earlier.group && start == earlier.start
    }
  }

  /// An entry of the file: a reading, and the CPU value that was shown with it, in percent.
  struct Entry: Equatable {
    var reading: Reading
    var cpu: Double?
  }

  /// The minimum time over which CPU is computed, in nanoseconds: clock ticks are 10 ms long, and several clients may
  /// ask at once.
  static let shortest: Int64 = 500_000_000
  /// The number of programs that are remembered.
  static let limit = 32
  /// The maximum number of processes of a program that are read, so that a line takes at most some milliseconds.
  static let processLimit = 64

  /// - Parameter pane: the process that tmux started in the pane.
  /// - Returns: `nil` if there is none.
  static func line(of pane: Int32) -> String? {
    guard let reading = read(pane, now: .now()) else { return nil }
    let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    let path = statePath()
    var entries = path.map { parse((try? readFile($0)) ?? []) } ?? []
    let (entry, isNew) = next(reading, after: entries, ticksPerSecond: ticksPerSecond)
    if isNew, let path {
      entries.removeAll { $0.reading.pane == pane }
      entries.insert(entry, at: 0)
      write(entries.prefix(limit), to: path)
    }
    return text(reading, cpu: entry.cpu)
  }

  /// Combines a reading with earlier ones.
  ///
  /// - Returns: what to show and store, and whether it is new: an entry that is too recent stays.
  static func next(
    _ reading: Reading, after entries: [Entry], ticksPerSecond: Double
  ) -> (entry: Entry, isNew: Bool) {
    guard let earlier = entries.first(where: { reading.continues($0.reading) }),
      reading.time >= earlier.reading.time
    else { return (Entry(reading: reading), true) }
    let elapsed = reading.time.nanoseconds(since: earlier.reading.time)
    guard elapsed >= shortest else { return (earlier, false) }
    let ticks = reading.ticks > earlier.reading.ticks ? reading.ticks - earlier.reading.ticks : 0
    let cpu = Double(ticks) / ticksPerSecond / (Double(elapsed) * 1e-9) * 100
    return (Entry(reading: reading, cpu: cpu), true)
  }

  /// `vim 6.2 % 13.6M`; without CPU if the program was not seen before.
  static func text(_ reading: Reading, cpu: Double?) -> String {
    // tmux would expand formats in the line.
    let name = SafeText.clean(reading.name, limit: 20).map { $0 == "#" || $0 == "%" ? "?" : $0 }
    let load = cpu.map { string(NumberFormat.compactPercent($0)) } ?? "– %"
    return "\(String(name)) \(load) \(string(NumberFormat.compactBytes(Double(reading.bytes))))"
  }

  private static func string(_ text: ShortText) -> String {
    String(decoding: (0..<text.count).map { text[$0] }, as: UTF8.self)
  }

  // MARK: - The processes

  /// Reads the program in the foreground: the processes of its group, and all their descendants.
  static func read(_ pane: Int32, now: Instant) -> Reading? {
    guard pane > 0, let leader = process(pane), !leader.hasEnded else { return nil }
    // If it was typed in the pane itself, the foreground job is this perfhud.
    var found: [StatFields]
    var isAtPrompt = false
    if let job = leader.foreground, job != leader.group, job != getpgrp() {
      found = members(of: job, below: pane)
      if found.isEmpty { found = [process(job) ?? leader] }
    } else {
      // A shell at its prompt, whose jobs have groups of their own, or a program that tmux started.
      isAtPrompt = Speaker.isInteractiveShell(pane)
      found = [leader] + members(of: leader.group, below: pane)
    }
    let face = found.first { $0.pid == leader.foreground } ?? found[0]
    let pageSize = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
    var reading = Reading(
      pane: pane, group: face.group, start: face.startTicks, ticks: 0, name: face.name.text,
      time: now)
    for process in found {
      reading.ticks &+= process.userTicks &+ process.systemTicks
      // The children of a shell at its prompt are jobs that have ended.
      if !isAtPrompt || process.pid != leader.pid {
        reading.ticks &+= process.childrenUserTicks &+ process.childrenSystemTicks
      }
      // Its private memory: as MEM in the HUD, but without swap and page tables.
      let pages = StatmFields(path: "/proc/\(process.pid)/statm")?.anonymousPages ?? 0
      reading.bytes &+= pages &* pageSize
    }
    return reading
  }

  private static func members(of group: Int32, below pane: Int32) -> [StatFields] {
    var found: [StatFields] = []
    var waiting = children(of: pane).map { ($0, false) }
    var looked = 0
    while let (pid, isBelowMember) = waiting.popLast(), looked < 4 * processLimit,
      found.count < processLimit
    {
      looked += 1
      guard let process = process(pid) else { continue }
      let isMember = isBelowMember || process.group == group
      if isMember { found.append(process) }
      waiting += children(of: pid).map { ($0, isMember) }
    }
    return found
  }

  private static func process(_ pid: Int32) -> StatFields? {
    StatFields(path: "/proc/\(pid)/stat")
  }

  /// The children of its main thread; empty if the kernel does not list them.
  ///
  /// Source: `/proc/PID/task/PID/children`.
  private static func children(of pid: Int32) -> [Int32] {
    guard let bytes = try? readFile("/proc/\(pid)/task/\(pid)/children") else { return [] }
    return String(decoding: bytes, as: UTF8.self).split(separator: " ").compactMap { Int32($0) }
  }

  // MARK: - The file

  /// The path of the file, beside the sockets, where no other user can write; `nil` if there is no such directory.
  private static func statePath() -> String? {
    do throws(SystemError) {
      return try SocketDirectories.current().make() + "/tmux-status"
    } catch {
      return nil
    }
  }

  /// Two clients that write at once may leave a broken file, which costs one value.
  static func parse(_ bytes: [UInt8]) -> [Entry] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n").prefix(limit).compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 6, let pane = Int32(words[0]), let group = Int32(words[1]),
        let start = UInt64(words[2]), let ticks = UInt64(words[3]), let time = UInt64(words[4])
      else { return nil }
      let reading = Reading(
        pane: pane, group: group, start: start, ticks: ticks, time: Instant(nanoseconds: time))
      return Entry(reading: reading, cpu: Double(words[5]))
    }
  }

  static func format(_ entries: some Sequence<Entry>) -> String {
    entries.map { entry in
      let reading = entry.reading
      let cpu = entry.cpu.map { "\($0)" } ?? "-"
      return "\(reading.pane) \(reading.group) \(reading.start) \(reading.ticks) "
        + "\(reading.time.nanoseconds) \(cpu)\n"
    }.joined()
  }

  /// Writes the file in one write, without waiting for the disk.
  private static func write(_ entries: some Sequence<Entry>, to path: String) {
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return }
    let bytes = Array(format(entries).utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
    close(file)
  }
}
