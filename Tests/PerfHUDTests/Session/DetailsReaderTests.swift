import Glibc
import PerfHUDBase
import Testing

@testable import PerfHUD
@testable import Sampler

/// Facts about a process in the list of itself or of its threads.
@Suite struct DetailsReaderTests {
  private func table(_ kind: ProcessTableRequest.Kind, _ pids: [Int32]) throws -> ProcessTable {
    let own = try #require(StatFields(path: "/proc/self/stat"))
    let rows = pids.map { pid in
      var row = ProcessRow()
      row.pid = pid
      row.startTicks = own.startTicks
      return row
    }
    return ProcessTable(request: ProcessTableRequest(kind), time: .now(), rows: rows)
  }

  @Test func `they are those of the process, alone, in a tree or in the list of its threads`()
    throws
  {
    let own = getpid()
    for (kind, pids, isBesideList, hasDetails) in [
      (ProcessTableRequest.Kind.processes, [own], false, true), (.processes, [own, 1], true, true),
      (.processes, [own, 1], false, false), (.processes, [1, own + 1], true, false),
      (.threads, [own + 1, own], true, true), (.threads, [own + 1], true, false),
      (.mappings, [own], true, false),
    ] {
      var reader = DetailsReader()
      let table = try table(kind, pids)
      let details = reader.complete(table, of: own, isBesideList: isBesideList).details
      #expect((details?.parent == getppid()) == hasDetails, "\(kind) \(pids)")
    }
  }
}
