// Measures the player of recordings: `make bench-replay` calls it.
//
//   bench-replay [HOURS]
//
// Writes a made-up recording of 24 hours with 10 samples and 60 frames a second, folds it once as the player does, and
// goes to 300 random times. Prints how long that took, and the memory of this program before and after.

import Glibc
import Metrics
import PerfHUDBase
import Recording
import Sampler

let hours = CommandLine.arguments.count > 1 ? Double(CommandLine.arguments[1]) ?? 24 : 24
let start = Instant(nanoseconds: 7_000_000_000_000)
let seeks = 300

/// Resident memory of this process in MiB.
func residentMiB() -> Int {
  guard var sampler = try? ProcessSampler(pid: getpid()) else { return 0 }
  return Int(sampler.sample().residentBytes.value ?? 0) >> 20
}

func write(_ path: String) throws {
  var header = RunHeader(
    start: start, wallClockOffset: 1_700_000_000_000_000_000, interval: 100_000_000,
    command: "made-up", framesFromTerminal: true)
  for byte in "made-up".utf8 { header.name.append(byte) }
  var writer = RecordingWriter(
    output: try RecordingWriter.open(path: path), name: path, header: header,
    host: .current(version: "bench"), keepsCommand: false)
  var random: UInt64 = 0x9E37_79B9_7F4A_7C15
  func number(_ limit: UInt64) -> UInt64 {
    random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return (random >> 33) % limit
  }
  var sample = Sample()
  sample.pid = 4242
  sample.startTicks = 7
  sample.name = header.name
  sample.state = .running
  var cpu: UInt64 = 0
  for tick in 0..<Int(hours * 3600 * 60) {
    let time = start.advanced(byNanoseconds: Int64(tick) * 16_666_667 + Int64(number(300)) * 1000)
    writer.writeIfDue(now: time)
    writer.add(Record.activity(.output(bytes: 500 + number(3000), time)).rounded())
    writer.add(Record.activity(.updateFrame(time)).rounded())
    guard tick % 6 == 0 else { continue }
    cpu += number(60_000_000)
    sample.time = time.advanced(byNanoseconds: 4000)
    sample.statTime = sample.time
    sample.lowRateTime = sample.time
    sample.ageNanoseconds = sample.time.nanoseconds - start.nanoseconds
    sample.cpuNanoseconds = .value(cpu)
    sample.anonymousBytes = .value((50 << 20) + number(2000) * 4096)
    sample.residentBytes = .value((70 << 20) + number(2000) * 4096)
    sample.minorFaults = .value(UInt64(tick) * 3)
    sample.threads = .value(3)
    writer.add(Record.sample(sample).rounded())
    sample.sequence += 1
  }
  writer.finish(nil)
}

let path = "bench-replay-\(getpid()).phr"
defer { unsafe unlink(path) }
try write(path)
let before = residentMiB()
var player = try RecordingPlayer(path: path)
let began = Instant.now()
while !player.isIndexed { _ = player.index(256) }
print("first fold of \(hours) h: \(Instant.now().seconds(since: began)) s")
print("memory: \(before) MiB before, \(residentMiB()) MiB after")
var milliseconds: [Double] = []
var random: UInt64 = 42
let length = player.end.seconds(since: player.start)
for _ in 0..<seeks {
  random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
  let time = player.start.advanced(bySeconds: Double(random >> 33) / Double(1 << 31) * length)
  let from = Instant.now()
  player.seek(to: time)
  milliseconds.append(Instant.now().seconds(since: from) * 1000)
}
milliseconds.sort()
print(
  "seek, \(seeks) random times: p50 \(milliseconds[seeks / 2]) ms, p99 \(milliseconds[seeks * 99 / 100]) ms, max \(milliseconds[seeks - 1]) ms"
)
