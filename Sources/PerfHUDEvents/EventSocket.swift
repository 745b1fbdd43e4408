import CLinux
import Glibc
import PerfHUDBase
import SystemPackage

/// Counts everything that was sent to a HUD.
package struct EventCounts: BitwiseCopyable, Sendable, Equatable {
  /// Events received.
  package var received: UInt64 = 0
  /// Lines that are not events.
  package var bad: UInt64 = 0
  /// Lines of an unknown kind.
  package var unknown: UInt64 = 0
  /// Datagrams from other users, dropped unread.
  package var foreign: UInt64 = 0
  /// Events that were sent but did not arrive, by the senders' own counts (`seq=`).
  package var lost: UInt64 = 0

  package init() {}

  /// Lines and datagrams that were refused.
  package var refused: UInt64 { bad &+ unknown &+ foreign }

  mutating func note(_ error: EventLineError) {
    if error == .unknownKind { unknown += 1 } else { bad += 1 }
  }
}

/// The socket on which a HUD receives the events of programs. It never waits.
///
/// Only its owner can send to it: it has mode 0600 in a directory of mode 0700, and datagrams of users other than
/// the owner and root are dropped and counted. It is removed when this value ends.
///
/// At the first event it gets mode 0700, which shows another perfhud that programs report here (`hasReceived`). The
/// execute bit of a socket has no other meaning.
///
/// Source: `unix(7)`.
@safe package struct EventSocket: ~Copyable {
  /// The number of bytes read of a datagram: four of the longest lines. A longer one loses its end, which counts as a
  /// bad line.
  package static let datagramLimit = 4096
  /// About the number of datagrams that the kernel keeps (`net.unix.max_dgram_qlen`), so one call empties it.
  private static let batch = 16

  package enum Name: Sendable {
    /// For a process that may look for it: `PID.sock`.
    case process(Int32)
    /// For a command that gets it in `PERFHUD_SOCKET`: a unique name.
    case command
  }

  /// The path of the socket.
  package let path: String
  private let descriptor: Descriptor
  private let owner: uid_t
  private let group: gid_t
  private var inode: ino_t?
  private let buffer: UnsafeMutablePointer<UInt8>
  private let list: UnsafeMutablePointer<perfhud_datagram>
  private var senders = SenderTable()
  /// When it was last known to be empty: no waiting datagram is older than this.
  private var emptyAt: Instant
  package private(set) var counts = EventCounts()

  /// Creates the socket as the user of `directories`, and removes sockets whose owner has gone.
  ///
  /// - Throws: `EADDRINUSE` if another perfhud listens there, `EEXIST` if something else has this path.
  package init(_ name: Name, in directories: SocketDirectories) throws(SystemError) {
    let raw = perfhud_datagram_socket(1)
    guard raw >= 0 else {
      throw SystemError(call: "make", subject: "a socket", code: Errno(rawValue: errno))
    }
    let made = Descriptor(owning: raw)
    let path = try EventSocket.bind(made.raw, name, in: directories)
    self.init(made, path: path, in: directories)
  }

  /// Continues with a socket created by a previous process.
  ///
  /// - Parameters:
  ///   - descriptor: the socket, which this value now owns.
  ///   - path: the path to which it is bound.
  package init(adopting descriptor: Int32, path: String, in directories: SocketDirectories) {
    self.init(Descriptor(owning: descriptor), path: path, in: directories)
    senders = SenderTable(isContinued: true)
  }

  private init(
    _ descriptor: consuming Descriptor, path: String, in directories: SocketDirectories
  ) {
    self.path = path
    inode = EventSocket.inode(path)
    self.descriptor = descriptor
    owner = directories.user
    group = directories.group
    unsafe buffer = .allocate(capacity: EventSocket.batch * EventSocket.datagramLimit)
    unsafe buffer.initialize(repeating: 0, count: EventSocket.batch * EventSocket.datagramLimit)
    unsafe list = .allocate(capacity: EventSocket.batch)
    unsafe list.initialize(repeating: perfhud_datagram(), count: EventSocket.batch)
    emptyAt = .now()
  }

  /// Binds the socket. Returns its path.
  private static func bind(
    _ descriptor: Int32, _ name: Name, in directories: SocketDirectories
  ) throws(SystemError) -> String {
    // A process of another user must find the socket, and root must not follow links that this user has put there.
    let rights = FileRights(user: directories.user, group: directories.group)
    defer { rights.restore() }
    let directory = try directories.make()
    removeStale(in: directory)
    let file =
      switch name {
      case .process(let pid): "\(pid).sock"
      case .command: "hud-\(getpid())-\(String(Instant.now().nanoseconds, radix: 36)).sock"
      }
    let path = directory + "/" + file
    guard unsafe perfhud_bind_path(descriptor, path) == 0 else {
      let code = Errno(rawValue: errno)
      if code == .addressInUse, inode(path) == nil {
        throw SystemError(
          call: "listen on", subject: path, code: .fileExists,
          advice: "it is no socket, and no perfhud has made it: remove it")
      }
      throw SystemError(
        call: "listen on", subject: path, code: code,
        advice: code == .addressInUse ? "another perfhud does" : "")
    }
    return path
  }

  deinit {
    remove()
    unsafe buffer.deallocate()
    unsafe list.deallocate()
  }

  /// The descriptor to wait for.
  package var raw: Int32 { descriptor.raw }

  /// Removes the path, so that programs no longer find it; waiting datagrams can still be read.
  package mutating func close() {
    remove()
    inode = nil
  }

  /// Removes the path, unless another socket has it by now.
  private func remove() {
    guard let inode, EventSocket.inode(path) == inode else { return }
    let rights = FileRights(user: owner, group: group)
    _ = unsafe unlink(path)
    rights.restore()
  }

  private static func inode(_ path: String) -> ino_t? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
    return status.st_ino
  }

  /// Whether a process is listening at a path. Source: `connect(2)`.
  static func hasListener(at path: String) -> Bool {
    let probe = perfhud_datagram_socket(0)
    guard probe >= 0 else { return false }
    defer { Glibc.close(probe) }
    return unsafe perfhud_connect_path(probe, path) == 0
  }

  /// Whether the socket at a path has received events. Source: `lstat(2)`.
  package static func hasReceived(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
      return false
    }
    return status.st_mode & S_IXUSR != 0
  }

  /// Marks the socket as one that has received events.
  private func markReceived() {
    guard let inode, EventSocket.inode(path) == inode else { return }
    let rights = FileRights(user: owner, group: group)
    _ = unsafe chmod(path, S_IRWXU)
    rights.restore()
  }

  /// Removes sockets that nobody listens on, such as after a crash. Checks a limited number.
  private static func removeStale(in directory: String) {
    guard let list = unsafe opendir(directory) else { return }
    defer { unsafe closedir(list) }
    var looked = 0
    while looked < 256, let entry = unsafe readdir(list) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      guard name.hasSuffix(".sock"), inode(directory + "/" + name) != nil else { continue }
      looked += 1
      let probe = perfhud_datagram_socket(0)
      guard probe >= 0 else { return }
      // Whether the PID exists says nothing: it may belong to another process, or to another namespace.
      let isStale =
        unsafe perfhud_connect_path(probe, directory + "/" + name) != 0 && errno == ECONNREFUSED
      if isStale { _ = unsafe unlink(directory + "/" + name) }
      Glibc.close(probe)
    }
  }

  /// Takes what has arrived, at most 16 datagrams. `body` gets each event, with the time at which the kernel took it
  /// from its sender.
  ///
  /// - Parameters:
  ///   - now: the current time; no event is later.
  ///   - wallClockOffset: converts the kernel's time to an `Instant`.
  /// - Returns: whether more may be waiting.
  @discardableResult
  package mutating func receive(
    now: Instant, wallClockOffset: UInt64, _ body: (Event, Instant) -> Void
  ) -> Bool {
    let receivedBefore = counts.received
    defer { if receivedBefore == 0, counts.received > 0 { markReceived() } }
    let count = unsafe perfhud_receive(
      descriptor.raw, buffer, EventSocket.datagramLimit, list, UInt32(EventSocket.batch))
    for index in 0..<max(0, Int(count)) {
      let datagram = unsafe list[index]
      guard datagram.has_sender != 0,
        datagram.uid == owner || datagram.uid == 0 || datagram.uid == geteuid()
      else {
        counts.foreign += 1
        continue
      }
      var time = now
      if datagram.has_time != 0 {
        time = Instant(nanoseconds: datagram.wall_nanoseconds &- wallClockOffset)
        // Outside these limits, the wall clock was set in between.
        time = min(now, max(time, emptyAt))
      }
      let start = unsafe buffer + index * EventSocket.datagramLimit
      let bytes = unsafe RawSpan(_unsafeStart: start, byteCount: Int(datagram.length))
      take(bytes, of: datagram, at: time, body)
    }
    if count < EventSocket.batch {
      emptyAt = now
      return false
    }
    return true
  }

  private mutating func take(
    _ bytes: RawSpan, of datagram: perfhud_datagram, at time: Instant,
    _ body: (Event, Instant) -> Void
  ) {
    var start = 0
    while start < bytes.byteCount {
      var end = FieldCursor(position: start)
      end.skipLine(in: bytes)
      let isCut = datagram.was_cut != 0 && end.position == bytes.byteCount
      do throws(EventLineError) {
        if isCut { throw .tooLong }
        if var event = try EventCodec.decode(bytes.extracting(start..<end.position)) {
          event.sender = datagram.pid
          if let sequence = event.sequence {
            counts.lost.addClamped(senders.gap(before: sequence, of: datagram.pid))
          }
          counts.received += 1
          body(event, time)
        }
      } catch {
        counts.note(error)
      }
      start = end.position
    }
  }
}

/// The last event number of each sender, in bounded memory.
///
/// A process may have several senders, such as two libraries with a client each. Only their numbers distinguish them.
struct SenderTable {
  /// The maximum number of senders. Beyond it, those with the oldest last event are forgotten, and losses before their
  /// next event are not noticed.
  static let capacity = 32
  /// The maximum number of senders of one process.
  private static let ofProcess = 4

  private struct Entry: BitwiseCopyable {
    var pid: Int32 = -1
    var next: UInt64 = 1
    var used: UInt64 = 0
  }

  private var entries = InlineArray<32, Entry>(repeating: Entry())
  private var latest = 0
  private var clock: UInt64 = 0
  private var hasForgotten = false

  /// - Parameter isContinued: whether senders may already have sent events to a previous process.
  init(isContinued: Bool = false) { hasForgotten = isContinued }

  /// Notes the number of an event. Returns how many events before it are missing.
  ///
  /// The event continues the nearest count. A number below all of them begins a new count: it comes from another
  /// sender, or the process has executed another program.
  mutating func gap(before sequence: UInt64, of pid: Int32) -> UInt64 {
    clock += 1
    if entries[latest].pid != pid || entries[latest].next != sequence { find(pid, sequence) }
    let next = entries[latest].next
    entries[latest].next = sequence &+ 1
    entries[latest].used = clock
    return sequence > next && next != 0 ? sequence - next : 0
  }

  /// Makes `latest` the index of the sender.
  private mutating func find(_ pid: Int32, _ sequence: UInt64) {
    var nearest: Int?
    var oldest = 0
    var oldestOfProcess: Int?
    var count = 0
    for index in 0..<SenderTable.capacity {
      let entry = entries[index]
      if entry.used < entries[oldest].used { oldest = index }
      guard entry.pid == pid else { continue }
      count += 1
      if oldestOfProcess.map({ entry.used < entries[$0].used }) ?? true { oldestOfProcess = index }
      guard entry.next <= sequence else { continue }
      if nearest.map({ (entries[$0].next, entries[$0].used) < (entry.next, entry.used) }) ?? true {
        nearest = index
      }
    }
    if let nearest {
      latest = nearest
      return
    }
    if count >= SenderTable.ofProcess, let oldestOfProcess {
      oldest = oldestOfProcess
    } else if entries[oldest].used > 0 {
      hasForgotten = true
    }
    // It counts from 1. If it may be a forgotten sender, it counts from its current number.
    entries[oldest] = Entry(pid: pid, next: hasForgotten ? 0 : 1)
    latest = oldest
  }
}
