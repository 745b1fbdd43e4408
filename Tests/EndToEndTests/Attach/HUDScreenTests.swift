import Glibc
import PerfHUDBase
import TestSupport
import Testing

/// What the HUD shows, in tmux.
@Suite struct HUDScreenTests {
  @Test(arguments: [(120, 40), (80, 24), (44, 15)])
  func `a pane shows title, gauges, graph and footer at`(columns: Int, rows: Int) throws {
    let load = try Load()
    try load.command("alloc 50000000")
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: columns, rows: rows)
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.showsValues && $0.hasBraille && $0.title.contains("perfhud-load")
    }
    #expect(screen.title.hasPrefix("perfhud-load "))
    let words = screen.title.split(separator: " ")
    #expect(words.contains("\(load.pid)") && words.contains("sleeping"), "\(screen.title)")
    #expect(screen.gauge("CPU")?.contains("%") == true)
    #expect(screen.bytes("MEM").map { (47e6...60e6).contains($0) } == true)
    #expect(screen.showsStorage)
    #expect(screen.shows("RSS"))
    #expect(screen.shows("why slow"))
    #expect(screen.shows("MEM footprint"))
    #expect(screen.last?.contains("q quit  ? help") == true)
    #expect(screen.allSatisfy { $0.count <= columns })
    #expect(try tmux.value("alternate_on") == "1")
    #expect(try tmux.value("cursor_flag") == "0")
  }

  @Test func `the terminal scrolls over all its rows after it`() throws {
    let load = try Load()
    let tmux = try Tmux(
      columns: 80, rows: 40,
      command: ["sh", "-c", "\"$perfhud\" --pid \(load.pid); seq 60; echo done; read x"],
      environment: Perfhud.environment(["perfhud": try Perfhud.path()]))
    try tmux.waitForValues()
    #expect(try tmux.value("scroll_region_lower") == "39")
    try tmux.sendText("q")
    let screen = try tmux.waitFor("done", deadline: Perfhud.deadline)
    #expect(screen.first == "23")
    #expect(try tmux.value("scroll_region_lower") == "39")
  }

  @Test func `24x5 shows title, gauges and a row of graph`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 24, rows: 5)
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.showsValues && $0.hasBraille && $0.title.hasPrefix("perfhud-load")
    }
    #expect(screen.title.contains("\(load.pid)"))
    #expect(screen.gauge("CPU")?.contains("%") == true)
    #expect(screen.showsStorage)
  }

  @Test func `20x3 shows CPU, MEM and DISK`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 20, rows: 3)
    let screen = try tmux.waitForValues()
    #expect(screen.gauge("CPU")?.contains("%") == true)
    #expect(screen.showsStorage)
  }

  @Test func `20x1 shows CPU and memory with their names and units`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 20, rows: 1)
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.count == 1 && screen[0].contains(#/^CPU +[0-9]+% MEM +[0-9.]+[KMG]/#)
    }
  }

  @Test func `40x1 shows reads and writes beside CPU and memory`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 40, rows: 1)
    try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.count == 1 && screen[0].contains(#/^CPU .* % MEM .*iB DISK +[0-9.]+[BKM]?\/s/#)
    }
  }

  @Test func `60x2 shows CPU and memory and no frame rate`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 60, rows: 2)
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.bytes("MEM") != nil && screen.gauge("CPU")?.contains("%") == true
    }
    #expect(screen.count == 2)
    #expect(!screen.shows("FPS") && !screen.shows("tick"))
  }

  @Test func `a size after the other, down to 10x2 and up again, while it runs`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)")
    try tmux.waitForValues()
    let sizes = [(44, 15), (24, 5), (20, 1), (10, 2), (1, 1), (2, 40), (200, 60)]
    for (columns, rows) in sizes {
      try tmux.resize(columns: columns, rows: rows)
      if columns < 10 { continue }
      // The mark of a figure, or what there is room for of it.
      try tmux.waitFor(deadline: Perfhud.deadline) { screen in
        screen.count <= rows && (screen.shows("%") || screen.shows("CPU"))
      }
      #expect(try tmux.status == nil)
    }
    let large = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.showsValues && screen.shows("CPU %") && (screen.last?.hasSuffix("? help") ?? false)
    }
    #expect(large.last?.count == 200)
    try tmux.resize(columns: 80, rows: 24)
    let screen = try tmux.waitFor(deadline: Perfhud.deadline) { screen in
      screen.count == 24 && screen.showsValues && screen.title.hasPrefix("perfhud-load")
        && screen[23].hasSuffix("? help")
    }
    // Nothing of a larger picture is left.
    #expect(screen.count { $0.contains("? help") } == 1)
    #expect(screen.count { $0.contains("CPU ") && $0.contains("=") } == 1)
  }

  @Test func `memory that the load takes and frees shows in gauge and peak`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 120)
    try tmux.waitForMemory(0...20e6)
    try load.command("alloc 200000000")
    try tmux.waitForMemory(200e6...205e6)
    try load.command("free 200000000")
    let screen = try tmux.waitForMemory(0...20e6)
    #expect(screen.gauge("MEM")?.contains("peak 19") == true, "\(screen)")
  }

  /// The CPU time of a process's main thread in seconds. Source: /proc/PID/schedstat, the first number.
  private func cpuSeconds(_ pid: Int) throws -> Double {
    let text = String(decoding: try readFile("/proc/\(pid)/schedstat"), as: UTF8.self)
    return try #require(text.split(separator: " ").first.flatMap { Double($0) }) / 1e9
  }

  @Test func `a HUD whose target has ended rests`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)")
    try tmux.waitForValues()
    load.signal(SIGKILL)
    _ = try load.wait()
    try tmux.waitFor("ENDED", deadline: Perfhud.deadline)
    let pid = try #require(Int(try tmux.value("pane_pid")))
    let before = try cpuSeconds(pid)
    let start = Instant.now()
    try waitUntil(deadline: Perfhud.deadline, "two seconds") {
      Instant.now().nanoseconds(since: start) > 2_000_000_000
    }
    let elapsed = Double(Instant.now().nanoseconds(since: start)) / 1e9
    #expect(try cpuSeconds(pid) - before < 0.5 * elapsed)
  }

  @Test func `exec gives the title the new name`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)")
    try tmux.waitForValues()
    try load.command("exec butterfly", deadline: Perfhud.deadline)
    try tmux.waitFor(deadline: Perfhud.deadline) {
      $0.title.hasPrefix("butterfly ") && $0.title.contains(" \(load.pid) ")
    }
    try tmux.waitForValues()
  }

  @Test func `no escape sequence of a process name reaches the terminal`() throws {
    let load = try Load()
    try load.command("name %1B]2;pwned%07%9B1m")
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)")
    let screen = try tmux.waitForValues()
    #expect(screen.title.hasPrefix("␛]2;pwned␇�1m "), "\(screen.title)")
    #expect(try !tmux.value("pane_title").contains("pwned"))
    try load.command("name %1B[2J%1B[9;9Hx%0A")
    let second = try tmux.waitFor(deadline: Perfhud.deadline) { $0.title.contains("9;9Hx") }
    #expect(second.title.hasPrefix("␛[2J␛[9;9Hx␊ "), "\(second.title)")
    #expect(second.showsValues)
  }

  @Test func `a wide name keeps the columns of its row`() throws {
    let load = try Load()
    try load.command("name %E3%82%AD%E3%83%A3%E3%83%B3")
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", columns: 40, rows: 8)
    let screen = try tmux.waitForValues()
    #expect(screen.title.hasPrefix("キャン "), "\(screen.title)")
    #expect(screen.title.contains(" \(load.pid) sleeping"), "\(screen.title)")
  }

  @Test func `the end of the target: ENDED with the time, the last picture stays, q quits`() throws
  {
    let load = try Load()
    try load.command("alloc 100000000")
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)")
    try tmux.waitForMemory(100e6...105e6)
    load.signal(SIGKILL)
    _ = try load.wait()
    let screen = try tmux.waitFor("ENDED", deadline: Perfhud.deadline)
    let pattern = #/ENDED (SIGKILL )?[0-2]\d:[0-5]\d:[0-6]\d/#
    #expect(screen.title.contains(pattern), "\(screen.title)")
    #expect(screen.bytes("MEM").map { (100e6...105e6).contains($0) } == true)
    #expect(screen.hasBraille)
    #expect(screen.title.hasPrefix("perfhud-load "))
    #expect(screen.title.contains(" \(load.pid) "))
    try tmux.sendText("q")
    try tmux.waitForEnd(.exit(0))
  }

  @Test func `--exit-with-target ends with the target, with status 0 and a word`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", "--exit-with-target")
    try tmux.waitForValues()
    try load.command("exit 3")
    try tmux.waitForEnd(.exit(0))
    #expect(try tmux.capture().shows("perfhud: process \(load.pid) (perfhud-load) has ended"))
  }

  @Test func `--duration ends the HUD with status 0`() throws {
    let load = try Load()
    let tmux = try Perfhud.tmux("--pid", "\(load.pid)", "--duration", "1s")
    try tmux.waitForEnd(.exit(0))
  }

  @Test(arguments: [["LC_ALL": "ja_JP.UTF-8"], ["LC_MESSAGES": "ja_JP.UTF-8"]])
  func `the words are Japanese with`(environment: [String: String]) throws {
    let load = try Load()
    let tmux = try Perfhud.tmux(
      "--pid", "\(load.pid)", environment: environment.mapValues { $0 })
    let screen = try tmux.waitForValues()
    #expect(screen.shows("スレッド") && screen.shows("q 終了"))
  }

  @Test func `--lang ja is Japanese in any locale, --lang en is English in a Japanese one`() throws
  {
    let load = try Load()
    let japanese = try Perfhud.tmux("--pid", "\(load.pid)", "--lang", "ja")
    #expect(try japanese.waitForValues().shows("q 終了"))
    let english = try Perfhud.tmux(
      "--pid", "\(load.pid)", "--lang", "en", environment: ["LC_ALL": "ja_JP.UTF-8"])
    #expect(try english.waitForValues().shows("q quit"))
  }

  @Test(arguments: [(120, 40), (20, 1), (24, 5)])
  func `--ascii draws nothing but ASCII at`(columns: Int, rows: Int) throws {
    let load = try Load()
    try load.command("name %C3%A9%E2%80%A6%E3%82%AD")
    let tmux = try Perfhud.tmux(
      "--pid", "\(load.pid)", "--ascii", columns: columns, rows: rows,
      environment: ["LC_ALL": "ja_JP.UTF-8"])
    let screen = try tmux.waitFor(rows == 1 ? "MEM " : "iB", deadline: Perfhud.deadline)
    #expect(screen.isASCII, "\(screen)")
  }
}
