import Glibc
import PerfHUDBase
import SystemPackage
import Terminal
import Testing

/// The two ends of a pipe; neither blocks unless asked.
private struct Pipe: ~Copyable {
  let reading: Descriptor
  let writing: Descriptor

  init(options: Int32 = O_NONBLOCK) throws {
    let ends = try FileDescriptor.pipe(options: .closeOnExec)
    for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end.rawValue, F_SETFL, options) }
    reading = Descriptor(owning: ends.readEnd.rawValue)
    writing = Descriptor(owning: ends.writeEnd.rawValue)
  }

  func read(limit: Int) -> [UInt8] {
    var chunk = [UInt8](repeating: 0, count: limit)
    let count = unsafe Glibc.read(reading.raw, &chunk, limit)
    return Array(chunk[..<max(0, count)])
  }
}

private func append(_ bytes: [UInt8], to queue: inout OutputQueue) {
  unsafe bytes.withUnsafeBytes { unsafe queue.append($0) }
}

private func numbered(_ count: Int, from start: Int = 0) -> [UInt8] {
  (start..<start + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
}

@Suite struct OutputQueueTests {
  @Test func `all that is appended comes out in order`() throws {
    let pipe = try Pipe()
    var queue = OutputQueue()
    queue.append("\u{1B}[")
    queue.append(decimal: 12)
    queue.append(UInt8(ascii: "H"))
    append(Array("xyz".utf8), to: &queue)
    queue.append(String("é"))
    #expect(queue.count == 10)
    #expect(try queue.flush(to: pipe.writing.raw) == 10)
    #expect(queue.count == 0)
    #expect(queue.totalBytes == 10)
    #expect(String(decoding: pipe.read(limit: 100), as: UTF8.self) == "\u{1B}[12Hxyzé")
  }

  @Test func `a full pipe keeps the rest, and nothing is lost or moved`() throws {
    let pipe = try Pipe()
    var queue = OutputQueue()
    let all = numbered(1_000_000)
    var read: [UInt8] = []
    var appended = 0
    while read.count < all.count {
      if appended < all.count {
        let more = min(70_001, all.count - appended)
        append(Array(all[appended..<appended + more]), to: &queue)
        appended += more
      }
      try queue.flush(to: pipe.writing.raw)
      #expect(Int(queue.totalBytes) + queue.count == appended)
      read += pipe.read(limit: 33_333)
    }
    #expect(read == all)
    #expect(queue.count == 0)
    #expect(queue.totalBytes == 1_000_000)
  }

  @Test func `a terminal that takes no bytes does not block, and is above the high-water mark`()
    throws
  {
    let pty = try Pty()
    _ = fcntl(pty.slave.raw, F_SETFL, O_NONBLOCK)
    var queue = OutputQueue()
    let all = [UInt8](repeating: UInt8(ascii: "x"), count: 200_000)
    append(all, to: &queue)
    let taken = try queue.flush(to: pty.slave.raw)
    #expect(taken < all.count)
    #expect(queue.count == all.count - taken)
    #expect(queue.isAboveHighWater == true)
    // The kernel moves what it has taken by and by, which makes a little room; then there is none.
    while try queue.flush(to: pty.slave.raw) > 0 {}
    #expect(queue.count > 0)
    var seen = 0
    while !queue.isEmpty {
      seen += pty.drawn().count
      try queue.flush(to: pty.slave.raw)
    }
    seen += pty.drawn().count
    #expect(seen == all.count)
    #expect(queue.isAboveHighWater == false)
  }

  @Test(arguments: [OutputQueue.blockingPiece, OutputQueue.filePiece])
  func `a blocking descriptor is not written to while it takes nothing`(piece: Int) throws {
    let pipe = try Pipe(options: 0)
    var queue = OutputQueue()
    append(numbered(500_000), to: &queue)
    let taken = try queue.flush(to: pipe.writing.raw, mayBlock: true, piece: piece)
    #expect(taken > 0 && taken < 500_000)
    #expect(try queue.flush(to: pipe.writing.raw, mayBlock: true, piece: piece) == 0)
    #expect(pipe.read(limit: taken) == numbered(taken))
  }

  @Test func `the high-water mark is 64 KiB`() {
    var queue = OutputQueue()
    append(numbered(OutputQueue.highWater), to: &queue)
    #expect(queue.isAboveHighWater == false)
    queue.append(UInt8(0))
    #expect(queue.isAboveHighWater == true)
    queue.removeAll()
    #expect(queue.count == 0)
    #expect(queue.isAboveHighWater == false)
  }

  @Test func `a terminal that has gone is an error, and the bytes stay`() throws {
    let raw: Int32
    do {
      let pty = try Pty()
      raw = dup(pty.slave.raw)
    }
    let slave = Descriptor(owning: raw)
    var queue = OutputQueue()
    queue.append("x")
    #expect(throws: Errno.ioError) { try queue.flush(to: slave.raw) }
    #expect(queue.count == 1)
  }
}
