import CMallocCount
import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// What is mapped, from `/proc/PID/smaps`.
@Suite struct SmapsTests {
  private static let text = """
    55d0c0000000-55d0c0021000 r-xp 00000000 fe:01 1234                       /usr/bin/demo
    Size:                132 kB
    KernelPageSize:        4 kB
    Rss:                 100 kB
    Pss:                  50 kB
    Pss_Dirty:             7 kB
    Shared_Clean:        100 kB
    Private_Clean:         4 kB
    Private_Dirty:         8 kB
    Swap:                  0 kB
    SwapPss:               9 kB
    VmFlags: rd ex mr mw me
    55d0c0021000-55d0c0023000 rw-p 00021000 fe:01 1234                       /usr/bin/demo
    Rss:                   8 kB
    Pss:                   8 kB
    Private_Dirty:         8 kB
    Swap:                 16 kB
    7f0000000000-7f0000100000 rw-p 00000000 00:00 0
    Rss:                 512 kB
    Pss:                 512 kB
    7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]
    Rss:                  12 kB
    7f0000200000-7f0000201000 r--p 00000000 fe:01 9                          /tmp/a name (deleted)
    Rss:                   4 kB
    7ffc00030000-7ffc00034000 r--p 00000000 00:00 0                          [vvar]
    Rss:                   0 kB
    7ffc00034000-7ffc00036000 r-xp 00000000 00:00 0                          [vdso]
    Rss:                   8 kB
    7ffc00036000-7ffc00038000 r--p 00000000 00:00 0                          [vvar_vclock]
    Rss:                   4 kB
    ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]
    Rss:                   0 kB

    """

  private func feed(_ bytes: [UInt8], pieces: Int, to parser: inout SmapsParser) {
    var position = 0
    while position < bytes.count {
      let end = min(bytes.count, position + max(1, pieces))
      let piece = Array(bytes[position..<end])
      unsafe parser.feed(piece.span.bytes)
      position = end
    }
  }

  private func groups(_ text: String, pieces: Int = 4096) -> [MappingGroup] {
    var parser = SmapsParser()
    feed(Array(text.utf8), pieces: pieces, to: &parser)
    return parser.groups
  }

  @Test(arguments: [1, 2, 7, 64, 100_000])
  func `mappings of a file are one group, however the text is cut`(pieces: Int) throws {
    let found = groups(SmapsTests.text, pieces: pieces)
    #expect(
      found.map { $0.name.text } == ["/usr/bin/demo", "", "[stack]", "/tmp/a name (deleted)"])
    let demo = try #require(found.first)
    #expect(demo.count == 2 && demo.sizeBytes == 0x23000)
    #expect(demo.residentBytes == 108 << 10 && demo.pssBytes == 58 << 10)
    #expect(demo.privateBytes == 20 << 10 && demo.swapBytes == 16 << 10)
    #expect(found[1].residentBytes == 512 << 10)
    // What the kernel's pages have is nobody's.
    #expect(found[3].residentBytes == 4 << 10)
  }

  @Test func `a name that is too long keeps its end, and no escape sequence survives`() throws {
    let long = "/" + String(repeating: "directory/", count: 30) + "library.so"
    let head = "7f0000200000-7f0000201000 r--p 00000000 fe:01 9    "
    let found = groups(head + long + "\n" + head + "/tmp/\u{1B}[2Jx\n")
    #expect(found[0].name.text.hasPrefix("…") && found[0].name.text.hasSuffix("/library.so"))
    #expect(!found[1].name.text.contains("\u{1B}"))
  }

  @Test func `of more names than there is room for the last are added up`() {
    var parser = SmapsParser()
    for number in 0..<300 {
      let text = "7f0000200000-7f0000201000 r--p 00000000 fe:01 9   /lib/\(number)\nRss: 4 kB\n"
      feed(Array(text.utf8), pieces: 1000, to: &parser)
    }
    #expect(parser.groups.count == SmapsParser.capacity)
    #expect(parser.others.count == 300 - UInt32(SmapsParser.capacity))
    #expect(parser.others.residentBytes == UInt64(300 - SmapsParser.capacity) << 12)
    parser.reset()
    #expect(parser.groups.isEmpty && parser.others.count == 0)
  }

  @Test func `any bytes are taken`() {
    var random = SeededRandom(seed: 5)
    let text = Array(SmapsTests.text.utf8)
    for _ in 0..<300 {
      var bytes = text
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      var parser = SmapsParser()
      feed(bytes, pieces: Int.random(in: 1...99, using: &random), to: &parser)
      #expect(parser.groups.count <= 10)
    }
  }

  @Test func `the mappings of a process are read while their list is shown`() throws {
    let load = try Load()
    try load.command("alloc 20000000")
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    sampler.setTable(ProcessTableRequest(.mappings))
    var buffer = ProcessTableBuffer()
    var found = MappingTable()
    try waitUntil("all mappings") {
      _ = sampler.sample()
      sampler.readTable(into: &buffer)
      if buffer.hasNews { found = buffer.table().mappings }
      return !found.groups.isEmpty && !found.isPartial
    }
    #expect(found.absence == nil)
    #expect(found.groups.contains { $0.name.text.hasSuffix("/perfhud-load") })
    let resident = found.groups.reduce(0) { $0 + $1.residentBytes }
    #expect(resident >= 20_000_000 && resident < 60_000_000)
    let sorted = found.groups.map(\.pssBytes)
    #expect(sorted == sorted.sorted(by: >))
    // The next one is not due for seconds.
    _ = sampler.sample()
    sampler.readTable(into: &buffer)
    let isEarly = buffer.hasNews
    #expect(!isEarly)
    // But it is read when it is asked for.
    sampler.requestPSS()
    try waitUntil("the mappings that were asked for") {
      _ = sampler.sample()
      sampler.readTable(into: &buffer)
      return buffer.hasNews
    }
  }

  @Test(arguments: [(20, 20, false), (20, 25, false), (20, 26, true), (20, 14, true), (0, 1, true)])
  func `mappings are outdated once a fourth of the memory has come or gone`(
    then: UInt64, now: UInt64, isOutdated: Bool
  ) {
    #expect(MappingReader.isOutdated(then << 20, now: now << 20) == isOutdated)
  }

  @Test func `a large process is read only when that is asked for`() throws {
    let load = try Load()
    try load.command("alloc 330000000")
    var sampler = try ProcessSampler(pid: Int32(load.pid))
    sampler.setTable(ProcessTableRequest(.mappings))
    var buffer = ProcessTableBuffer()
    _ = sampler.sample()
    sampler.readTable(into: &buffer)
    #expect(buffer.table().mappings.absence == .tooCostly)
    sampler.requestPSS()
    var found = MappingTable()
    try waitUntil("all mappings") {
      _ = sampler.sample()
      sampler.readTable(into: &buffer)
      if buffer.hasNews { found = buffer.table().mappings }
      return found.absence == nil && !found.isPartial && !found.groups.isEmpty
    }
    #expect(found.groups.reduce(0) { $0 + $1.residentBytes } >= 330_000_000)
  }

  @Test(.enabled(if: perfhud_malloc_is_counted() != 0, "a sanitizer replaces malloc"))
  func `reading mappings allocates nothing once they are shown`() throws {
    let load = try Load()
    var sampler = try ProcessSampler(pid: Int32(load.pid), options: SamplerOptions(pss: .off))
    sampler.setTable(ProcessTableRequest(.mappings))
    var buffer = ProcessTableBuffer()
    _ = sampler.sample()
    // The first ones make the tables of the Swift runtime.
    for _ in 0..<20 {
      sampler.requestPSS()
      sampler.readTable(into: &buffer)
    }
    let before = perfhud_malloc_count()
    for _ in 0..<20 {
      sampler.requestPSS()
      sampler.readTable(into: &buffer)
    }
    // Without optimisation a loop may allocate its iterator; a text or an array made for a line would be more than that.
    #if DEBUG
      let allowed: UInt64 = 20
    #else
      let allowed: UInt64 = 0
    #endif
    #expect(perfhud_malloc_count() - before <= allowed)
  }
}
