import CLinux
import Glibc
import PerfHUDBase

/// Why a file of /proc cannot be opened or read.
enum ProcError: Error, Equatable {
  /// `ENOENT`: there is no such process, or it is hidden (hidepid=2), or the kernel lacks the file.
  case notFound
  /// `EACCES`: the file is for the same user or root.
  case denied
  /// `EPERM`: /proc is mounted with hidepid=1 and the process belongs to someone else.
  case hidden
  /// `ESRCH`: the process has been reaped since the file was opened; `ENODEV`: the cgroup was removed.
  case ended
  /// Any other number of `errno`.
  case other(Int32)

  init(code: Int32) {
    switch code {
    case ENOENT: self = .notFound
    case EACCES: self = .denied
    case EPERM: self = .hidden
    case ESRCH, ENODEV: self = .ended
    default: self = .other(code)
    }
  }

  /// The reason that is shown instead of the value.
  var absence: Absence {
    switch self {
    case .denied, .hidden: return .permission
    case .ended: return .ended
    case .notFound, .other: return .unsupported
    }
  }
}

/// The directory of one process, `/proc/PID`, held open.
///
/// A file that is opened through it belongs to this process or fails with `ESRCH`, even if the pid has been
/// given to another process meanwhile. Source: `open(2)`, `openat(2)`.
struct ProcDirectory: ~Copyable, Sendable {
  private let descriptor: Descriptor
  /// The number, for calls that this type does not wrap.
  var raw: Int32 { descriptor.raw }

  init(path: String) throws(ProcError) {
    let raw = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { throw ProcError(code: errno) }
    descriptor = Descriptor(owning: raw)
  }

  /// Opens a file below the directory and gives it a buffer of `capacity` bytes.
  func file(_ name: String, capacity: Int) throws(ProcError) -> ProcFile {
    let raw = unsafe openat(descriptor.raw, name, O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { throw ProcError(code: errno) }
    return ProcFile(owning: Descriptor(owning: raw), capacity: capacity)
  }

  /// The directory of the threads; `nil` after the process has ended.
  func tasks() -> Descriptor? {
    let raw = unsafe openat(descriptor.raw, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    return raw >= 0 ? Descriptor(owning: raw) : nil
  }

  /// A thread of the process other than its main thread, or `nil` if there is none.
  ///
  /// Source: `getdents64(2)` on `/proc/PID/task`.
  func thread(otherThan pid: Int32) -> Int32? {
    let raw = unsafe openat(descriptor.raw, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let task = Descriptor(owning: raw)
    return unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 8) { buffer in
      while let start = buffer.baseAddress {
        let length = unsafe perfhud_getdents64(task.raw, start, buffer.count)
        guard length > 0 else { return nil }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: Int(length)).bytes
        var entries = DirectoryEntries()
        while let entry = entries.nextNumber(in: bytes) {
          if entry.number != pid { return entry.number }
        }
      }
      return nil
    }
  }
}

/// A file of /proc or of a cgroup that stays open and is read again from its start.
///
/// A sample is one `pread(2)` into a buffer that never grows. Text that does not fit is cut off, and the parsers treat
/// the missing fields as absent. A sample allocates nothing.
@safe struct ProcFile: ~Copyable, @unchecked Sendable {
  private let descriptor: Descriptor
  // Owned by this value alone, hence the unchecked Sendable.
  private let buffer: UnsafeMutableRawBufferPointer

  init(owning descriptor: consuming Descriptor, capacity: Int) {
    self.descriptor = descriptor
    unsafe buffer = .allocate(byteCount: capacity, alignment: 8)
  }

  /// Opens a file by its path.
  init(path: String, capacity: Int) throws(ProcError) {
    let raw = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard raw >= 0 else { throw ProcError(code: errno) }
    self.init(owning: Descriptor(owning: raw), capacity: capacity)
  }

  deinit { unsafe buffer.deallocate() }

  /// Reads the file and passes its bytes to `body`, which must not read the same file: there is only one buffer.
  func withBytes<Result>(_ body: (RawSpan) -> Result) throws(ProcError) -> Result {
    let count: Int
    do {
      count = try unsafe descriptor.read(into: buffer)
    } catch {
      throw ProcError(code: error.rawValue)
    }
    return unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
  }

  /// Reads the whole file piece by piece, however long it is, and passes each piece to `body`.
  ///
  /// For files where one read returns at most a page. Costs one `pread(2)` for each piece and one more.
  func withPieces(_ body: (RawSpan) -> Void) throws(ProcError) {
    var offset: Int64 = 0
    while true {
      let count: Int
      do {
        count = try unsafe descriptor.read(into: buffer, at: offset)
      } catch {
        throw ProcError(code: error.rawValue)
      }
      guard count > 0 else { return }
      unsafe body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
      offset += Int64(count)
    }
  }

  /// Reads the file and parses it; `nil` if its text is malformed.
  func read<Fields: ProcFields>(as fields: Fields.Type) throws(ProcError) -> Fields? {
    try withBytes { Fields($0) }
  }
}

/// An open file, or the reason why it could not be opened.
struct OptionalFile: ~Copyable, Sendable {
  private let file: ProcFile?
  private let absence: Absence

  init(_ name: String, in directory: borrowing ProcDirectory, capacity: Int) {
    do {
      file = try directory.file(name, capacity: capacity)
      absence = .unsupported
    } catch {
      file = nil
      absence = error.absence
    }
  }

  /// - Parameter path: `nil` if there is no such file.
  init(path: String?, capacity: Int) {
    guard let path else {
      file = nil
      absence = .unsupported
      return
    }
    do {
      file = try ProcFile(path: path, capacity: capacity)
      absence = .unsupported
    } catch {
      file = nil
      absence = error.absence
    }
  }

  /// The fields, or the reason why there are none; a malformed text counts as unsupported.
  func read<Fields: ProcFields>(as fields: Fields.Type) -> Reading<Fields> {
    do {
      guard let found = try file?.read(as: fields) else { return .absent(absence) }
      return .value(found)
    } catch {
      return .absent(error.absence)
    }
  }
}
