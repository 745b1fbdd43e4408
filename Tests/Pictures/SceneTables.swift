import HUD
import Metrics
import PerfHUDBase
import Sampler

/// Made-up processes and threads for the lists of scenes.
enum SceneTables {
  static let makePid: Int32 = 7300

  static func table(_ request: ProcessTableRequest, _ time: Instant) -> ProcessTable {
    if request.kind == .threads {
      return ProcessTable(request: request, time: time, rows: threads)
    }
    if request.kind == .mappings {
      return ProcessTable(request: request, time: time, rows: [], mappings: mappings(time))
    }
    return ProcessTable(
      request: request, time: time, rows: processes.map(\.row),
      commandLines: processes.map { ProcessArguments($0.line) })
  }

  // MARK: Mappings of the drawing program

  private static func mappings(_ time: Instant) -> MappingTable {
    var table = MappingTable()
    table.time = time
    for (name, kibibytes, isPrivate, count) in [
      ("[heap]", 101_400, true, 1), ("/opt/sketch/harbour.png", 18_700, false, 1),
      ("", 14_900, true, 12), ("/opt/sketch/lib/libbrush.so.2", 2_340, false, 5),
      ("/usr/lib/x86_64-linux-gnu/libpng16.so.16", 196, false, 4),
      ("/usr/lib/x86_64-linux-gnu/libc.so.6", 148, false, 5), ("[stack]", 96, true, 1),
    ] {
      var group = MappingGroup()
      group.name = MappingName(name)
      group.count = UInt32(count)
      group.pssBytes = UInt64(kibibytes) << 10
      group.residentBytes = group.pssBytes * (isPrivate ? 8 : 9) / 8
      group.privateBytes = isPrivate ? group.pssBytes : group.pssBytes / 16
      group.sizeBytes = group.residentBytes * 5 / 4
      table.groups.append(group)
    }
    return table
  }

  // MARK: Threads of the service

  private static let threads = [
    thread(2190, "catalog", 0.6, waits: 0.1, .sleeping),
    thread(2194, "worker-0", 31.5, waits: 2.2, .running),
    thread(2195, "worker-1", 28.4, waits: 1.9, .running),
    thread(2196, "worker-2", 12.2, waits: 0.8, .sleeping),
    thread(2197, "worker-3", 6.1, waits: 0.4, .sleeping),
    thread(2198, "worker-4", 2.8, waits: 0.2, .sleeping),
    thread(2199, "worker-5", 1.3, waits: 0.1, .sleeping),
    thread(2201, "report", 0, waits: 0, .sleeping),
    thread(2203, "journal", 0.4, waits: 0, .diskSleep),
  ]

  private static func thread(
    _ pid: Int32, _ name: String, _ cpu: Double, waits: Double, _ state: ProcessState
  ) -> ProcessRow {
    var row = makeRow(pid, 2190, name, cpu, mebibytes: 0, state)
    row.waitNanoseconds = UInt64(waits * 5_000_000)
    return row
  }

  // MARK: Processes of the build

  private struct Process {
    let row: ProcessRow
    let line: String
  }

  private static let processes: [Process] = {
    var list = [
      Process(
        row: makeRow(makePid, 7100, "make", 0.4, mebibytes: 3, .sleeping), line: "make -j4")
    ]
    let parts = [("star", 99.2, 96), ("catalog", 98.6, 71), ("dome", 96.4, 58), ("sky", 91.8, 22)]
    for (index, part) in parts.enumerated() {
      let pid = makePid + 11 + Int32(index) * 6
      let (name, cpu, memory) = part
      list.append(
        Process(
          row: makeRow(pid, makePid, "cc", 0, mebibytes: 2, .sleeping),
          line: "cc -O2 -Wall -c src/\(name).c -o build/\(name).o"))
      list.append(
        Process(
          row: makeRow(
            pid + 1, pid, "cc1", cpu, mebibytes: UInt64(memory), grown: UInt64(memory) / 2, .running
          ),
          line: "cc1 -quiet src/\(name).c -O2 -Wall -o build/\(name).s"))
    }
    list.append(
      Process(
        row: makeRow(7352, makePid, "python3", 34.5, mebibytes: 27, .running),
        line: "python3 tools/names.py catalog.txt"))
    list.append(
      Process(
        row: makeRow(7353, 7352, "xz", 41.2, mebibytes: 94, .running),
        line: "xz -9 --stdout names.bin"))
    return list
  }()

  private static func makeRow(
    _ pid: Int32, _ parent: Int32, _ name: String, _ cpu: Double, mebibytes: UInt64,
    grown: UInt64 = 0, _ state: ProcessState
  ) -> ProcessRow {
    var row = ProcessRow()
    row.pid = pid
    row.parent = parent
    row.startTicks = UInt64(pid)
    row.name = SceneProgram.processName(name)
    row.state = state
    row.intervalNanoseconds = 500_000_000
    row.cpuNanoseconds = UInt64(cpu * 5_000_000)
    row.footprintBytes = mebibytes << 20
    row.firstFootprintBytes = (mebibytes - grown) << 20
    return row
  }

  // MARK: Processes of a machine

  static let candidates = [
    candidate(1, "root", "systemd", "/sbin/init", 0, 5, seconds: 34),
    candidate(611, "root", "cron", "/usr/sbin/cron -f", 0, 1, seconds: 2),
    candidate(842, "postgres", "postgres", "postgres: catalog writer", 1.2, 38, seconds: 812),
    candidate(
      2190, "kai", "catalog", "python3 -m catalog --port 8080 --workers 6", 83.4, 205,
      seconds: 4_120),
    candidate(2231, "kai", "python3", "python3 tools/watch.py src", 0.4, 18, seconds: 71),
    candidate(
      2377, "mina", "jupyter-lab", "/usr/bin/python3 /usr/bin/jupyter-lab --no-browser", 2.1, 312,
      seconds: 590),
    candidate(
      2412, "mina", "python3", "python3 -m ipykernel_launcher -f kernel-8f2.json", 47.8, 1_286,
      seconds: 1_934),
    candidate(2508, "kai", "nvim", "nvim src/sky.c", 0.6, 42, seconds: 95),
    candidate(
      2544, "kai", "pytest", "/usr/bin/python3 -m pytest -x tests/night", 99.1, 96, seconds: 12),
    candidate(2601, "kai", "tmux", "tmux new -s work", 0.1, 6, seconds: 44),
  ]

  private static func candidate(
    _ pid: Int32, _ user: String, _ name: String, _ line: String, _ cpu: Double,
    _ mebibytes: UInt64,
    seconds: Double
  ) -> PickerRow {
    PickerRow(
      ProcessCandidate(
        target: Target(pid: pid, startTicks: UInt64(pid)), user: 1000,
        name: SceneProgram.processName(name), commandLine: line,
        cpuNanoseconds: UInt64(seconds * 1e9), cpuPercent: cpu, memoryBytes: mebibytes << 20),
      user: user)
  }
}
