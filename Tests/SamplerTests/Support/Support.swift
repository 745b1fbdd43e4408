import Glibc
import PerfHUDBase
import TestSupport
import Testing

@testable import Sampler

/// A captured or hand-made tree below `Fixtures`, as a small root of a file system.
struct Fixture: CustomTestStringConvertible {
  /// For instance `linux-6.18/zombie`.
  let name: String
  let directory: String
  let pid: Int32

  init(_ name: String) throws {
    self.name = name
    directory = Repository.path("Tests/SamplerTests/Fixtures/\(name)")
    let text = String(decoding: try readFile("\(directory)/pid"), as: UTF8.self)
    guard let pid = Int32(text.split(separator: "\n").first ?? "") else {
      throw ToolError("no pid in \(directory)")
    }
    self.pid = pid
  }

  var root: String { "\(directory)/proc" }

  func sampler(_ options: SamplerOptions = SamplerOptions()) throws -> ProcessSampler {
    try ProcessSampler(pid: pid, options: options, root: root)
  }

  func limits() throws -> ResourceLimits {
    let process = try ProcDirectory.ofProcess(pid, root: root)
    let status = OptionalFile("status", in: process, capacity: StatusFields.capacity)
    var reader = LimitReader(directory: process, root: root, ownLimitPid: nil)
    let affinity = status.read(as: StatusFields.self).value?.affinity
    return reader.read(now: Instant(nanoseconds: 0), affinity: affinity)
  }

  var testDescription: String { name }
}

/// Parses fields from a text, as if it were the content of the file.
func parse<Fields: ProcFields>(_ text: String, as fields: Fields.Type) -> Fields? {
  parse(Array(text.utf8), as: fields)
}

func parse<Fields: ProcFields>(_ bytes: [UInt8], as fields: Fields.Type) -> Fields? {
  unsafe Fields(bytes.span.bytes)
}

/// Parses a list of processors.
func processors(_ bytes: [UInt8]) -> ProcessorSet? {
  unsafe ProcessorSet(list: bytes.span.bytes)
}

/// Random bytes that are the same at every run.
func randomBytes(count: Int, seed: UInt64) -> [UInt8] {
  var random = SeededRandom(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}

/// Waits for a sample that meets the condition; the wake-up must have been given for it.
func wait(
  for thread: SamplerThread, _ condition: (Sample) -> Bool
) throws -> Sample {
  var poller = Poller()
  let slot = poller.add(thread.wakeDescriptor)
  let deadline = Instant.now().advanced(bySeconds: 10)
  while Instant.now() < deadline {
    poller.wait(until: deadline, now: Instant.now())
    if poller.isReady(slot) { thread.acknowledge() }
    while let sample = thread.next() { if condition(sample) { return sample } }
  }
  throw ToolError("the sample did not arrive")
}

/// Whether this process has files of another in /proc open.
func hasFiles(of process: Int) throws(ToolError) -> Bool {
  try Tool.run(["ls", "-l", "/proc/\(getpid())/fd"]).lines.contains {
    $0.contains("/proc/\(process)/")
  }
}
