import CLinux
import Glibc
import PerfHUDBase

/// Reports to a HUD what this program does. Never waits for the HUD, even if it is slow, stopped or gone. Without a HUD
/// a call reads a clock and returns.
///
/// Events for which the HUD has no room are kept. Actions of the same name are added up; of phases, of loading, and of
/// values of the same name, only the last is kept. They are sent before the next event. A burst of actions that waited
/// carries how long ago it was, so that its rate is right. An event that is not kept leaves a gap in the numbers, so the
/// HUD knows how many are missing.
///
/// Must not be used by two threads at once, unlike `PerfHUDClient`.
@safe package struct EventSender: ~Copyable {
  /// How often to look for a HUD while there is none, in nanoseconds.
  static let lookPeriod: Int64 = 1_000_000_000
  /// The pause after the HUD's queue was full, in nanoseconds: each attempt costs a system call.
  static let pause: Int64 = 100_000
  /// The maximum number of different events that are kept.
  static let keptLimit = 16
  /// Actions that were added up over a longer time than this are no burst, and have no time; nanoseconds.
  static let burstTime: Int64 = 250_000_000
  /// A shorter wait is not worth a field; nanoseconds.
  static let leastWait: Int64 = 20_000_000

  private let socketPath: String?
  private let directories: SocketDirectories
  /// The PID in the name of the socket to look for.
  private var process: Int32
  private var owner = getpid()
  private let isNumbered: Bool
  private var descriptor: Int32 = -1
  private var nextLook = Instant(nanoseconds: 0)
  private var retryAt = Instant(nanoseconds: 0)
  private var sequence: UInt64 = 0
  private var line: SendBuffer
  private let kept: UnsafeMutablePointer<Event>
  /// For each kept action, when the first one of its burst happened; `nil` for a longer time than a burst.
  private var burstStarts = InlineArray<16, Instant?>(repeating: nil)
  private var keptCount = 0

  /// The number of events sent; a sum of several actions counts once.
  package private(set) var sent: UInt64 = 0
  /// The number of events that were lost although a HUD was listening.
  package private(set) var dropped: UInt64 = 0

  /// - Parameters:
  ///   - socketPath: where the HUD listens. Without it, or if nobody listens there, looks for `PID.sock`.
  ///   - process: the PID in that name.
  ///   - isNumbered: whether events carry numbers. A program that ends after one event does not need them.
  package init(
    socketPath: String?, directories: SocketDirectories, process: Int32 = getpid(),
    isNumbered: Bool = true
  ) {
    self.isNumbered = isNumbered
    self.socketPath = socketPath
    self.directories = directories
    self.process = process
    line = SendBuffer()
    unsafe kept = .allocate(capacity: EventSender.keptLimit)
    unsafe kept.initialize(repeating: Event(.frame), count: EventSender.keptLimit)
  }

  /// Creates a sender from the environment: `PERFHUD_SOCKET`, `XDG_RUNTIME_DIR`, `TMPDIR`.
  package static func fromEnvironment() -> EventSender {
    EventSender(socketPath: SocketDirectories.variable("PERFHUD_SOCKET"), directories: .current())
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    unsafe kept.deallocate()
    line.deallocate()
  }

  /// Whether a HUD was listening at the last attempt.
  package var isConnected: Bool { descriptor >= 0 }

  /// Whether a HUD is listening. Looks for one if it is time to.
  package var hasListener: Bool {
    mutating get { descriptor >= 0 || connect(now: .now()) }
  }

  /// While there is no HUD: when to look for one again.
  package var quietUntil: Instant? { descriptor >= 0 ? nil : nextLook }

  /// Whether there are kept events that have not been sent yet.
  package var hasKept: Bool { keptCount > 0 }

  /// Sends an event, or keeps it, or drops it if there is no HUD.
  ///
  /// - Parameter own: the PID of this process.
  package mutating func send(_ event: Event, in own: Int32 = getpid(), now: Instant = .now()) {
    guard descriptor >= 0 || connect(now: now) else { return }
    noteFork(own)
    guard now >= retryAt, sendKept(now: now) else {
      if descriptor >= 0 { keep(event, now: now) }
      return
    }
    line.removeAll()
    append(event)
    switch transmit(now: now) {
    case .sent: sent += 1
    case .full:
      sequence -= 1
      keep(event, now: now)
    case .gone: break
    }
  }

  /// Skips the numbers of events that never reached the sender, so that the HUD counts them as missing.
  package mutating func skip(_ count: UInt32) {
    guard descriptor >= 0 else { return }
    noteFork()
    sequence += UInt64(count)
    dropped += UInt64(count)
  }

  /// Tries once to send the kept events.
  ///
  /// - Returns: whether nothing is left.
  @discardableResult
  package mutating func flush(now: Instant = .now()) -> Bool {
    guard descriptor >= 0 else { return true }
    noteFork()
    return sendKept(now: now)
  }

  /// Waits until the HUD's queue has room, and sends the kept events; for a program that ends immediately.
  package mutating func flush(milliseconds: Int32) {
    guard !flush(), descriptor >= 0 else { return }
    var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&entry, 1, milliseconds)
    flush()
  }

  // MARK: Sending

  private enum Outcome { case sent, full, gone }

  private mutating func append(_ event: Event) {
    sequence += 1
    var numbered = event
    numbered.sequence = isNumbered ? sequence : nil
    EventCodec.encode(numbered, to: &line)
  }

  private mutating func transmit(now: Instant) -> Outcome {
    while true {
      if unsafe perfhud_send(descriptor, line.start, line.count) >= 0 { return .sent }
      switch errno {
      case EINTR: continue
      case EAGAIN, ENOBUFS, ENOMEM:
        retryAt = now.advanced(byNanoseconds: EventSender.pause)
        return .full
      default:
        disconnect()
        nextLook = now.advanced(byNanoseconds: EventSender.lookPeriod)
        return .gone
      }
    }
  }

  /// Sends the kept events, several lines in one datagram, since the kernel limits the number of datagrams.
  ///
  /// - Returns: whether nothing is left.
  private mutating func sendKept(now: Instant) -> Bool {
    var first = 0
    while first < keptCount {
      let before = sequence
      var next = first
      line.removeAll()
      while next < keptCount, line.count + EventCodec.lineLimit < SendBuffer.capacity {
        if next > first { line.append(UInt8(ascii: "\n")) }
        append(keptEvent(next, now: now))
        next += 1
      }
      switch transmit(now: now) {
      case .sent: sent += UInt64(next - first)
      case .full:
        sequence = before
        for index in first..<keptCount {
          unsafe kept[index - first] = kept[index]
          burstStarts[index - first] = burstStarts[index]
        }
        keptCount -= first
        return false
      case .gone: return false
      }
      first = next
    }
    keptCount = 0
    return true
  }

  // MARK: Events that are kept

  /// A kept event, with how long ago it happened if that matters.
  private func keptEvent(_ index: Int, now: Instant) -> Event {
    var event = unsafe kept[index]
    guard event.kind == .action, let start = burstStarts[index] else { return event }
    let wait = now.nanoseconds(since: start)
    if wait >= EventSender.leastWait { event.number = Double(wait / 1_000_000) }
    return event
  }

  private mutating func keep(_ event: Event, now: Instant) {
    if let index = index(of: event) {
      if event.kind == .action {
        if let start = burstStarts[index],
          now.nanoseconds(since: start) > EventSender.burstTime
        {
          burstStarts[index] = nil
        }
        let (sum, isOver) = unsafe kept[index].count.addingReportingOverflow(event.count)
        unsafe kept[index].count = isOver ? .max : sum
        if !event.detail.isEmpty { unsafe kept[index].detail = event.detail }
      } else {
        unsafe kept[index] = event
        drop()
      }
      return
    }
    guard event.kind != .frame, keptCount < EventSender.keptLimit else { return drop() }
    unsafe kept[keptCount] = event
    burstStarts[keptCount] = now
    keptCount += 1
  }

  /// Skips the number of the event, so that the HUD counts it as missing.
  private mutating func drop() {
    sequence += 1
    dropped += 1
  }

  /// The index of the kept event that this one adds to or replaces.
  private func index(of event: Event) -> Int? {
    for index in 0..<keptCount {
      let other = unsafe kept[index]
      switch event.kind {
      case .action, .value:
        if other.kind == event.kind, other.name == event.name { return index }
      case .phase: if other.kind == .phase { return index }
      case .loading, .loadingDone:
        if other.kind == .loading || other.kind == .loadingDone { return index }
      case .toast, .frame: return nil
      }
    }
    return nil
  }

  // MARK: Finding the HUD

  private mutating func connect(now: Instant) -> Bool {
    guard now >= nextLook else { return false }
    nextLook = now.advanced(byNanoseconds: EventSender.lookPeriod)
    noteFork()
    if let socketPath, connect(to: socketPath) { return true }
    for directory in directories.existing() where connect(to: "\(directory)/\(process).sock") {
      return true
    }
    return false
  }

  private mutating func connect(to path: String) -> Bool {
    let raw = perfhud_datagram_socket(0)
    guard raw >= 0 else { return false }
    guard unsafe perfhud_connect_path(raw, path) == 0 else {
      close(raw)
      return false
    }
    descriptor = raw
    sequence = 0
    keptCount = 0
    retryAt = Instant(nanoseconds: 0)
    return true
  }

  private mutating func disconnect() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    keptCount = 0
  }

  /// A child of fork(2) is a different sender: it starts counting again, and the kept events belong to its parent.
  private mutating func noteFork(_ own: Int32 = getpid()) {
    guard own != owner else { return }
    if process == owner { process = own }
    owner = own
    sequence = 0
    keptCount = 0
  }
}

/// The bytes of a datagram. Drops bytes that do not fit. Its creator frees it.
@safe struct SendBuffer: ByteSink {
  static let capacity = EventSocket.datagramLimit
  private let bytes: UnsafeMutablePointer<UInt8>
  private(set) var count = 0

  init() {
    unsafe bytes = .allocate(capacity: SendBuffer.capacity)
    unsafe bytes.initialize(repeating: 0, count: SendBuffer.capacity)
  }

  func deallocate() { unsafe bytes.deallocate() }

  var start: UnsafePointer<UInt8> { unsafe UnsafePointer(bytes) }

  mutating func removeAll() { count = 0 }

  mutating func append(_ byte: UInt8) {
    guard count < SendBuffer.capacity else { return }
    unsafe bytes[count] = byte
    count += 1
  }
}
