import Glibc
import PerfHUDBase
import SystemPackage
import TestSupport
import Testing

@testable import Terminal

/// The end of the process that leads the session of a command.
@Suite struct HolderTests {
  @Test func `a number that is no child of ours any more gets no signal`() throws {
    let shell = try RunningTool(["sh", "-c", "sleep 60 & echo $!; wait"])
    let other = try #require(Int32(try shell.readLine() ?? ""))
    let reports = try Descriptor(open: "/dev/null")
    let copy = fcntl(reports.raw, F_DUPFD_CLOEXEC, 3)
    #expect(copy >= 0)
    do {
      let holder = Holder(pid: other, reports: copy)
      #expect(holder.end == nil)
    }
    let stat = try readFile("/proc/\(other)/stat")
    #expect(!String(decoding: stat, as: UTF8.self).contains(") Z"))
    kill(other, SIGKILL)
  }
}
