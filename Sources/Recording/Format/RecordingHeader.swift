import Metrics
import PerfHUDBase
import PerfHUDEvents
import Sampler

/// The machine on which a recording was made.
package struct HostFacts: Equatable, Sendable {
  /// Name and release of the kernel.
  package var kernel: String
  /// The number of online processors.
  package var processors: Int
  package var pageBytes: Int
  /// The version of perfhud.
  package var version: String

  package init(kernel: String, processors: Int, pageBytes: Int, version: String) {
    self.kernel = kernel
    self.processors = processors
    self.pageBytes = pageBytes
    self.version = version
  }
}

/// The head of a recording. In the file it is text: one value per line, key and values separated by tabs.
package struct RecordingHeader: Sendable {
  /// The version of the format. Readers of older versions skip what they do not know.
  package static let format = 1

  package var format = RecordingHeader.format
  package var run: RunHeader
  package var host: HostFacts
  /// When the run began, if the recording contains only a later part of it. `run.start` is then the start of that part.
  package var began: Instant?
  var schema = Schema.current
  /// The samples that each block starts from, as a batch of records.
  var base: [UInt8] = []

  init(run: RunHeader, host: HostFacts) {
    self.run = run
    self.host = host
  }

  // MARK: Writing

  /// The beginning of a file.
  var bytes: [UInt8] {
    var block = [UInt8](repeating: 0, count: BlockFrame.headBytes)
    block.append(contentsOf: text.utf8)
    BlockFrame.fill(&block, .header, number: 0, time: run.start.nanoseconds)
    // Written twice, so that one damaged byte does not make the whole file useless.
    return BlockFrame.magic + block + block
  }

  var text: String {
    var lines: [String] = []
    func add(_ key: String, _ values: String...) {
      lines.append(([key] + values.map { SafeText.clean($0) }).joined(separator: "\t"))
    }
    add("format", "\(format)")
    add("perfhud", host.version)
    add("kernel", host.kernel)
    add("processors", "\(host.processors)")
    add("page-bytes", "\(host.pageBytes)")
    add("start", "\(run.start.nanoseconds)")
    if let began { add("began", "\(began.nanoseconds)") }
    add("wall-clock-offset", "\(run.wallClockOffset)")
    add("seconds-from-utc", "\(run.secondsFromUTC)")
    add("interval", "\(run.interval)")
    add("memory", run.memory.rawValue)
    if let period = run.tickPeriod { add("tick-period", "\(period)") }
    add("frames-from-terminal", "\(run.framesFromTerminal)")
    add("includes-children", "\(run.includesChildren)")
    add("high-rate", "\(run.highRate)")
    if let origins = run.phaseOrigins {
      add("phase-origins", origins.map { "\($0.rawValue)" }.sorted().joined(separator: " "))
    }
    for rule in run.alerts { add("alert", rule.text) }
    add("command", run.command)
    add("name", hex((0..<Int(run.name.count)).map { run.name[$0] }))
    add("kernel-thread", "\(run.isKernelThread)")
    if let followed = run.followed { add("followed", followed) }
    add("matches", "\(run.matches)")
    add("cgroup", "\(run.isCgroup)")
    // The names are perfhud's own.
    for kind in schema.kinds {
      lines.append("kind\t\(kind.number)\t\(kind.name)")
      for field in kind.fields {
        let grain = field.grain == 1 ? "" : "\t\(field.grain)"
        lines.append("field\t\(field.name)\t\(field.type?.rawValue ?? "?")\t\(field.unit)\(grain)")
      }
    }
    if !base.isEmpty { lines.append("base\t" + hex(base)) }
    return lines.joined(separator: "\n") + "\n"
  }

  // MARK: Reading

  /// - Returns: `nil` if this is not the head of a recording.
  init?(_ bytes: [UInt8]) {
    self.init(
      run: RunHeader(start: Instant(nanoseconds: 0), wallClockOffset: 0, interval: 100_000_000),
      host: HostFacts(kernel: "", processors: 0, pageBytes: 0, version: ""))
    schema = Schema()
    var hasStart = false
    var name: [UInt8] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      let value = words.count > 1 ? words[1] : ""
      switch words[0] {
      case "format": format = Int(value) ?? 0
      case "perfhud": host.version = SafeText.clean(value)
      case "kernel": host.kernel = SafeText.clean(value)
      case "processors": host.processors = Int(value) ?? 0
      case "page-bytes": host.pageBytes = Int(value) ?? 0
      case "start":
        run.start = Instant(nanoseconds: UInt64(value) ?? 0)
        hasStart = true
      case "began": began = UInt64(value).map { Instant(nanoseconds: $0) }
      case "name": name = unhex(value)
      case "kind":
        if words.count > 2, let number = Int(value) {
          schema.add(Schema.Kind(number: number, name: words[2]))
        }
      case "field":
        guard words.count > 3, schema.fieldCount < RecordingHeader.fieldLimit else { continue }
        schema.addField(
          Schema.Field(
            name: value, type: FieldType(rawValue: words[2]), unit: words[3],
            grain: words.count > 4 ? max(1, UInt64(words[4]) ?? 1) : 1))
      case "base": base = unhex(value)
      default: takeRun(words[0], value)
      }
    }
    for byte in name.prefix(15) where byte != 0 { run.name.append(byte) }
    if !hasStart || schema.kinds.isEmpty { return nil }
  }

  /// The maximum number of fields in a file.
  private static let fieldLimit = 4096

  private mutating func takeRun(_ key: String, _ value: String) {
    switch key {
    case "wall-clock-offset": run.wallClockOffset = UInt64(value) ?? 0
    case "seconds-from-utc": run.secondsFromUTC = max(-86_400, min(86_400, Int(value) ?? 0))
    case "interval": run.interval = RecordingHeader.clamped(interval: UInt64(value) ?? 0)
    case "memory": run.memory = MemoryMetric(rawValue: value) ?? .footprint
    case "tick-period": run.tickPeriod = UInt64(value).map { max(1_000_000, min($0, 1 << 40)) }
    case "frames-from-terminal": run.framesFromTerminal = value == "true"
    case "includes-children": run.includesChildren = value == "true"
    case "high-rate": if let rate = Double(value), rate >= 0 { run.highRate = rate }
    case "phase-origins":
      run.phaseOrigins = Set(
        value.split(separator: " ").compactMap { UInt8($0).flatMap(EventOrigin.init(rawValue:)) })
    case "alert":
      if run.alerts.count < Rule.capacity, let rule = try? Rule(value) { run.alerts.append(rule) }
    case "command": run.command = SafeText.clean(value)
    case "kernel-thread": run.isKernelThread = value == "true"
    case "followed": run.followed = SafeText.clean(value)
    case "matches": run.matches = Int(value) ?? 1
    case "cgroup": run.isCgroup = value == "true"
    default: break
    }
  }
}

private func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".unicodeScalars)
  var text = ""
  for byte in bytes {
    text.unicodeScalars.append(digits[Int(byte >> 4)])
    text.unicodeScalars.append(digits[Int(byte & 15)])
  }
  return text
}

private func unhex(_ text: String) -> [UInt8] {
  let digits = text.utf8.map { byte -> UInt8 in
    byte >= 0x61 ? byte &- 0x61 &+ 10 : byte &- 0x30
  }
  return (0..<digits.count / 2).map { digits[2 * $0] << 4 | (digits[2 * $0 + 1] & 15) }
}

extension RecordingHeader {
  /// Limits the interval to valid values, in nanoseconds: a file is not trusted.
  static func clamped(interval: UInt64) -> UInt64 { max(1_000_000, min(interval, 1 << 50)) }
}
