import Glibc
import PerfHUDBase

/// The arguments of a process, separated by blanks, the first without its directory; harmless for a terminal, and
/// truncated. Empty if unknown.
public typealias ProcessArguments = InlineText<240>

/// The command lines of the processes in a list, read once for each program that a process executes.
///
/// The pid of a process determines its slot; two processes with the same slot replace each other. Reading allocates
/// nothing.
///
/// Source: `/proc/PID/cmdline`.
@safe struct CommandLineReader: ~Copyable, @unchecked Sendable {
  private struct Slot: BitwiseCopyable {
    var pid: Int32 = 0
    var startTicks: UInt64 = 0
    var name = ProcessName()
    /// How often it has been read. One that was read early may execute another program.
    var reads: UInt8 = 0
    var line = ProcessArguments()
  }

  private static let slotCount = 512
  /// A new process is read this many times, since it may not have executed its program yet.
  private static let readLimit: UInt8 = 4

  private static let bufferBytes = 512

  private let directory: Descriptor
  // Owned by this value alone, hence the unchecked Sendable.
  private let buffer: UnsafeMutableRawBufferPointer
  private var slots = [Slot](repeating: Slot(), count: slotCount)

  /// - Parameter root: where /proc is mounted.
  /// - Returns: `nil` if it cannot be opened.
  init?(root: String) {
    let raw = unsafe Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    directory = Descriptor(owning: raw)
    unsafe buffer = .allocate(byteCount: CommandLineReader.bufferBytes, alignment: 8)
  }

  deinit { unsafe buffer.deallocate() }

  /// Gives all rows of a table their command lines.
  mutating func fill(_ table: inout ProcessTableBuffer) {
    table.takeLines { line(of: $0) }
  }

  private mutating func line(of row: ProcessRow) -> ProcessArguments {
    let index = Int(row.pid) % CommandLineReader.slotCount
    guard row.pid > 0 else { return ProcessArguments() }
    var slot = slots[index]
    if slot.pid != row.pid || slot.startTicks != row.startTicks || slot.name != row.name {
      slot = Slot()
    }
    guard !row.hasEnded, slot.reads < CommandLineReader.readLimit else { return slot.line }
    slot.pid = row.pid
    slot.startTicks = row.startTicks
    slot.name = row.name
    slot.reads += 1
    read(row.pid, into: &slot.line)
    slots[index] = slot
    return slot.line
  }

  /// A line that cannot be read stays as it was.
  private func read(_ pid: Int32, into line: inout ProcessArguments) {
    let file = NumberedFiles.open(pid, "/cmdline", in: directory.raw)
    guard file >= 0 else { return }
    defer { close(file) }
    let count = unsafe pread(file, buffer.baseAddress, buffer.count, 0)
    guard count > 0 else { return }
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
    line.removeAll()
    var position = unsafe CommandLineReader.startOfName(in: bytes)
    while position < count {
      let (scalar, length) = UTF8Form.character(at: position, count: count) { unsafe bytes[$0] }
      position += length
      // NUL separates the arguments.
      let harmless = scalar == "\0" ? " " : SafeText.replacement(for: scalar)
      guard line.append(harmless) else { break }
    }
    line.trimEnd()
  }

  /// Where the name of the program starts: after the directory of a path, which says little and takes up most of a row.
  private static func startOfName(in bytes: UnsafeRawBufferPointer) -> Int {
    guard bytes.count > 0, unsafe bytes[0] == 0x2F else { return 0 }
    var start = 0
    var index = 0
    while index < bytes.count, case let byte = unsafe bytes[index], byte != 0x20 {
      if byte == 0 { return start < index ? start : 0 }
      index += 1
      if byte == 0x2F { start = index }
    }
    return 0
  }
}
