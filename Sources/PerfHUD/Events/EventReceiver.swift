import CProcess
import Glibc
import HUD
import Metrics
import PerfHUDBase
import PerfHUDEvents

/// Receives the events of programs, from the socket and from the file of `--events`. Each becomes a record with the
/// time at which it was sent.
struct EventReceiver: ~Copyable {
  private var socket: EventSocket?
  private var file: FollowedFile?
  private var socketSlot: Int?
  private var fileSlot: Int?
  private var reported = EventCounts()
  private var badLines: UInt64 = 0
  /// What a line of the file must match to begin a phase. If set, other lines are not mistakes.
  private var pattern: LinePattern?
  private var reportedLongLines: UInt64 = 0
  /// Whether the socket may have more events than were taken at once.
  private var hasMore = false
  /// The longest line of a log that is matched against a pattern, in bytes.
  private static let logLineLimit = 16384
  /// The number of chunks of a file that are still read at the end: 4 MiB.
  private static let lastChunks = 64
  /// The path of the socket for a command; `nil` if there is none.
  private(set) var socketPath: String?
  /// The shown process, if it may look for its socket. Changes when another process is followed.
  private var program: ProgramWatch?
  /// Whether it has ended, so that it is not watched any more.
  private var hasEnded = false
  /// The directories in which that process looks for its socket.
  private var directories: SocketDirectories?
  /// The socket of the HUD below which it was started.
  private var socketAbove: String?
  private var listener = EventListener.here
  private var reportedListener = EventListener.here
  /// When to check again whether the process's events can be received here.
  private var nextLook: Instant?
  private static let lookSeconds = 1.0
  /// Whether another perfhud has the socket's path.
  private var isTaken = false
  private var loadingWatch = LoadingWatch()
  /// Whether to report who receives the events, because no HUD shows it.
  private let remarksListener: Bool
  /// Whether events are refused (`no-events`).
  private let refusesEvents: Bool

  /// Receives nothing.
  init() {
    socketPath = nil
    remarksListener = false
    refusesEvents = true
  }

  /// Receives events only from the file, as long as no process could look for a socket.
  init(settings: Settings) {
    socketPath = nil
    remarksListener = false
    refusesEvents = settings.refusesEvents
    listenToFile(settings)
  }

  /// Starts to receive. Reports what is not available in one line: perfhud goes on without it.
  ///
  /// - Parameters:
  ///   - process: the shown process, which may look for the socket; `nil` if it is a command, which gets the path in
  ///     its environment.
  ///   - isInteractive: whether a HUD is drawn, which shows who receives the events.
  init(process: Int32?, settings: Settings, isInteractive: Bool = true) {
    remarksListener = !isInteractive
    refusesEvents = settings.refusesEvents
    if let process {
      let now = Instant.now()
      program = ProgramWatch(process: process, now: now)
      // The command line is known. What is still missing, in the middle of an exec, comes later.
      setSurroundings(SocketDirectories.surroundings(of: process) ?? (.current(), nil))
      listen(process, isFirst: true)
      if isTaken || socketAbove != nil {
        nextLook = now.advanced(bySeconds: EventReceiver.lookSeconds)
      }
      remarkListener()
    } else if !refusesEvents {
      do throws(SystemError) {
        let made = try EventReceiver.commandSocket()
        socketPath = made.path
        socket = .some(made)
      } catch {
        listener = .nobody
        remark(error)
      }
    }
    listenToFile(settings)
  }

  /// The socket for a command: a new one, or that of a previous process.
  private static func commandSocket() throws(SystemError) -> EventSocket {
    var path: UnsafePointer<CChar>?
    let before = unsafe perfhud_events_before(&path)
    let made =
      if before >= 0, let path = unsafe path {
        unsafe EventSocket(adopting: before, path: String(cString: path), in: .current())
      } else {
        try EventSocket(.command, in: .current())
      }
    if before < 0 { unsafe perfhud_hand_over_events(made.raw, made.path) }
    return made
  }

  /// Reports why there is no socket, unless there is no directory for it, which is not the user's fault.
  private func remark(_ error: SystemError) {
    guard ![.noSuchFileOrDirectory, .readOnlyFileSystem].contains(error.code) else { return }
    Console.remark("\(error); going on without the program's events")
  }

  /// If no HUD shows it, reports once that another perfhud receives the events.
  private func remarkListener() {
    guard remarksListener, let process = program?.process else { return }
    switch listener {
    case .otherHUD: Console.remark("another perfhud receives the events of process \(process)")
    case .hudAbove:
      Console.remark("the perfhud that process \(process) runs under receives its events")
    case .here, .nobody: break
    }
  }

  /// - Returns: whether the process looks for its socket elsewhere from now on.
  @discardableResult
  private mutating func setSurroundings(
    _ new: (directories: SocketDirectories, socketAbove: String?)
  ) -> Bool {
    socketAbove = new.socketAbove
    guard new.directories != directories else { return false }
    directories = new.directories
    return true
  }

  /// Creates the socket if there is none, and determines who receives the events of the process.
  ///
  /// Another perfhud matters only if the program sends events; otherwise there is nothing to miss.
  private mutating func listen(_ process: Int32, isFirst: Bool = false) {
    guard let directories, !refusesEvents else { return }
    listener = .here
    isTaken = false
    if socket == nil {
      do throws(SystemError) {
        socket = .some(try EventSocket(.process(process), in: directories))
      } catch {
        isTaken = error.code == .addressInUse
        listener = isTaken ? .here : .nobody
        if isFirst, !isTaken { remark(error) }
      }
    }
    if isTaken, let path = directories.listenedSocket(of: process), EventSocket.hasReceived(path) {
      listener = .otherHUD
    }
    if let socketAbove, EventSocket.hasReceived(socketAbove) { listener = .hudAbove }
  }

  private mutating func listenToFile(_ settings: Settings) {
    pattern = settings.phasePattern.flatMap { try? LinePattern($0) }
    guard let name = settings.events, !refusesEvents else { return }
    do throws(SystemError) {
      let limit = pattern == nil ? EventCodec.lineLimit : EventReceiver.logLineLimit
      file = .some(try FollowedFile(name, lineLimit: limit, now: .now()))
    } catch {
      Console.remark("\(error); going on without it")
    }
  }

  /// One line for `--explain`; creates nothing.
  static func explanation(_ request: Request) -> String {
    if request.settings.refusesEvents { return "none (no-events)" }
    var place: String
    switch request.mode.selection {
    case .pid(let pid):
      place = "\(pid).sock"
      var why: Word?
      if SocketDirectories.socketAbove(process: pid) != nil {
        why = EventListener.hudAbove.word
      } else if SocketDirectories.of(process: pid).isTaken(pid) {
        why = EventListener.otherHUD.word
      }
      if let why { place += " (not received: \(why.text(.english)))" }
    case .name: place = "PID.sock of the process that is found"
    case .cgroup: return request.settings.events.map { "lines of \(SafeText.clean($0))" } ?? "none"
    case nil: place = "PERFHUD_SOCKET, set for the command"
    }
    let file = request.settings.events.map { ", lines of \(SafeText.clean($0))" } ?? ""
    return "socket \(place)\(file)"
  }

  /// Listens where another process looks for the socket.
  mutating func follow(process: Int32, poller: inout Poller, now: Instant) {
    guard process != program?.process else { return }
    program = ProgramWatch(process: process, now: now)
    setSurroundings(SocketDirectories.surroundings(of: process) ?? (.current(), nil))
    closeSocket(&poller)
    // If events cannot be received, there are none, as at the start.
    lookAgain(&poller, now: now)
  }

  private mutating func closeSocket(_ poller: inout Poller) {
    socket?.close()
    socket = nil
    if let socketSlot { poller.replace(nil, slot: socketSlot) }
    reported = EventCounts()
  }

  mutating func register(with poller: inout Poller) {
    // A socket that is taken, or that another program looks for elsewhere, may be created later.
    if socket != nil || program != nil { socketSlot = poller.add(socket?.raw ?? -1) }
    if let raw = file?.raw ?? nil { fileSlot = poller.add(raw) }
  }

  /// When there is something to take although no descriptor is ready.
  borrowing func deadline(now: Instant) -> Instant? {
    if hasMore { return now }
    let programLook = hasEnded ? nil : program?.deadline
    return [nextFileLook(now: now), nextLook, programLook, loadingWatch.deadline]
      .compactMap(\.self).min()
  }

  private borrowing func nextFileLook(now: Instant) -> Instant? {
    switch file {
    case .some(let file): file.deadline(now: now)
    case .none: nil
    }
  }

  /// Takes what has arrived, a limited amount at once.
  mutating func takeRecords(_ poller: inout Poller, now: Instant, into run: inout LiveRun) {
    hasEnded = run.value.ended != nil
    if !hasEnded { watchProgram(&poller, now: now, into: &run) }
    if let nextLook, now >= nextLook { lookAgain(&poller, now: now) }
    if listener != reportedListener {
      run.apply(.listener(listener, now))
      reportedListener = listener
    }
    if hasMore || socketSlot.map({ poller.isReady($0) }) == true { takeDatagrams(&run, now: now) }
    if file != nil {
      takeLines(isReady: fileSlot.map { poller.isReady($0) } ?? false, now: now, into: &run)
    }
    reportCounts(now: now, to: &run)
    loadingWatch.look(&run, now: now)
  }

  /// Checks whether the process runs another program: then it has another command line, and may look for its socket
  /// elsewhere.
  private mutating func watchProgram(_ poller: inout Poller, now: Instant, into run: inout LiveRun)
  {
    guard let found = program?.look(now: now) else { return }
    run.apply(.program(ProgramChange(name: found.name, command: found.command), now))
    guard let surroundings = found.surroundings else { return }
    if setSurroundings(surroundings) { closeSocket(&poller) }
    lookAgain(&poller, now: now)
  }

  /// When the HUD that received the program's events has gone, takes over: clients look for a HUD each second.
  private mutating func lookAgain(_ poller: inout Poller, now: Instant) {
    guard let process = program?.process else { return }
    let before = listener
    listen(process)
    let raw = socketDescriptor
    if let socketSlot {
      poller.replace(raw, slot: socketSlot)
    } else if let raw {
      socketSlot = poller.add(raw)
    }
    if listener != before { remarkListener() }
    let isSettled = !isTaken && socketAbove == nil
    nextLook = isSettled ? nil : now.advanced(bySeconds: EventReceiver.lookSeconds)
  }

  private var socketDescriptor: Int32? {
    switch socket {
    case .some(let socket): socket.raw
    case .none: nil
    }
  }

  private mutating func takeDatagrams(_ run: inout LiveRun, now: Instant) {
    let offset = wallClockOffset()
    hasMore =
      socket?.receive(now: now, wallClockOffset: offset) { event, time in
        var event = event
        if event.hasSpeaker { event.speaker = Speaker(process: event.sender) }
        run.apply(.event(event, time))
      } ?? false
  }

  private mutating func takeLines(isReady: Bool, now: Instant, into run: inout LiveRun) {
    var bad: UInt64 = 0
    file?.takeLines(isReady: isReady, now: now) { line in
      if let pattern {
        // The other lines of a log are not for perfhud.
        if let event = EventReceiver.phase(line, pattern) { run.apply(.event(event, now)) }
        return
      }
      do throws(EventLineError) {
        if let event = try EventCodec.decode(line) { run.apply(.event(event, now)) }
      } catch {
        bad += 1
      }
    }
    badLines += bad
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

  /// Records the number of messages that did not become events.
  private mutating func reportCounts(now: Instant, to run: inout LiveRun) {
    let counts = socket?.counts ?? EventCounts()
    let longLines = pattern == nil ? file?.longLines ?? 0 : 0
    let bad = counts.refused - reported.refused + badLines + (longLines - reportedLongLines)
    if bad > 0 { run.apply(.eventsBad(UInt32(clamping: bad), now)) }
    if counts.lost != reported.lost {
      run.apply(.eventsLost(UInt32(clamping: counts.lost - reported.lost), now))
    }
    reported = counts
    reportedLongLines = longLines
    badLines = 0
  }

  /// Takes what is still waiting, and removes the socket.
  mutating func close(now: Instant, into run: inout LiveRun) {
    socket?.close()
    // Earlier events are in the kernel's queue, which is short.
    for _ in 0..<4 where socket != nil {
      takeDatagrams(&run, now: now)
      if !hasMore { break }
    }
    file?.lookSoon()
    for _ in 0..<EventReceiver.lastChunks where file != nil {
      takeLines(isReady: true, now: now, into: &run)
      if nextFileLook(now: now) != now { break }
    }
    reportCounts(now: now, to: &run)
  }
}
