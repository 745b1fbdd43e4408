import Glibc
import PerfHUDBase

/// The mappings of a process, grouped by name, and when they were read.
public struct MappingTable: Sendable, Equatable {
  /// Sorted by proportional share, greatest first.
  public var groups: [MappingGroup] = []
  /// The sum of the groups that did not fit.
  public var others = MappingGroup()
  /// When the last part of it was read.
  public var time = Instant(nanoseconds: 0)
  /// Whether the list is incomplete: the rest is read in later samples.
  public var isPartial = false
  /// Why the table is empty; `nil` if it is not.
  public var absence: Absence?

  public init() {}
}

/// Reads smaps while the list of mappings is shown. A long smaps is read in parts, one for each sample.
///
/// For each read the kernel walks all pages of a mapping, about 12 µs/MB, and delays the target's mmap and munmap
/// meanwhile, for a few mappings at a time. So a target with more than 300 MiB is read only on request. A part ends
/// when it has cost `budget`; the whole is read again after `max(5 s, 500 · cost)`, or once the resident memory has
/// changed by a fourth after `max(1 s, 500 · cost)`. Source: `/proc/PID/smaps`.
@safe struct MappingReader: ~Copyable, @unchecked Sendable {
  /// CPU time of one part, in nanoseconds: 0.8 % of a core at two samples a second.
  static let budget: UInt64 = 4_000_000
  private static let bufferBytes = 16384

  private var parser = SmapsParser()
  private var file: Descriptor?
  private var offset: Int64 = 0
  /// CPU time spent on this file so far, in nanoseconds.
  private var cost: UInt64 = 0
  private var notBefore = Instant(nanoseconds: 0)
  /// When the whole may be read again if it is outdated.
  private var affordableAt = Instant(nanoseconds: 0)
  /// The resident memory when the last read began, in bytes.
  private var residentThen: UInt64 = 0
  private var isRequested = false
  /// Whether the whole file has been read before.
  private var hasWhole = false
  // Owned by this value alone, hence the unchecked Sendable.
  private let buffer: UnsafeMutableRawBufferPointer

  init() { unsafe buffer = .allocate(byteCount: MappingReader.bufferBytes, alignment: 8) }

  deinit { unsafe buffer.deallocate() }

  /// Reads at the next `update`, whatever it costs.
  mutating func request() { isRequested = true }

  /// Leaves what belongs to one process, because the next `update` is of another one.
  mutating func changeProcess() {
    file = nil
    residentThen = 0
    hasWhole = false
    notBefore = min(notBefore, affordableAt)
  }

  /// Reads the next part if one is due, and updates the table.
  ///
  /// - Parameters:
  ///   - residentBytes: of the process.
  ///   - directory: a descriptor of the directory of the process in /proc.
  mutating func update(
    _ table: inout ProcessTableBuffer, now: Instant, residentBytes: UInt64, directory: Int32
  ) {
    if file == nil {
      let isOutdated = MappingReader.isOutdated(residentThen, now: residentBytes)
      guard isRequested || now >= (isOutdated ? affordableAt : notBefore) else { return }
      guard isRequested || residentBytes <= PSSReader.largestUnasked else {
        if !hasWhole { table.setMappings(absence: .tooCostly, at: now) }
        return
      }
      isRequested = false
      let raw = unsafe openat(directory, "smaps", O_RDONLY | O_CLOEXEC)
      guard raw >= 0 else {
        let absence = ProcError(code: errno).absence
        notBefore = now.advanced(byNanoseconds: Int64(PSSReader.shortestPause))
        affordableAt = notBefore
        return table.setMappings(absence: absence, at: now)
      }
      file = Descriptor(owning: raw)
      parser.reset()
      offset = 0
      cost = 0
      residentThen = residentBytes
    }
    let isWhole = readPart()
    guard isWhole else {
      // A complete list stays until the next complete one.
      if !hasWhole { table.setMappings(parser, at: now, isPartial: true) }
      return
    }
    file = nil
    notBefore = PSSReader.nextTime(after: now, cost: cost)
    affordableAt = PSSReader.nextTime(
      after: now, cost: cost, least: UInt64(PSSReader.pauseOfOutdated))
    // The smaps of a process that is about to end or executes another program is empty for a moment.
    guard !parser.groups.isEmpty else { return }
    hasWhole = true
    table.setMappings(parser, at: now, isPartial: false)
  }

  /// Whether resident memory has changed by a fourth; pure.
  static func isOutdated(_ residentThen: UInt64, now residentNow: UInt64) -> Bool {
    let change = max(residentThen, residentNow) - min(residentThen, residentNow)
    return change > max(residentThen / 4, PSSReader.toleratedBytes)
  }

  /// - Returns: whether the file is at its end, or cannot be read further.
  private mutating func readPart() -> Bool {
    let start = readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0
    var spent: UInt64 = 0
    defer { cost.addClamped(spent) }
    while spent < MappingReader.budget {
      let count = (try? unsafe file?.read(into: buffer, at: offset)) ?? 0
      guard count > 0 else { return true }
      unsafe parser.feed(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
      offset.addClamped(Int64(count))
      spent = (readClock(CLOCK_THREAD_CPUTIME_ID) ?? 0) &- start
    }
    return false
  }
}
