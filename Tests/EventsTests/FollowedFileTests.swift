import Glibc
import PerfHUDBase
import SystemPackage
import TestSupport
import Testing

@testable import PerfHUDEvents

/// A file that a test appends to, and the lines that came out.
private final class Followed {
  let path: String
  private(set) var lines: [String] = []
  private var now = Instant.now()

  init() throws {
    let made = try Tool.run(["mktemp", "-d", "/tmp/perfhud-follow-XXXXXX"])
    let directory = try #require(made.lines.first)
    path = directory + "/log"
  }

  deinit { _ = try? Tool.run(["rm", "-rf", String(path.dropLast(4))]) }

  func follow(lineLimit: Int = 100) throws -> FollowedFile {
    try FollowedFile(path, lineLimit: lineLimit, now: now)
  }

  func append(_ text: String) throws {
    let file = try Descriptor(
      open: path, .writeOnly, options: [.create, .append],
      permissions: FilePermissions(rawValue: 0o600))
    let bytes = Array(text.utf8)
    try unsafe bytes.withUnsafeBytes { try unsafe file.writeAll($0) }
  }

  /// Takes what is there; `later` lets the time of the next look at the path come.
  func take(_ file: inout FollowedFile, later: Bool = false, isReady: Bool = true) {
    if later { now = now.advanced(bySeconds: 2) }
    repeat {
      file.takeLines(isReady: isReady, now: now) { line in
        var bytes: [UInt8] = []
        for index in 0..<line.byteCount { bytes.append(FieldCursor.byte(at: index, in: line)) }
        lines.append(String(decoding: bytes, as: UTF8.self))
      }
    } while file.deadline(now: now) == now
  }
}

@Suite struct FollowedFileTests {
  @Test func `what is appended comes, what was there before does not`() throws {
    let followed = try Followed()
    try followed.append("old\n")
    var file = try followed.follow()
    followed.take(&file)
    try followed.append("one\ntwo\n")
    followed.take(&file)
    #expect(followed.lines == ["one", "two"])
  }

  @Test func `the kernel says that the file was written to`() throws {
    let followed = try Followed()
    try followed.append("old\n")
    let file = try followed.follow()
    var poller = Poller()
    let raw = file.raw
    let slot = poller.add(try #require(raw))
    let isEarly = poller.wait(until: .now(), now: .now())
    #expect(!isEarly)
    try followed.append("one\n")
    poller.wait(until: Instant.now().advanced(bySeconds: 10), now: .now())
    let isReady = poller.isReady(slot)
    #expect(isReady)
  }

  @Test func `a line without an end waits for it`() throws {
    let followed = try Followed()
    try followed.append("ol")
    var file = try followed.follow()
    try followed.append("d\nha")
    followed.take(&file)
    try followed.append("lf")
    followed.take(&file)
    #expect(followed.lines == ["d"])
    try followed.append("\n")
    followed.take(&file)
    #expect(followed.lines == ["d", "half"])
  }

  @Test func `a file that comes later is read from its beginning`() throws {
    let followed = try Followed()
    var file = try followed.follow()
    let isEarly = file.isThere
    #expect(!isEarly)
    try followed.append("one\n")
    followed.take(&file, later: true)
    let isThere = file.isThere
    #expect(isThere && followed.lines == ["one"])
  }

  @Test func `a file that is replaced is read to its end, then the new one`() throws {
    let followed = try Followed()
    try followed.append("")
    var file = try followed.follow()
    try followed.append("one\n")
    #expect(unsafe rename(followed.path, followed.path + ".1") == 0)
    try followed.append("two\n")
    followed.take(&file, later: true)
    #expect(followed.lines == ["one", "two"])
    #expect(file.restarts == 1)
  }

  @Test func `a file that becomes shorter is read from its beginning`() throws {
    let followed = try Followed()
    try followed.append("a long first line\nhalf")
    var file = try followed.follow()
    #expect(unsafe truncate(followed.path, 0) == 0)
    try followed.append("one\n")
    followed.take(&file)
    #expect(followed.lines == ["one"])
    #expect(file.restarts == 1)
  }

  @Test func `a line that is too long is passed over and counted once`() throws {
    let followed = try Followed()
    try followed.append("")
    var file = try followed.follow(lineLimit: 10)
    try followed.append("one\n" + String(repeating: "x", count: 11) + "\ntwo\n")
    try followed.append(String(repeating: "y", count: 200_000))
    followed.take(&file)
    try followed.append("yy\n1234567890\n")
    followed.take(&file)
    #expect(followed.lines == ["one", "two", "1234567890"])
    #expect(file.longLines == 2)
  }

  @Test func `a flood is taken in pieces`() throws {
    let followed = try Followed()
    try followed.append("")
    var file = try followed.follow()
    try followed.append(String(repeating: "line\n", count: 40_000))
    var first = 0
    let now = Instant.now()
    file.takeLines(isReady: true, now: now) { _ in first += 1 }
    #expect(first == FollowedFile.chunk / 5)
    let deadline = file.deadline(now: now)
    #expect(deadline == now)
    followed.take(&file, isReady: false)
    #expect(first + followed.lines.count == 40_000)
  }

  @Test func `a directory and a device are refused`() throws {
    #expect(throws: SystemError.self) { _ = try FollowedFile("/tmp", now: .now()) }
    #expect(throws: SystemError.self) { _ = try FollowedFile("/dev/null", now: .now()) }
  }
}
