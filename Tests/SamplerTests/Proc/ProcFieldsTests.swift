import PerfHUDBase
import Testing

@testable import Sampler

@Suite struct ProcFieldsTests {
  private let numbers =
    " S 21284 21290 4487 34816 -1 4194304 2696 7 3 1 12 34 5 6 20 0 4 0 221611 23478272 3659"

  @Test func `a stat line gives each field by its number`() throws {
    let fields = try #require(parse("21298 (perfhud-load)" + numbers, as: StatFields.self))
    #expect(fields.pid == 21298)
    #expect(fields.name.text == "perfhud-load")
    #expect(fields.state == .sleeping)
    #expect(fields.parent == 21284)
    #expect(fields.group == 21290)
    #expect(fields.session == 4487)
    #expect(fields.foreground == nil)
    #expect(fields.flags == 4_194_304)
    #expect(fields.minorFaults == 2696)
    #expect(fields.majorFaults == 3)
    #expect(fields.userTicks == 12)
    #expect(fields.systemTicks == 34)
    #expect(fields.childrenUserTicks == 5)
    #expect(fields.childrenSystemTicks == 6)
    #expect(fields.threads == 4)
    #expect(fields.startTicks == 221611)
    #expect(!fields.isKernelThread)
  }

  @Test func `a stat line has the group in the foreground of its terminal`() throws {
    let line = "7 (sh)" + numbers.replacing(" 34816 -1 ", with: " 34816 4300 ")
    let fields = try #require(parse(line, as: StatFields.self))
    #expect(fields.foreground == 4300)
    #expect(fields.flags == 4_194_304)
  }

  @Test func `the load of the machine is what its processors were not idle`() throws {
    let fields = try #require(parse("4397.05 4400.09\n", as: UptimeFields.self))
    #expect(fields.uptimeNanoseconds == 4_397_050_000_000)
    #expect(fields.idleNanoseconds == 4_400_090_000_000)
    for text in ["", "4397", "4397.", "4397.05", "a b"] {
      #expect(parse(text, as: UptimeFields.self) == nil, "\(text)")
    }
    let here = MachineLoadReader().read()
    #expect(here.busyNanoseconds.value ?? 0 > 0)
    #expect(MachineLoadReader(root: "/nowhere").read().busyNanoseconds == .absent(.unsupported))
  }

  @Test(arguments: ["a b  c", "x) R 1 2", "sp ) S 0", "one\ntwo", "", "(((", ")))", "\t"])
  func `a name of any bytes is taken from the first to the last parenthesis`(
    name: String
  ) throws {
    let fields = try #require(parse("7 (\(name))" + numbers, as: StatFields.self))
    #expect(fields.name.count == name.utf8.count)
    #expect((0..<name.utf8.count).map { fields.name[$0] } == Array(name.utf8))
    #expect(fields.startTicks == 221611)
  }

  @Test func `a name of more than 15 bytes is cut off`() throws {
    let line = "9 (kworker/u4:0-events_unbound)" + numbers
    let fields = try #require(parse(line, as: StatFields.self))
    #expect(fields.name.text == "kworker/u4:0-ev")
  }

  @Test(arguments: [
    ("Z", 256, ProcessEnd.exited(1)), ("Z", 0, .exited(0)), ("Z", 9, .signaled(9)),
    ("Z", 139, .signaled(11)), ("S", 256, .exited(0)),
  ])
  func `the last field tells how a zombie has ended`(state: String, code: Int, end: ProcessEnd)
    throws
  {
    let rest = (23...51).map { _ in "1" }.joined(separator: " ")
    let line = "7 (a) \(state)" + numbers.dropFirst(2)
    let first = line.split(separator: " ").prefix(22).joined(separator: " ")
    let fields = try #require(parse("\(first) \(rest) \(code)\n", as: StatFields.self))
    #expect(fields.startTicks == 221611)
    #expect(ProcessEnd(fields.exitCode) == end)
  }

  @Test func `the addresses of a program tell its execution apart`() throws {
    func execution(_ start: Int, _ end: Int, _ stack: Int) throws -> UInt64 {
      let line = "7 (a)" + numbers + " 18446744073709551615 \(start) \(end) \(stack) 0 0"
      return try #require(parse(line, as: StatFields.self)).execution
    }
    let first = try execution(4096, 8192, 1 << 40)
    #expect(first != 0)
    #expect(try execution(4096, 8192, 1 << 40) == first)
    #expect(try execution(4096, 8192, 1 << 41) != first)
    #expect(try execution(4096, 9000, 1 << 40) != first)
    // What another user sees.
    #expect(try execution(1, 1, 0) == 0)
  }

  @Test func `a state letter that is not known reads as unknown`() {
    let line = "7 (a) ~ 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20"
    #expect(parse(line, as: StatFields.self)?.state == .unknown)
  }

  @Test(arguments: [
    "", "7", "7 (a", "7 a)", "(a) S 1", "7 )a( S 1", "7 (a) S", "7 (a) S one two",
    "7 (a) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18",
  ])
  func `a stat line without sense gives nil`(text: String) {
    #expect(parse(text, as: StatFields.self) == nil)
  }

  @Test func `a stat line that is cut anywhere before field 22 gives nil`() {
    let line = Array("7 (a)\(numbers)".utf8)
    let startTicks = "7 (a) S 21284 21290 4487 34816 -1 4194304 2696 7 3 1 12 34 5 6 20 0 4 0 "
    for length in 0...startTicks.utf8.count {
      #expect(parse(Array(line.prefix(length)), as: StatFields.self) == nil)
    }
  }

  @Test func `random bytes crash no parser`() {
    for seed in UInt64(1)...200 {
      let bytes = randomBytes(count: Int(seed) * 3, seed: seed)
      _ = parse(bytes, as: StatFields.self)
      _ = parse(bytes, as: StatmFields.self)
      _ = parse(bytes, as: StatusFields.self)
      _ = parse(bytes, as: IOFields.self)
      _ = parse(bytes, as: SchedstatFields.self)
      _ = parse(bytes, as: SmapsRollupFields.self)
      _ = parse(bytes, as: MeminfoFields.self)
      _ = processors(bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      _ = CgroupMembership.parse(text)
      _ = CgroupMount.parse(text)
    }
  }

  @Test func `a number of 30 digits wraps and crashes nothing`() {
    let digits = String(repeating: "9", count: 30)
    #expect(parse("\(digits) \(digits) \(digits)", as: StatmFields.self) != nil)
    let status = "Tgid:\t\(digits)\nVmSwap:\t\(digits) kB\nCpus_allowed_list:\t\(digits)\n"
    #expect(parse(status, as: StatusFields.self)?.affinity == nil)
  }

  @Test func `statm 5732 3695 1147 has 2548 anonymous pages`() throws {
    let fields = try #require(parse("5732 3695 1147 6 0 2885 0\n", as: StatmFields.self))
    #expect(fields.sizePages == 5732)
    #expect(fields.residentPages == 3695)
    #expect(fields.anonymousPages == 2548)
  }

  @Test func `statm with more shared than resident pages has 0 anonymous pages`() {
    #expect(parse("10 5 6", as: StatmFields.self)?.anonymousPages == 0)
  }

  @Test func `statm with two fields gives nil`() {
    #expect(parse("10 5", as: StatmFields.self) == nil)
  }

  @Test func `status fields are found by name in any order`() throws {
    let text = """
      VmSwap:\t      12 kB
      Name:\tTgid:
      Uid:\t1000\t1001\t1002\t1003
      NSpid:\t4242\t17\t3
      Tgid:\t4242
      VmPTE:\t     132 kB
      RssShmem:\t       4 kB
      VmHWM:\t   14608 kB
      SigIgn:\t0000000000011000
      Cpus_allowed_list:\t0-1,4
      """
    let fields = try #require(parse(text, as: StatusFields.self))
    #expect(fields.threadGroup == 4242)
    #expect(fields.user == 1001)
    #expect(fields.innermostPid == 3)
    #expect(fields.swapBytes == 12288)
    #expect(fields.pageTableBytes == 135168)
    #expect(fields.residentSharedBytes == 4096)
    #expect(fields.peakResidentBytes == 14_958_592)
    #expect(fields.ignoredSignals == 0x11000)
    #expect(fields.affinity?.count == 3)
  }

  @Test func `status of a kernel thread has no memory fields`() throws {
    let fields = try #require(parse("Name:\tkthreadd\nTgid:\t2\n", as: StatusFields.self))
    #expect(fields.swapBytes == nil)
    #expect(fields.pageTableBytes == nil)
  }

  @Test func `status without Tgid gives nil`() {
    #expect(parse("Name:\ta\nVmSwap:\t0 kB\n", as: StatusFields.self) == nil)
  }

  @Test func `io with read_bytes and write_bytes alone gives them`() throws {
    let fields = try #require(parse("read_bytes: 4096\nwrite_bytes: 8192\n", as: IOFields.self))
    #expect(fields.readBytes == 4096)
    #expect(fields.writeBytes == 8192)
    #expect(fields.readCharacters == nil)
  }

  @Test func `cancelled_write_bytes is not write_bytes`() {
    let text = "rchar: 1\nread_bytes: 2\ncancelled_write_bytes: 3\n"
    #expect(parse(text, as: IOFields.self) == nil)
  }

  @Test func `schedstat 100 20 3 has a wait of 20 ns`() {
    #expect(parse("100 20 3\n", as: SchedstatFields.self)?.waitNanoseconds == 20)
  }

  @Test func `schedstat of three zeros is no figure`() {
    #expect(parse("0 0 0\n", as: SchedstatFields.self) == nil)
  }

  @Test func `Pss is told from Pss_Dirty and stands on any line`() {
    let text = "5600-7ffc ---p 00000000 00:00 0 [rollup]\nPss_Dirty: 116 kB\nPss: 484 kB\n"
    #expect(parse(text, as: SmapsRollupFields.self)?.pssBytes == 495_616)
  }

  @Test func `the share of private memory is that of anonymous pages and of swap`() {
    let text = "Pss: 484 kB\nPss_Dirty: 1 kB\nPss_Anon: 100 kB\nSwap: 80 kB\nSwapPss: 20 kB\n"
    #expect(parse(text, as: SmapsRollupFields.self)?.pssPrivateBytes == 122_880)
    #expect(parse("Pss: 484 kB\n", as: SmapsRollupFields.self)?.pssPrivateBytes == nil)
  }

  @Test func `MemTotal of meminfo is in bytes`() {
    #expect(parse("MemTotal: 16 kB\nMemFree: 1 kB\n", as: MeminfoFields.self)?.totalBytes == 16384)
  }

  @Test func `the last pid is the fifth field of loadavg`() {
    #expect(parse("0.57 0.27 0.70 4/124 3939\n", as: LoadavgFields.self)?.lastPid == 3939)
    #expect(parse("0.57 0.27", as: LoadavgFields.self) == nil)
    #expect(parse("", as: LoadavgFields.self) == nil)
  }

  @Test(arguments: [("0", 1), ("0-3", 4), ("0-3,8", 5), ("0,0", 1), ("8191\n", 1)])
  func `a list of processors is counted`(list: String, count: Int) {
    #expect(processors(Array(list.utf8))?.count == count)
  }

  @Test(arguments: ["", "\n", "a", "3-1", "0-", "0,", "8192", "-1"])
  func `a list of processors without sense gives nil`(list: String) {
    #expect(processors(Array(list.utf8)) == nil)
  }
}
