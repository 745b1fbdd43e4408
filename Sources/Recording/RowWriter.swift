import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The format of a row.
package enum LineFormat: String, CaseIterable, Sendable {
  /// For people: the leading metrics with their units.
  case text
  /// RFC 4180, with a header line; an absent value is empty.
  case csv
  /// One JSON object per line (RFC 8259); an absent value is null.
  case jsonl

  /// The format that the name of a file implies; `nil` if it implies none.
  package init?(path: String) {
    let name = path.split(separator: "/").last ?? ""
    switch name.split(separator: ".").dropFirst().last?.lowercased() {
    case "txt": self = .text
    case "csv": self = .csv
    case "jsonl": self = .jsonl
    default: return nil
    }
  }
}

/// Formats rows as lines, using the table of metrics. It allocates nothing once its buffer has grown.
package struct RowWriter: Sendable {
  package let format: LineFormat
  private let header: RunHeader
  private var hasWrittenHeader = false
  private var name = ""
  private var rawName = ProcessName()
  private var phase = ""
  private var rawPhase = Event.Name()
  /// The process of the previous line.
  private var pid: Int32 = 0
  /// The text before each value of a line, concatenated, and the end of each text.
  private let labels: [UInt8]
  private let labelEnds: [Int]
  /// The bytes of the last line.
  package private(set) var line: [UInt8] = []

  package init(format: LineFormat, header: RunHeader) {
    self.format = format
    self.header = header
    var labels: [UInt8] = []
    var ends: [Int] = []
    for (index, column) in Column.all.enumerated() {
      if index > 0 { labels.append(UInt8(ascii: ",")) }
      if format == .jsonl {
        labels.append(UInt8(ascii: "\""))
        labels.append(column.key)
        labels.append("\":")
      }
      ends.append(labels.count)
    }
    self.labels = labels
    labelEnds = ends
    line.reserveCapacity(2048)
  }

  /// Writes the line of a row to `line`, including its end. The first csv line is preceded by the header line.
  ///
  /// - Parameter wallClockOffset: Unix time in nanoseconds at monotonic zero.
  package mutating func write(_ row: Row, wallClockOffset: UInt64) {
    line.removeAll(keepingCapacity: true)
    if row.name != rawName || name.isEmpty {
      rawName = row.name
      name = row.name.text
    }
    let unixTime = Double(row.time.nanoseconds &+ wallClockOffset) * 1e-9
    switch format {
    case .text: writeText(row)
    case .csv:
      if !hasWrittenHeader { writeHeaderLine() }
      writeColumns(row, unixTime)
    case .jsonl: writeColumns(row, unixTime)
    }
    hasWrittenHeader = true
    line.append(UInt8(ascii: "\n"))
  }

  private mutating func writeHeaderLine() {
    for (index, column) in Column.all.enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      line.append(column.key)
    }
    line.append(UInt8(ascii: "\n"))
  }

  private mutating func writeColumns(_ row: Row, _ unixTime: Double) {
    let isJSON = format == .jsonl
    if isJSON { line.append(UInt8(ascii: "{")) }
    let columns = Column.all
    var start = 0
    for index in columns.indices {
      line.append(contentsOf: labels[start..<labelEnds[index]])
      start = labelEnds[index]
      switch columns[index] {
      case .time: line.append(unixTime, decimals: 6)
      case .elapsed:
        // A file of the last minutes may begin with an event, and then have a sample that was taken just before it.
        line.append(max(0, row.time.seconds(since: header.start)), decimals: 6)
      case .pid:
        // A cgroup has no PID.
        if row.pid > 0 { line.append(decimal: Int(row.pid)) } else { appendAbsent() }
      case .name: appendText(name)
      case .state:
        line.append(UInt8(ascii: "\""))
        line.append(row.hasEnded && !row.isZombie ? ProcessState.dead.letter : row.state.letter)
        line.append(UInt8(ascii: "\""))
      case .fpsSource:
        if let source = row.fpsSource {
          line.append(UInt8(ascii: "\""))
          line.append(source.key)
          line.append(UInt8(ascii: "\""))
        } else {
          appendAbsent()
        }
      case .phase:
        if let phase = row.phase {
          appendPhase(phase.name)
        } else {
          appendAbsent()
        }
      case .pssAge:
        if row[.pss].value != nil {
          line.append(row.pssAgeSeconds, decimals: 3)
        } else {
          appendAbsent()
        }
      case .metric(let metric):
        if let value = row[metric].value, value.isFinite {
          line.append(value, decimals: metric.decimals)
        } else {
          appendAbsent()
        }
      case .lowerBounds: appendKeys(row.lowerBounds)
      }
    }
    if isJSON { line.append(UInt8(ascii: "}")) }
  }

  private mutating func appendAbsent() {
    if format == .jsonl { line.append("null" as StaticString) }
  }

  /// Appends the keys of metrics in quotes, separated by blanks.
  private mutating func appendKeys(_ metrics: MetricSet) {
    guard !metrics.isEmpty else { return appendAbsent() }
    line.append(UInt8(ascii: "\""))
    var isFirst = true
    for metric in Metric.allCases where metrics.contains(metric) {
      if !isFirst { line.append(UInt8(ascii: " ")) }
      isFirst = false
      line.append(metric.key)
    }
    line.append(UInt8(ascii: "\""))
  }

  private mutating func appendPhase(_ name: Event.Name) {
    if name != rawPhase {
      rawPhase = name
      phase = SafeText.clean(name.text)
    }
    appendText(phase)
  }

  /// Appends a text in quotes: as in JSON, or with doubled quotes (RFC 4180, 2.7). It must not contain control
  /// characters.
  private mutating func appendText(_ text: String) {
    guard format == .csv else { return line.append(quoted: text) }
    line.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") { line.append(byte) }
      line.append(byte)
    }
    line.append(UInt8(ascii: "\""))
  }

  private mutating func writeText(_ row: Row) {
    if !hasWrittenHeader {
      line.append("# ")
      appendTarget(row)
      line.append("; CPU 100 % = one core; ")
      switch row.fpsSource {
      case .tick:
        line.append("FPS = frames that it reports; before the first, tick = perfhud's own\n")
      case .terminal: line.append("FPS = frames detected in its output\n")
      case .app: line.append("FPS = frames that it reports\n")
      case nil:
        line.append(
          header.framesFromTerminal ? "FPS = frames detected in its output\n" : "FPS off\n")
      }
    } else if row.pid != pid {
      line.append("# now ")
      appendTarget(row)
      line.append(UInt8(ascii: "\n"))
    }
    pid = row.pid
    var elapsed = ShortText()
    elapsed.append(row.time.seconds(since: header.start), decimals: 2)
    for _ in elapsed.count..<max(elapsed.count, 8) { line.append(UInt8(ascii: " ")) }
    line.append(elapsed)
    line.append("s  ")
    appendMetric("CPU", row[.cpuWindow], NumberFormat.percent)
    switch header.memory {
    case .footprint:
      appendMetric(row.footprintIsLowerBound ? "MEM ≥" : "MEM", row[.footprint], NumberFormat.bytes)
    case .pss: appendMetric("PSS", row[.pss], NumberFormat.bytes)
    case .rss: break
    }
    appendMetric("RSS", row[.resident], NumberFormat.bytes)
    if row.fpsSource != nil {
      if row.isIdle {
        line.append("FPS ")
        line.append(Word.idle.english)
        line.append("  ")
      } else {
        // The rate of perfhud's own timer is not one of the program.
        appendMetric(
          row.fpsSource == .tick ? "tick" : "FPS", row[.fps], NumberFormat.framesPerSecond)
      }
    }
    appendMetric("threads", row[.threads], NumberFormat.count)
    line.append(row.hasEnded && !row.isZombie ? "ended" : row.state.word.english)
  }

  private mutating func appendTarget(_ row: Row) {
    line.append(name)
    if row.pid > 0 {
      line.append(" pid ")
      line.append(decimal: Int(row.pid))
    } else {
      line.append(" cgroup ")
      line.append(header.command)
    }
  }

  private mutating func appendMetric(
    _ label: StaticString, _ value: Reading<Double>, _ text: (Double) -> ShortText
  ) {
    line.append(label)
    line.append(UInt8(ascii: " "))
    switch value {
    case .value(let value): line.append(text(value))
    case .absent(let reason): line.append(reason.word.english)
    }
    line.append("  ")
  }
}
