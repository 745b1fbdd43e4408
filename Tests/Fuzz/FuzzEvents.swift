import CLinux
import Glibc
import PerfHUDBase
import PerfHUDEvents
import Terminal

/// Events: their lines, and the ways by which they come.
extension FuzzRound {
  /// Each line is an event, nothing, or an error; an event is harmless, and its own line says the same.
  mutating func playEvents() {
    for line in Corpus.eventLines(input, &numbers) {
      guard let event = try? unsafe EventCodec.decode(line.span.bytes) else { continue }
      check(event)
      var first: [UInt8] = []
      EventCodec.encode(event, to: &first)
      if first.count > EventCodec.lineLimit { Failure.fail("a line of \(first.count) bytes") }
      guard let again = try? unsafe EventCodec.decode(first.span.bytes) else {
        Failure.fail("its own line is no event")
      }
      var second: [UInt8] = []
      EventCodec.encode(again, to: &second)
      // Digits beyond what is sent may be rounded once.
      if event.number.isNaN || event.number == again.number, first != second {
        Failure.fail("an event changes by its own line")
      }
    }
  }

  private func check(_ event: Event) {
    if !event.name.isHarmless || !event.detail.isHarmless || !event.icon.isHarmless
      || !event.unit.isHarmless
    {
      Failure.fail("an event that is not harmless")
    }
  }

  /// The same lines over the socket, in the followed file and as own sequences of a program.
  mutating func playWays(_ ways: EventWays) {
    playOwnSequences()
    unsafe Failure.offset = 0
    ways.follow(input) { cut($0) }
    var datagram: [UInt8] = []
    for line in Corpus.eventLines(input, &numbers) {
      datagram += line + [0x0A]
      guard numbers.pick(0...5) == 0 else { continue }
      ways.send(datagram) { check($0) }
      datagram = []
    }
  }

  /// Own sequences between the bytes of the input, whole or cut anywhere.
  private mutating func playOwnSequences() {
    var output: [UInt8] = []
    var from = 0
    for line in Corpus.eventLines([], &numbers) {
      let end = min(input.count, from + numbers.pick(0...60))
      output += input[from..<end] + Array("\u{1B}]7337;perfhud;".utf8) + line
      switch numbers.pick(0...3) {
      case 0: output.append(0x07)
      case 1...2: output += [0x1B, 0x5C]
      default: break
      }
      from = end
    }
    var compositor = Compositor(size: size, options: options, styles: [.plain])
    var queue = OutputQueue()
    let now = Instant(nanoseconds: 1)
    from = 0
    while from < output.count {
      let end = min(output.count, from + numbers.pick(1...200))
      unsafe compositor.space.copyBytes(from: output[from..<end])
      compositor.pass(end - from, now: now, to: &queue)
      queue.removeAll()
      from = end
      if numbers.pick(0...3) > 0 { continue }
      compositor.takeOwnSequences { line in
        if let event = try? EventCodec.decode(line) { check(event) }
      }
    }
    compositor.release(now: now, to: &queue)
  }
}

/// The ways by which events come from outside, real ones: a socket, and a file that is followed.
final class EventWays {
  private let path: String
  private var socket: EventSocket
  private var file: FollowedFile
  private let sender: Descriptor
  private let output: Descriptor

  init() throws {
    let directory = try EventWays.makeDirectory()
    path = directory + "/events"
    let opened = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard opened >= 0 else { Failure.fail("no file to follow") }
    output = Descriptor(owning: opened)
    file = try FollowedFile(path, now: .now())
    socket = try EventSocket(.command, in: SocketDirectories(runtime: nil, temporary: directory))
    sender = Descriptor(owning: perfhud_datagram_socket(0))
    guard unsafe perfhud_connect_path(sender.raw, socket.path) == 0 else {
      Failure.fail("no socket")
    }
  }

  /// Removes what `init` has made.
  func remove() {
    socket.close()
    _ = unsafe unlink(path)
    let directory = String(path.dropLast("/events".count))
    _ = unsafe rmdir(directory + "/perfhud-\(geteuid())")
    _ = unsafe rmdir(directory)
  }

  private static func makeDirectory() throws -> String {
    var name = Array("/tmp/perfhud-fuzz-XXXXXX".utf8CString)
    let isMade = unsafe name.withUnsafeMutableBufferPointer {
      unsafe mkdtemp($0.baseAddress!) != nil
    }
    guard isMade else { Failure.fail("no temporary directory") }
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What is appended in pieces comes line by line, but for lines that are too long.
  ///
  /// - Parameter cut: where the piece ends that begins there.
  func follow(_ bytes: [UInt8], _ cut: (Int) -> Int) {
    let expected = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
      .filter { $0.count <= EventCodec.lineLimit }
    var heard: [[UInt8]] = []
    // It becomes shorter: what stood in it is no more.
    _ = ftruncate(output.raw, 0)
    file.takeLines(isReady: true, now: .now()) { _ in Failure.fail("a line of an empty file") }
    var from = 0
    while from < bytes.count {
      let end = cut(from)
      let count = unsafe bytes[from..<end].withUnsafeBytes {
        unsafe write(output.raw, $0.baseAddress, $0.count)
      }
      if count != end - from { Failure.fail("the file takes no more") }
      from = end
      file.takeLines(isReady: true, now: .now()) { line in
        heard.append(unsafe line.withUnsafeBytes { unsafe Array($0) })
      }
    }
    if heard.count != expected.count || !zip(heard, expected).allSatisfy({ $0 == Array($1) }) {
      Failure.fail("\(heard.count) lines of the file instead of \(expected.count)")
    }
  }

  /// Each line of a datagram that is an event is heard.
  func send(_ datagram: [UInt8], _ body: (Event) -> Void) {
    var expected = 0
    for line in datagram.split(separator: 0x0A) {
      let event = try? unsafe EventCodec.decode(Array(line).span.bytes)
      if event != nil { expected += 1 }
    }
    guard unsafe perfhud_send(sender.raw, datagram, datagram.count) == datagram.count else {
      return
    }
    var heard = 0
    while socket.receive(
      now: .now(), wallClockOffset: 0,
      { event, _ in
        heard += 1
        body(event)
      })
    {}
    if datagram.count <= EventSocket.datagramLimit, heard != expected {
      Failure.fail("\(heard) events of a datagram instead of \(expected)")
    }
  }
}

extension InlineText {
  /// Whether a terminal can be given it.
  fileprivate var isHarmless: Bool {
    text.unicodeScalars.allSatisfy { SafeText.replacement(for: $0) == $0 }
  }
}
