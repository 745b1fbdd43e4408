import Glibc
import SystemPackage

/// Owns a file descriptor and closes it exactly once.
///
/// `EINTR` is handled here and nowhere else.
package struct Descriptor: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  /// Takes over a descriptor that the caller opened.
  package init(owning raw: Int32) { descriptor = FileDescriptor(rawValue: raw) }

  /// Opens a file, always with close-on-exec.
  ///
  /// Source: `open(2)`.
  package init(
    open path: String, _ mode: FileDescriptor.AccessMode = .readOnly,
    options: FileDescriptor.OpenOptions = [], permissions: FilePermissions? = nil
  ) throws(SystemError) {
    do {
      descriptor = try FileDescriptor.open(
        FilePath(path), mode, options: options.union(.closeOnExec), permissions: permissions)
    } catch {
      throw SystemError(call: "open", subject: path, code: error as? Errno ?? .ioError)
    }
  }

  /// Duplicates a descriptor owned by someone else, with close-on-exec and a number above that of standard error.
  ///
  /// - Parameter subject: what the descriptor is, for the error message.
  ///
  /// Source: `fcntl(2)`, `F_DUPFD_CLOEXEC`.
  package init(duplicating other: Int32, subject: String) throws(SystemError) {
    let raw = fcntl(other, F_DUPFD_CLOEXEC, 3)
    guard raw >= 0 else {
      throw SystemError(call: "duplicate", subject: subject, code: Errno(rawValue: errno))
    }
    descriptor = FileDescriptor(rawValue: raw)
  }

  deinit { try? descriptor.close() }

  /// The number, for calls that this type does not wrap. It must not outlive the owner.
  @inline(__always) package var raw: Int32 { descriptor.rawValue }

  /// Reads from the start of the file, regardless of earlier reads. This is how an open /proc file is read again.
  ///
  /// - Returns: the number of bytes; fewer than the buffer holds at the end of the file.
  /// - Throws: `ESRCH` when the process of a /proc file has been reaped.
  ///
  /// Source: `pread(2)`.
  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int64 = 0
  ) throws(Errno) -> Int {
    while true {
      let count = unsafe pread(raw, buffer.baseAddress, buffer.count, off_t(offset))
      if count >= 0 { return count }
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  /// Reads what is available. Returns 0 at the end of the file.
  ///
  /// Source: `read(2)`.
  package func readNext(into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    while true {
      let count = unsafe Glibc.read(raw, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  /// Writes as much as the kernel takes at once. A short write is not an error.
  ///
  /// Source: `write(2)`.
  package func write(_ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try unsafe Descriptor.write(buffer, to: raw)
  }

  private static func write(
    _ buffer: UnsafeRawBufferPointer, to raw: Int32
  ) throws(Errno) -> Int {
    while true {
      let count = unsafe Glibc.write(raw, buffer.baseAddress, buffer.count)
      if count >= 0 { return count }
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  /// Writes the whole buffer. Waits if the descriptor is in blocking mode.
  package func writeAll(_ buffer: UnsafeRawBufferPointer) throws(Errno) {
    try unsafe Descriptor.writeAll(buffer, to: raw)
  }

  /// Writes a whole array.
  package func writeAll(_ bytes: [UInt8]) throws(Errno) {
    let span = unsafe bytes.span.bytes
    try unsafe span.withUnsafeBytes { buffer throws(Errno) in try unsafe writeAll(buffer) }
  }

  /// Writes a whole buffer to a descriptor owned by someone else.
  package static func writeAll(_ buffer: UnsafeRawBufferPointer, to raw: Int32) throws(Errno) {
    var done = 0
    while done < buffer.count {
      let count = try unsafe write(UnsafeRawBufferPointer(rebasing: buffer[done...]), to: raw)
      if count == 0 { throw .ioError }
      done += count
    }
  }
}

/// Reads a whole small file, such as one of /proc or a configuration file.
///
/// - Parameter limit: more bytes than this are an error (`EFBIG`), never a truncated text.
/// - Returns: the bytes.
package func readFile(_ path: String, limit: Int = 1 << 20) throws(SystemError) -> [UInt8] {
  let file = try Descriptor(open: path)
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 16384)
  while true {
    let count: Int
    do {
      count = try unsafe chunk.withUnsafeMutableBytes { try unsafe file.readNext(into: $0) }
    } catch {
      throw SystemError(call: "read", subject: path, code: error as? Errno ?? .ioError)
    }
    if count == 0 { return bytes }
    bytes += chunk[..<count]
    if bytes.count > limit {
      throw SystemError(call: "read", subject: path, code: .fileTooLarge)
    }
  }
}
