import Glibc
import PerfHUDBase

/// A process that matches a pattern.
public struct FoundProcess: Sendable, Equatable {
  public let target: Target
  /// The name that the kernel keeps; raw.
  public let name: ProcessName
  /// The arguments, harmless for a terminal; the name in brackets without arguments.
  public let commandLine: String
  /// Field 4 of `/proc/PID/stat`.
  public let parent: Int32
  /// Whether the pattern is its name; otherwise its command line matches.
  public let isByName: Bool
}

/// Finds the processes that match a pattern, now and later.
///
/// A process whose name is the pattern takes precedence over one whose command line matches the pattern as a POSIX
/// extended regular expression. The name is the one that the kernel keeps, or the last part of the path in the first
/// argument. For a pattern longer than the kernel's 15 bytes it can also come from the second argument, where a script
/// has its name.
///
/// The command lines of perfhud itself and of the processes that started it contain the pattern (`sh -c 'perfhud --name
/// x'`): they are never found by their command line, and neither is another perfhud or a process that started one. The
/// command line of a wrapper contains that of its program (`sh -c 'prog; …'`, `npm run prog`): the pattern means the
/// program, see `leaveOutWrappers` and `replacement`. Zombies count as ended.
///
/// Source: `/proc/PID/stat`, `/proc/PID/cmdline`, `/proc/loadavg`.
// No other value has a reference to the pattern and the buffers, hence the unchecked Sendable.
@safe public struct ProcessFinder: ~Copyable, @unchecked Sendable {
  /// The interval of the search, in nanoseconds.
  static let period: Int64 = 100_000_000
  /// How long a new process is read again, since it may not have executed the program yet; nanoseconds.
  static let youth: Int64 = 2_000_000_000
  /// A process may change its name late, so all are read at this interval, in nanoseconds.
  static let fullPeriod: Int64 = 5_000_000_000
  /// The number of new processes that are read again; the others wait until all are read.
  static let youngLimit = 256
  private static let lineLimit = 4096

  public let pattern: String
  private let bytes: [UInt8]
  private let expression: LinePattern
  private let root: String
  /// The pid of perfhud itself, if /proc shows it under the pid that it knows.
  private let ownPid: Int32?
  private let loadavg: ProcFile?

  /// Whether only names count: once the pattern has matched a name, a match of a command line means something else.
  private var byNameOnly = false
  /// Whether a process and its descendants are one target.
  private var joinsDescendants = false
  /// The target, and its ancestors: shells and supervisors that may start it again.
  private var taken: Target?
  private var above: [Int32] = []
  /// When the search for a replacement ends: a target found by its command line may be only a wrapper.
  private var replacedUntil = Instant(nanoseconds: 0)
  /// A wrapper starts its program within this time, in nanoseconds.
  static let wrapperTime: Int64 = 10_000_000_000
  /// The last target; the search is for the next one.
  private var former: Target?
  private var known: [Int32] = []
  private var listed: [Int32] = []
  private var young: [Young] = []
  private var lastPid: Int32?
  private var fullDue = Instant(nanoseconds: 0)

  /// - Parameter root: where /proc is mounted.
  /// - Throws: what is wrong with the pattern as a regular expression.
  public init(_ pattern: String, root: String = "/proc") throws(LinePattern.Mistake) {
    self.pattern = pattern
    self.root = root
    bytes = Array(pattern.utf8)
    expression = try LinePattern(pattern)
    ownPid = ProcMount.showsOurNamespace(root: root) ? getpid() : nil
    loadavg = ownPid == nil ? nil : try? ProcFile(path: "\(root)/loadavg", capacity: 128)
  }

  // MARK: All

  /// All processes that match now, the newest first: those with the name, or if there are none, those whose command
  /// line matches.
  ///
  /// - Parameter joinsDescendants: a match that descends from another match is counted with it.
  /// - Throws: `SamplerError.procUnusable`.
  public mutating func all(joinsDescendants: Bool = false) throws(SamplerError) -> [FoundProcess] {
    guard ProcMount.isUsable(root: root), list() else {
      throw SamplerError.procUnusable(root: root)
    }
    var parents: [Int32: Int32] = [:]
    var candidates: [FoundProcess] = []
    var instances: [Int32] = []
    for pid in listed {
      guard let stat = readStat(pid) else { continue }
      parents[pid] = stat.parent
      if ProcessFinder.isPerfhud(stat.name) { instances.append(pid) }
      if let found = examine(pid, stat, matchesLine: true) { candidates.append(found) }
    }
    if candidates.contains(where: \.isByName) {
      candidates.removeAll { !$0.isByName }
    } else {
      let excluded = ancestors(of: instances, parents)
      candidates.removeAll { excluded.contains($0.target.pid) }
    }
    self.joinsDescendants = joinsDescendants
    if joinsDescendants {
      let pids = Set(candidates.map(\.target.pid))
      candidates.removeAll { candidate in
        ancestors(of: [candidate.parent], parents).contains { pids.contains($0) }
      }
    } else {
      leaveOutWrappers(&candidates, parents)
    }
    candidates.sort { a, b in
      (b.target.startTicks, b.target.pid) < (a.target.startTicks, a.target.pid)
    }
    if let first = candidates.first { byNameOnly = first.isByName }
    return candidates
  }

  /// Removes wrappers: a process that matches by its command line is one if a descendant matches too, with a different
  /// command line. The forked children of a server have the same command line as the server.
  private func leaveOutWrappers(_ candidates: inout [FoundProcess], _ parents: [Int32: Int32]) {
    let found = candidates
    candidates.removeAll { candidate in
      guard !candidate.isByName else { return false }
      return found.contains { other in
        guard other.commandLine != candidate.commandLine else { return false }
        var next = other.parent
        var depth = 0
        while next > 1, next != candidate.target.pid, depth < 64 {
          next = parents[next] ?? 0
          depth += 1
        }
        return next == candidate.target.pid
      }
    }
  }

  /// The processes and all their ancestors.
  private func ancestors(of pids: [Int32], _ parents: [Int32: Int32]) -> Set<Int32> {
    var result: Set<Int32> = []
    for pid in pids + (ownPid.map { [$0] } ?? []) {
      var next = pid
      while next > 0, result.insert(next).inserted { next = parents[next] ?? 0 }
    }
    return result
  }

  // MARK: The next target

  /// Records which process is the target from now on.
  mutating func begin(_ target: Target, now: Instant) {
    taken = target
    above.removeAll(keepingCapacity: true)
    var next = readStat(target.pid)?.parent ?? 0
    while next > 1, above.count < 64 {
      above.append(next)
      next = readStat(next)?.parent ?? 0
    }
    replacedUntil = now.advanced(byNanoseconds: ProcessFinder.wrapperTime)
  }

  /// Records the name of the target. It may have been found by its command line before it had its name, as with `nice
  /// prog`.
  mutating func note(name: ProcessName) {
    if isNamed(name, []) { byNameOnly = true }
  }

  /// The newest process that matches, whatever its age; `nil` if there is none. Never `former`.
  ///
  /// Costs one read of loadavg while there are no new processes; otherwise a listing of /proc and two files for each
  /// new process.
  /// - Parameter former: the process that was followed before; `nil` takes any.
  mutating func next(after former: Target?, now: Instant) -> Int32? {
    if former != self.former {
      // Other matches may have existed before.
      self.former = former
      fullDue = now
    }
    return look(now: now) { finder, stat, found in
      guard Target(pid: stat.pid, startTicks: stat.startTicks) != former else { return false }
      // A process that started the previous target may have its name in the command line.
      return found.isByName
        || (!finder.above.contains(stat.pid) && !finder.isAboveAPerfhud(stat.pid))
    }
  }

  /// The program for which the target, found by its command line, is only a wrapper: a descendant that matches. It is
  /// searched for during the first 10 s of a target, unless descendants are counted with the target.
  mutating func replacement(now: Instant) -> Int32? {
    guard let taken, !byNameOnly, !joinsDescendants, now < replacedUntil else { return nil }
    return look(now: now) { finder, stat, _ in
      var next = stat.parent
      var depth = 0
      while next > 1, next != taken.pid, depth < 64 {
        next = finder.readStat(next)?.parent ?? 0
        depth += 1
      }
      return next == taken.pid
        && finder.commandLine(of: stat.pid) != finder.commandLine(of: taken.pid)
    }
  }

  /// The best match among the processes that are due to be read.
  private mutating func look(
    now: Instant, _ isMeant: (borrowing ProcessFinder, StatFields, FoundProcess) -> Bool
  ) -> Int32? {
    let last = ((try? loadavg?.read(as: LoadavgFields.self)) ?? nil)?.lastPid
    let looksAtAll = now >= fullDue || (last ?? 0) < (lastPid ?? 0)
    let hasNewProcesses = last == nil || last != lastPid
    lastPid = last
    var due = takeDue(now: now)
    if looksAtAll || hasNewProcesses, list() {
      if looksAtAll { fullDue = now.advanced(byNanoseconds: ProcessFinder.fullPeriod) }
      // Both lists are in ascending order.
      var index = 0
      for pid in listed {
        while index < known.count, known[index] < pid { index += 1 }
        let isNew = index == known.count || known[index] != pid
        if isNew, young.count < ProcessFinder.youngLimit { young.append(Young(pid, now)) }
        if isNew || looksAtAll { due.append(pid) }
      }
      swap(&known, &listed)
    }
    var best: FoundProcess?
    for pid in due {
      guard let stat = readStat(pid),
        let found = examine(pid, stat, matchesLine: !byNameOnly), isMeant(self, stat, found)
      else { continue }
      // A name takes precedence over a command line; then the newest counts.
      if let best {
        let isBetter =
          found.isByName == best.isByName
          ? found.target.startTicks > best.target.startTicks : found.isByName
        guard isBetter else { continue }
      }
      best = found
    }
    if let best { byNameOnly = byNameOnly || best.isByName }
    return best?.target.pid
  }

  /// A new process. It is read after 0.1, 0.2, 0.4 … s, since most execute their program at once.
  private struct Young {
    let pid: Int32
    var due: Instant
    var pause = ProcessFinder.period

    init(_ pid: Int32, _ now: Instant) {
      self.pid = pid
      due = now.advanced(byNanoseconds: ProcessFinder.period)
    }
  }

  private mutating func takeDue(now: Instant) -> [Int32] {
    var due: [Int32] = []
    for index in young.indices where now >= young[index].due {
      due.append(young[index].pid)
      young[index].pause *= 2
      young[index].due = now.advanced(byNanoseconds: young[index].pause)
    }
    young.removeAll { $0.pause > ProcessFinder.youth }
    return due
  }

  /// Whether a perfhud descends from the process, whose command line may then contain that perfhud's pattern.
  private func isAboveAPerfhud(_ pid: Int32) -> Bool {
    for candidate in known {
      guard let stat = readStat(candidate),
        candidate == ownPid || ProcessFinder.isPerfhud(stat.name)
      else { continue }
      var next = candidate
      var depth = 0
      while next > 1, depth < 64 {
        if next == pid { return true }
        next = readStat(next)?.parent ?? 0
        depth += 1
      }
    }
    return false
  }

  // MARK: One process

  private static func isPerfhud(_ name: ProcessName) -> Bool { name.isEqual(to: "perfhud") }

  private func readStat(_ pid: Int32) -> StatFields? {
    guard let file = try? ProcFile(path: "\(root)/\(pid)/stat", capacity: StatFields.capacity),
      let stat = (try? file.read(as: StatFields.self)) ?? nil
    else { return nil }
    return stat.hasEnded ? nil : stat
  }

  /// The process, if it matches.
  private func examine(_ pid: Int32, _ stat: StatFields, matchesLine: Bool) -> FoundProcess? {
    guard pid != ownPid else { return nil }
    let line = commandLine(of: pid)
    let isByName = isNamed(stat.name, line)
    // As ps shows them: arguments separated by blanks.
    let text = String(decoding: line.map { $0 == 0 ? 0x20 : $0 }, as: UTF8.self)
    if !isByName {
      // The command line of another perfhud contains the pattern that it searches for.
      guard matchesLine, !line.isEmpty, !ProcessFinder.isPerfhud(stat.name),
        expression.match(text) != nil
      else { return nil }
    }
    return FoundProcess(
      target: Target(pid: pid, startTicks: stat.startTicks), name: stat.name,
      commandLine: line.isEmpty ? "[\(stat.name.text)]" : SafeText.clean(text),
      parent: stat.parent, isByName: isByName)
  }

  /// The arguments, separated by NUL.
  private func commandLine(of pid: Int32) -> [UInt8] {
    guard
      let file = try? ProcFile(
        path: "\(root)/\(pid)/cmdline", capacity: ProcessFinder.lineLimit)
    else { return [] }
    var line =
      (try? file.withBytes { bytes in
        (0..<bytes.byteCount).map { FieldCursor.byte(at: $0, in: bytes) }
      }) ?? []
    while line.last == 0 { line.removeLast() }
    return line
  }

  /// Whether the pattern is the name of a process.
  func isNamed(_ name: ProcessName, _ line: [UInt8]) -> Bool {
    let words = line.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    if bytes.count <= ProcessName.capacity {
      if name.isEqual(to: bytes) { return true }
    } else if words.count > 1, ProcessFinder.lastPart(of: words[1]).elementsEqual(bytes),
      name.isEqual(to: bytes.prefix(ProcessName.capacity))
    {
      return true
    }
    guard let first = words.first, !bytes.isEmpty else { return false }
    return first.elementsEqual(bytes) || ProcessFinder.lastPart(of: first).elementsEqual(bytes)
  }

  private static func lastPart(of path: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
  }

  /// Lists all processes, in the order of their pids.
  private mutating func list() -> Bool {
    listed.removeAll(keepingCapacity: true)
    guard NumberedFiles.forEach(in: root, { listed.append($0) }) else { return false }
    // The kernel lists them in this order; a captured tree does not.
    if ownPid == nil { listed.sort() }
    return true
  }
}

extension ProcessName {
  /// The kernel keeps this many bytes of a name.
  static let capacity = 15

  func isEqual(to bytes: some Collection<UInt8>) -> Bool {
    guard bytes.count == Int(count) else { return false }
    for (index, byte) in bytes.enumerated() where self[index] != byte { return false }
    return true
  }

  func isEqual(to text: StaticString) -> Bool {
    guard text.utf8CodeUnitCount == Int(count) else { return false }
    return text.withUTF8Buffer { buffer in
      buffer.indices.allSatisfy { unsafe buffer[$0] == self[$0] }
    }
  }
}
