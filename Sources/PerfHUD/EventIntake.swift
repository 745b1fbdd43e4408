import Base
import Events
import Glibc
import HUD
import Metrics

/// Where programs say something of themselves: the socket, and the file of `--events`. Each event
/// becomes a record with the time at which it was sent.
struct EventIntake: ~Copyable {
  private var socket: EventSocket?
  private var file: FollowedFile?
  private var socketSlot: Int?
  private var fileSlot: Int?
  private var told = EventCounts()
  private var fileBad: UInt64 = 0
  /// What a line of the file must match to begin a phase; then other lines are no mistake.
  private var pattern: LinePattern?
  private var toldLongLines: UInt64 = 0
  /// What the socket did not give at once.
  private var hasMore = false
  /// The longest line of a log that is compared with a pattern, in bytes.
  private static let logLineLimit = 16384
  /// At the end so much of a file is still read, in chunks: 4 MiB.
  private static let lastChunks = 64
  /// Where the socket lies; `nil` where there is none.
  let socketPath: String?
  /// The process whose socket this is; it follows when another one is shown.
  private var process: Int32?

  /// Nothing is heard.
  init() { socketPath = nil }

  /// Listens to the file alone, as long as there is no process that could look for a socket.
  init(settings: Settings) {
    socketPath = nil
    listenToFile(settings)
  }

  /// Listens. What cannot be had is said in a line and done without: figures are shown all the same.
  ///
  /// - Parameter process: the process that is shown, which may look for the socket; `nil` where it is
  ///   a command that is told of it.
  init(process: Int32?, settings: Settings) {
    var path: String?
    do throws(SystemError) {
      let made: EventSocket
      if let process {
        made = try EventSocket(.process(process), in: .of(process: process))
      } else {
        made = try EventSocket(.command, in: .current())
      }
      path = made.path
      socket = .some(made)
    } catch {
      // Nowhere to put it is no fault of the user's; what else stands in the way is to be known.
      let isMissing = [.noSuchFileOrDirectory, .readOnlyFileSystem].contains(error.code)
      if !isMissing { ExitStatus.say("\(error); going on without what programs say") }
    }
    socketPath = path
    self.process = process
    listenToFile(settings)
  }

  private mutating func listenToFile(_ settings: Settings) {
    pattern = settings.phasePattern.flatMap { try? LinePattern($0) }
    guard let name = settings.events else { return }
    do throws(SystemError) {
      let limit = pattern == nil ? EventCodec.lineLimit : EventIntake.logLineLimit
      file = .some(try FollowedFile(name, lineLimit: limit, now: .now()))
    } catch {
      ExitStatus.say("\(error); going on without it")
    }
  }

  /// One line for `--explain`; nothing is made.
  static func explanation(_ request: Request) -> String {
    let place: String
    switch request.mode.selection {
    case .pid(let pid): place = "\(pid).sock"
    case .name: place = "PID.sock of the process that is found"
    case .cgroup: return request.settings.events.map { "lines of \(SafeText.clean($0))" } ?? "none"
    case nil: place = "PERFHUD_SOCKET, set for the command"
    }
    let file = request.settings.events.map { ", lines of \(SafeText.clean($0))" } ?? ""
    return "socket \(place)\(file)"
  }

  /// Listens where another process looks for the socket.
  mutating func follow(process: Int32, poller: inout Poller) {
    guard process != self.process else { return }
    self.process = process
    socket?.close()
    // What programs say is done without where it cannot be had, as at the start.
    socket = try? EventSocket(.process(process), in: .of(process: process))
    if let socketSlot {
      poller.replace(socket?.raw, slot: socketSlot)
    } else if let raw = socket?.raw {
      socketSlot = poller.add(raw)
    }
    told = EventCounts()
  }

  mutating func register(with poller: inout Poller) {
    if let raw = socket?.raw { socketSlot = poller.add(raw) }
    if let raw = file?.raw ?? nil { fileSlot = poller.add(raw) }
  }

  /// When there is something to take although no descriptor is ready.
  borrowing func deadline(now: Instant) -> Instant? {
    hasMore ? now : nextFileLook(now: now)
  }

  private borrowing func nextFileLook(now: Instant) -> Instant? {
    switch file {
    case .some(let file): file.deadline(now: now)
    case .none: nil
    }
  }

  /// Takes what has arrived, a bounded amount at once.
  mutating func takeRecords(_ poller: borrowing Poller, now: Instant, into run: inout Run) {
    if hasMore || socketSlot.map({ poller.isReady($0) }) == true { takeDatagrams(&run, now: now) }
    if file != nil {
      takeLines(isReady: fileSlot.map { poller.isReady($0) } ?? false, now: now, into: &run)
    }
    tellCounts(now: now, to: &run)
  }

  private mutating func takeDatagrams(_ run: inout Run, now: Instant) {
    let offset = wallClockOffset()
    hasMore =
      socket?.receive(now: now, wallClockOffset: offset) { event, time in
        run.apply(.event(event, time))
      } ?? false
  }

  private mutating func takeLines(isReady: Bool, now: Instant, into run: inout Run) {
    var bad: UInt64 = 0
    file?.takeLines(isReady: isReady, now: now) { line in
      if let pattern {
        // A log: its other lines are none of ours.
        if let event = EventIntake.phase(line, pattern) { run.apply(.event(event, now)) }
        return
      }
      do throws(EventLineError) {
        if let event = try EventCodec.decode(line) { run.apply(.event(event, now)) }
      } catch {
        bad += 1
      }
    }
    fileBad += bad
  }

  /// The phase that a line begins; `nil` if it begins none.
  private static func phase(_ line: RawSpan, _ pattern: LinePattern) -> Event? {
    let text = unsafe line.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    guard let name = pattern.match(text), !name.isEmpty else { return nil }
    var event = Event(.phase)
    event.name = Event.Name(name)
    event.origin = .pattern
    return event
  }

  /// What did not become an event is a record too.
  private mutating func tellCounts(now: Instant, to run: inout Run) {
    let counts = socket?.counts ?? EventCounts()
    let longLines = pattern == nil ? file?.longLines ?? 0 : 0
    let bad = counts.refused - told.refused + fileBad + (longLines - toldLongLines)
    if bad > 0 { run.apply(.eventsBad(UInt32(clamping: bad), now)) }
    if counts.lost != told.lost {
      run.apply(.eventsLost(UInt32(clamping: counts.lost - told.lost), now))
    }
    told = counts
    toldLongLines = longLines
    fileBad = 0
  }

  /// Takes what is still there, and removes the socket.
  mutating func close(now: Instant, into run: inout Run) {
    socket?.close()
    // What was sent before has its place in the kernel's queue, which is short.
    for _ in 0..<4 where socket != nil {
      takeDatagrams(&run, now: now)
      if !hasMore { break }
    }
    file?.lookSoon()
    for _ in 0..<EventIntake.lastChunks where file != nil {
      takeLines(isReady: true, now: now, into: &run)
      if nextFileLook(now: now) != now { break }
    }
    tellCounts(now: now, to: &run)
  }
}
