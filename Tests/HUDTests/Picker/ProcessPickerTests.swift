import HUD
import Metrics
import PerfHUDBase
import Sampler
import Terminal
import TestSupport
import Testing

/// The list of processes to choose one from.
@Suite struct ProcessPickerTests {
  private static let mebibyte: UInt64 = 1_048_576

  private static func row(
    _ pid: Int32, _ user: String, _ name: String, _ line: String, cpu: Double? = 0,
    mebibytes: UInt64? = 1, seconds: Double = 0
  ) -> PickerRow {
    PickerRow(
      ProcessCandidate(
        target: Target(pid: pid, startTicks: UInt64(pid)), user: 1000, name: processName(name),
        commandLine: SafeText.clean(line), cpuNanoseconds: UInt64(seconds * 1e9), cpuPercent: cpu,
        memoryBytes: mebibytes.map { $0 * mebibyte }), user: user)
  }

  /// A machine: a compiler, an editor, a service, names that mean harm, one with nothing to read.
  private static let rows = [
    row(1, "root", "systemd", "/usr/lib/systemd/systemd --system", mebibytes: 4, seconds: 93.2),
    row(812, "postgres", "postgres", "postgres: writer", cpu: 0.3, mebibytes: 22, seconds: 4011),
    row(
      4_194_301, "kai", "cc1", "/usr/lib/gcc/x86_64-linux-gnu/14/cc1 -quiet main.c -O2",
      cpu: 99.8, mebibytes: 186, seconds: 1.31),
    row(
      4100, "kai", "python3", "python3 -m http.server 8000", cpu: 12.4, mebibytes: 31, seconds: 722),
    row(4101, "kai", "nvim", "nvim README.md", cpu: 1.7, mebibytes: 48, seconds: 400_000),
    row(4102, "kai", "a\u{1B}[2J\u{202E}b", "/tmp/a\u{1B}[2J\u{202E}b \u{9B}31m x", mebibytes: 0),
    row(4103, "kai", "夜の港", "/home/kai/夜の港 --窓 大きい", cpu: nil, mebibytes: nil),
    row(
      4104, "_very-long-user", "sh",
      "/bin/sh /home/kai/bin/deploy --to production --with everything"),
  ]

  private func picker(
    _ columns: Int = 80, _ rows: Int = 24, _ language: Language = .english, isASCII: Bool = false
  ) -> ProcessPicker {
    var picker = ProcessPicker(
      size: Size(rows: rows, columns: columns), language: language, isASCII: isASCII)
    picker.update(ProcessPickerTests.rows)
    return picker
  }

  private func text(_ picker: ProcessPicker) -> String {
    var picker = picker
    picker.draw()
    return (0..<picker.canvas.grid.size.rows).map { picker.canvas.grid.text(row: $0) }
      .joined(separator: "\n") + "\n"
  }

  private func type(_ text: String, into picker: inout ProcessPicker) {
    for scalar in text.unicodeScalars { #expect(picker.handle(.character(scalar)) == nil) }
  }

  // MARK: Pictures

  @Test(
    arguments: Language.allCases,
    [(120, 40), (80, 24), (64, 9), (44, 15), (36, 5), (20, 3), (20, 1), (8, 2)])
  func `the list in every size, whole and filtered`(
    language: Language, size: (columns: Int, rows: Int)
  ) {
    var picker = picker(size.columns, size.rows, language)
    var all = "all\n" + text(picker)
    type("py ser", into: &picker)
    all += "py ser\n" + text(picker)
    type("x", into: &picker)
    all += "none\n" + text(picker)
    expectGolden(
      all, file: "Golden/Picker/\(size.columns)x\(size.rows)-\(language.rawValue).txt")
  }

  @Test func `the list in ASCII`() {
    let all = text(picker(80, 12, .japanese, isASCII: true))
    #expect(all.utf8.allSatisfy { $0 < 0x80 })
    expectGolden(all, file: "Golden/Picker/80x12-ascii.txt")
  }

  @Test func `at no width a value is cut from its unit, and a name cannot harm`() {
    let check = SteadyColumnsCheck()
    for columns in stride(from: 14, through: 130, by: 3) {
      var narrow = picker(columns, 12)
      for scalar in text(narrow).unicodeScalars where scalar != "\n" {
        #expect(SafeText.replacement(for: scalar) == scalar)
      }
      // A filter that is typed or pasted is text from outside too.
      type("\u{202E}\u{9B}", into: &narrow)
      for scalar in text(narrow).unicodeScalars where scalar != "\n" {
        #expect(SafeText.replacement(for: scalar) == scalar)
      }
      for line in text(picker(columns, 12)).split(separator: "\n").dropFirst() {
        #expect(!check.isCut(String(line)), "\(columns): \(line)")
      }
    }
  }

  @Test func `no size is refused`() {
    for columns in 0...30 {
      for rows in 0...9 {
        var picker = ProcessPicker(size: Size(rows: rows, columns: columns), language: .english)
        picker.update(ProcessPickerTests.rows)
        for key in [Key.down, .pageDown, .end, .character("p"), .up, .home, .backspace] {
          _ = picker.handle(key)
          picker.draw()
          picker.resize(to: Size(rows: columns % 10, columns: rows * 3))
          picker.draw()
          picker.resize(to: Size(rows: rows, columns: columns))
        }
        #expect(picker.selected != nil)
      }
    }
  }

  // MARK: Order and selection

  @Test func `the busiest process comes first, and Enter attaches to it`() {
    var picker = picker()
    #expect(picker.handle(.enter) == .attach(Target(pid: 4_194_301, startTicks: 4_194_301)))
  }

  @Test func `while the first row is selected each scan sorts; another one keeps its place`() {
    var picker = picker()
    var changed = ProcessPickerTests.rows
    changed[4].process.cpuPercent = 150
    picker.update(changed)
    #expect(picker.selected?.pid == 4101)
    for _ in 0..<2 { _ = picker.handle(.down) }
    #expect(picker.selected?.pid == 4100)
    let before = text(picker)
    changed[0].process.cpuPercent = 180
    changed[3].process.cpuPercent = 0
    picker.update(changed)
    #expect(picker.selected?.pid == 4100)
    func pids(_ text: String) -> [Substring] {
      text.split(separator: "\n").dropFirst(2).compactMap { line in
        line.split(whereSeparator: { " >".contains($0) }).first { Int($0) != nil }
      }
    }
    #expect(pids(text(picker)) == pids(before))
    // A new one comes last, one that ended goes, and the row after it takes its place.
    changed.remove(at: 3)
    changed.append(ProcessPickerTests.row(5000, "kai", "new", "new", cpu: 300))
    picker.update(changed)
    #expect(pids(text(picker)).last == "5000")
    #expect(picker.selected?.pid == 812)
    // The first row sorts again.
    _ = picker.handle(.home)
    picker.update(changed)
    #expect(picker.selected?.pid == 5000)
  }

  @Test func `a reused number is another process`() {
    var picker = picker()
    for _ in 0..<2 { _ = picker.handle(.down) }
    let chosen = picker.selected
    #expect(chosen?.pid == 4101)
    var changed = ProcessPickerTests.rows
    changed[4].process.target = Target(pid: 4101, startTicks: 1)
    picker.update(changed)
    #expect(picker.selected != chosen)
    #expect(picker.selected?.pid != 4101)
  }

  // MARK: The filter

  @Test(arguments: [
    ("PYTHON", 4100), ("http 8000", 4100), ("8000 http", 4100), ("4100", 4100), ("夜", 4103),
    ("production", 4104), ("POSTGRES writer", 812), ("q", 4_194_301),
  ])
  func `a filter finds by name, command line or number`(filter: String, pid: Int) {
    var picker = picker()
    type(filter, into: &picker)
    #expect(picker.selected?.pid == Int32(pid))
  }

  @Test func `Esc clears the filter, then quits; Ctrl-C quits at once`() {
    var picker = picker()
    _ = picker.handle(.down)
    type("nvim", into: &picker)
    #expect(picker.selected?.pid == 4101)
    #expect(picker.handle(.escape) == nil)
    #expect(picker.filter.isEmpty && picker.selected?.pid == 4_194_301)
    _ = picker.handle(.down)
    #expect(picker.handle(.escape) == .quit)
    type("q", into: &picker)
    #expect(picker.handle(.control("c")) == .quit)
  }

  @Test func `Enter does nothing where no process matches`() {
    var picker = picker()
    type("nothing has this", into: &picker)
    #expect(picker.handle(.enter) == nil)
  }

  @Test func `Backspace, Ctrl-W and Ctrl-U erase`() {
    var picker = picker()
    type("one two 窓", into: &picker)
    _ = picker.handle(.backspace)
    #expect(picker.filter == "one two ")
    _ = picker.handle(.control("w"))
    #expect(picker.filter == "one ")
    _ = picker.handle(.control("u"))
    #expect(picker.filter.isEmpty)
    _ = picker.handle(.backspace)
    #expect(picker.filter.isEmpty)
  }

  @Test func `a filter ends at 80 characters`() {
    var picker = picker()
    type(String(repeating: "a", count: 100), into: &picker)
    #expect(picker.filter.count == 80)
  }

  @Test func `a note replaces the filter until the next key`() {
    var picker = picker()
    picker.note = "this process has ended"
    #expect(text(picker).contains("this process has ended"))
    _ = picker.handle(.down)
    #expect(!text(picker).contains("this process has ended"))
  }

  // MARK: The mouse

  @Test func `a click selects, a second one attaches, the wheel moves`() {
    var picker = picker()
    let third = MouseEvent(.press(button: 1), at: Point(row: 4, column: 9))
    #expect(picker.handle(third) == nil)
    #expect(picker.selected?.pid == 4101)
    #expect(picker.handle(third) == .attach(Target(pid: 4101, startTicks: 4101)))
    _ = picker.handle(MouseEvent(.wheelDown, at: Point(row: 4, column: 9)))
    #expect(picker.selected != Target(pid: 4101, startTicks: 4101))
    _ = picker.handle(MouseEvent(.wheelUp, at: Point(row: 4, column: 9)))
    #expect(picker.selected?.pid == 4101)
    for row in [0, 1, 20, 23] {
      _ = picker.handle(MouseEvent(.press(button: 1), at: Point(row: row, column: 0)))
      #expect(picker.selected?.pid == 4101)
    }
  }

  @Test(arguments: [
    (0.0, "0:00.00"), (1.31, "0:01.31"), (3599.99, "59:59.99"), (3600, "1h00:00"),
    (359_999, "99h59:59"), (400_000, "4d15h"), (1e9, "11574d01h"),
  ])
  func `CPU time in seconds becomes`(seconds: Double, text: String) {
    let row = ProcessPickerTests.row(7, "kai", "x", "x", seconds: seconds)
    var picker = ProcessPicker(size: Size(rows: 6, columns: 90), language: .english)
    picker.update([row])
    #expect(self.text(picker).contains(" \(text) x"))
  }
}
