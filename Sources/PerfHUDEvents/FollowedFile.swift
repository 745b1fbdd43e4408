import CLinux
import Glibc
import PerfHUDBase
import SystemPackage

/// Reads lines as they are appended to a file.
///
/// Text that is in the file at the start is skipped. A file that appears later is read from its beginning. A file that
/// is replaced (rotated) is first read to its end; one that gets shorter (truncated) is read from its beginning. An
/// incomplete line waits for its end.
///
/// The kernel reports immediately when the file is written to (`inotify(7)`). Once a second it is checked
/// whether the file has appeared or was replaced, and the file is read where the kernel reports no changes.
@safe package struct FollowedFile: ~Copyable {
  /// The time between two checks of the path, in nanoseconds.
  static let lookPeriod: Int64 = 1_000_000_000
  /// The maximum number of bytes taken at once, so that a flood delays nothing.
  static let chunk = 65536

  package let path: String
  /// Lines longer than this are skipped and counted.
  private let lineLimit: Int
  // Below 0 if there is none.
  private let notifier: Int32
  private var watch: Int32 = -1
  private var file: Int32 = -1
  private var identity: (device: dev_t, inode: ino_t) = (0, 0)
  private var offset: Int64 = 0
  private var nextLook: Instant
  /// Whether there was more than one chunk to take.
  private var hasMore = false
  private let buffer: UnsafeMutablePointer<UInt8>
  /// The number of bytes at the start of the buffer that belong to an incomplete line.
  private var partial = 0
  private var isSkipping = false
  /// The number of lines that were too long.
  package private(set) var longLines: UInt64 = 0
  /// How often the file has become shorter or was replaced.
  package private(set) var restarts: UInt64 = 0

  /// - Parameter lineLimit: the longest line in bytes, without its end.
  /// - Throws: if there is something at the path that is not a regular file.
  package init(
    _ path: String, lineLimit: Int = EventCodec.lineLimit, now: Instant
  ) throws(SystemError) {
    var status = stat()
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw SystemError(
        call: "follow", subject: path, code: .invalidArgument,
        advice: "name a file to which lines are appended")
    }
    self.path = path
    self.lineLimit = lineLimit
    notifier = perfhud_watch_open()
    unsafe buffer = .allocate(capacity: FollowedFile.chunk + lineLimit + 1)
    unsafe buffer.initialize(repeating: 0, count: FollowedFile.chunk + lineLimit + 1)
    nextLook = now
    look(now: now)
    var opened = stat()
    if file >= 0, unsafe fstat(file, &opened) == 0 { offset = Int64(opened.st_size) }
  }

  deinit {
    if notifier >= 0 { close(notifier) }
    if file >= 0 { close(file) }
    unsafe buffer.deallocate()
  }

  /// The descriptor to wait for; `nil` if the kernel provides none.
  package var raw: Int32? { notifier >= 0 ? notifier : nil }

  /// When to take lines although the descriptor is not ready.
  package func deadline(now: Instant) -> Instant { hasMore ? now : nextLook }

  /// Whether there is a file at the path.
  package var isThere: Bool { file >= 0 }

  /// Hands over the appended lines without their ends. Each is valid only during the call.
  ///
  /// - Parameter isReady: whether the descriptor is ready.
  package mutating func takeLines(
    isReady: Bool, now: Instant, _ body: (RawSpan) -> Void
  ) {
    guard isReady || hasMore || now >= nextLook else { return }
    if isReady { drainNotifier() }
    hasMore = read(body)
    guard !hasMore, now >= nextLook else { return }
    if look(now: now) { hasMore = read(body) }
  }

  /// Makes the next `takeLines` check the path. Call it before the end, when a file may just have appeared.
  package mutating func lookSoon() { nextLook = Instant(nanoseconds: 0) }

  private func drainNotifier() {
    guard notifier >= 0 else { return }
    let raw = notifier
    var space = InlineArray<1024, UInt8>(repeating: 0)
    var span = space.mutableSpan
    unsafe span.withUnsafeMutableBytes {
      while unsafe Glibc.read(raw, $0.baseAddress, $0.count) > 0 {}
    }
  }

  /// Checks the path. Returns whether there is another file than before.
  @discardableResult
  private mutating func look(now: Instant) -> Bool {
    nextLook = now.advanced(byNanoseconds: FollowedFile.lookPeriod)
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    if file >= 0, identity == (status.st_dev, status.st_ino) { return false }
    // Between the two calls it may become something on which open(2) would wait.
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard opened >= 0 else { return false }
    var found = stat()
    guard unsafe fstat(opened, &found) == 0, found.st_mode & S_IFMT == S_IFREG else {
      close(opened)
      return false
    }
    if file >= 0 {
      restarts += 1
      close(file)
    }
    identity = (found.st_dev, found.st_ino)
    file = opened
    offset = 0
    partial = 0
    isSkipping = false
    if notifier >= 0 {
      if watch >= 0 { perfhud_watch_remove(notifier, watch) }
      watch = unsafe perfhud_watch_add(notifier, path)
    }
    return true
  }

  /// Reads a chunk. Returns whether there may be more.
  private mutating func read(_ body: (RawSpan) -> Void) -> Bool {
    var status = stat()
    guard file >= 0, unsafe fstat(file, &status) == 0 else { return false }
    if Int64(status.st_size) < offset {
      offset = 0
      partial = 0
      isSkipping = false
      restarts += 1
    }
    guard Int64(status.st_size) > offset else { return false }
    let count = unsafe pread(file, buffer + partial, FollowedFile.chunk, off_t(offset))
    guard count > 0 else { return false }
    offset += Int64(count)
    takeLines(partial + count, body)
    return count == FollowedFile.chunk
  }

  private mutating func takeLines(_ end: Int, _ body: (RawSpan) -> Void) {
    let bytes = unsafe RawSpan(_unsafeStart: buffer, byteCount: end)
    var start = 0
    while start < end {
      var next = start
      while next < end, FieldCursor.byte(at: next, in: bytes) != 0x0A { next += 1 }
      if next == end { break }
      if isSkipping {
        isSkipping = false
      } else if next - start > lineLimit {
        longLines += 1
      } else {
        body(bytes.extracting(start..<next))
      }
      start = next + 1
    }
    partial = end - start
    if partial > lineLimit {
      if !isSkipping { longLines += 1 }
      isSkipping = true
    }
    if isSkipping { partial = 0 }
    unsafe buffer.update(from: buffer + start, count: partial)
  }
}
