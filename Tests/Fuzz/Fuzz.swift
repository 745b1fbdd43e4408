import Glibc
import PerfHUDBase
import Terminal

/// Feeds seeded random and mutated bytes through everything that reads bytes from outside: the parser
/// and the screen, the compositor with a second screen as the terminal and one window or several on it,
/// the decoder of keys, that of events with the ways by which they come (socket, followed file, own
/// sequences), and the reader of recordings with all that is made from them.
///
///     perfhud-fuzz [--bytes N] [--seed S] [--round R] [--corpus FOLDER]
///
/// What is checked: nothing traps; the cursor stays on the screen; a wide character has both halves;
/// bytes in one piece and in random pieces lead to the same screen; without a HUD the bytes pass
/// verbatim; each byte of the input belongs to one token; an event is harmless and the same when it is
/// sent on; each line of the file and each event of a datagram arrives. A failure names seed, round and offset:
/// `--seed S --round R` plays it alone.
@main struct Fuzz {
  static func main() throws {
    var bytes = 100_000_000
    var seed: UInt64 = 1
    var round: UInt64?
    var folder = "Tests/Fuzz/Corpus"
    var arguments = CommandLine.arguments.dropFirst()
    while let option = arguments.popFirst() {
      let value = arguments.popFirst() ?? ""
      switch option {
      case "--bytes": bytes = Int(value) ?? bytes
      case "--seed": seed = UInt64(value) ?? seed
      case "--round": round = UInt64(value)
      case "--corpus": folder = value
      default:
        print("usage: perfhud-fuzz [--bytes N] [--seed S] [--round R] [--corpus FOLDER]")
        exit(64)
      }
    }
    Failure.watch()
    let corpus = Corpus(folder: folder)
    print("seed \(seed), \(bytes) bytes, \(corpus.files.count) files of the corpus")
    var fed = 0
    var number = round ?? 0
    var shown = 0
    let ways = try EventWays()
    while fed < bytes {
      fed += FuzzRound(seed: seed, number: number, corpus: corpus).run(ways)
      if round != nil { break }
      number += 1
      if fed / 10_000_000 > shown {
        shown = fed / 10_000_000
        print("\(fed) bytes, \(number) rounds")
      }
    }
    ways.remove()
    print(
      "\(fed) bytes in \(round == nil ? number : 1) rounds, \(fed / FuzzRound.targets) to each of",
      "\(FuzzRound.targets) targets, no failure")
  }
}

extension SeededRandom {
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
}

/// Where the run stands, for the report of a trap.
enum Failure {
  nonisolated(unsafe) static var seed: UInt64 = 0
  nonisolated(unsafe) static var round: UInt64 = 0
  nonisolated(unsafe) static var offset = 0

  /// Names the place when the process traps.
  static func watch() {
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      _ = signal(number) { number in
        Failure.tell()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Only what a signal handler may do.
  static func tell() {
    write("perfhud-fuzz: failure at --seed ")
    write(unsafe seed)
    write(" --round ")
    write(unsafe round)
    write(", offset ")
    write(UInt64(max(0, unsafe offset)))
    write("\n")
  }

  private static func write(_ text: StaticString) {
    _ = unsafe Glibc.write(2, text.utf8Start, text.utf8CodeUnitCount)
  }

  private static func write(_ number: UInt64) {
    var divisor: UInt64 = 1
    while number / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      var digit = UInt8(number / divisor % 10) + 0x30
      _ = unsafe Glibc.write(2, &digit, 1)
      divisor /= 10
    }
  }

  /// Ends the run with what went wrong.
  static func fail(_ what: String) -> Never {
    tell()
    print("perfhud-fuzz: \(what)")
    exit(1)
  }
}

/// Files to start from, and single sequences.
struct Corpus {
  var files: [[UInt8]] = []

  /// The whole of each file of the folder; none if there is no such folder.
  init(folder: String) {
    guard let directory = unsafe opendir(folder) else { return }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    for name in names.sorted() {
      if let bytes = try? readFile(folder + "/" + name), !bytes.isEmpty { files.append(bytes) }
    }
  }

  /// Bytes for a round: parts of files, sequences and noise, some of them mutated.
  func makeInput(_ numbers: inout SeededRandom) -> [UInt8] {
    var result: [UInt8] = []
    let length = numbers.pick(50...6000)
    while result.count < length {
      switch numbers.pick(0...9) {
      case 0..<4 where !files.isEmpty:
        let file = files[numbers.pick(0...files.count - 1)]
        let start = numbers.pick(0...file.count - 1)
        var part = Array(file[start..<min(file.count, start + numbers.pick(1...600))])
        if numbers.pick(0...1) == 0 { mutate(&part, &numbers) }
        result += part
      case 4..<8: appendSequence(&result, &numbers)
      case 8:
        for _ in 0..<numbers.pick(1...40) { result.append(UInt8(numbers.pick(0...255))) }
      default: result += Corpus.texts[numbers.pick(0...Corpus.texts.count - 1)]
      }
    }
    return result
  }

  private static let texts: [[UInt8]] = [
    "hello world", "日本語", "e\u{301}\u{308}", "🎨👩‍👩‍👧", "\r\n", "\u{1B}]7337;perfhud;frame\u{7}", "한국어",
    "\u{1B}P$qm\u{1B}\\", "\u{1B}Pq#0~~\u{1B}\\", "\u{1B}_Gf=24;AAAA\u{1B}\\", "\u{1B}[?2026h",
    "\u{1B}[?2026l", "\u{1B}[200~paste\u{1B}[201~", "\u{1B}[<0;3;4M", "\u{1B}[M !!",
  ].map { Array($0.utf8) }

  /// Lines of events: the input's own, and such as are nearly right.
  static func eventLines(_ input: [UInt8], _ numbers: inout SeededRandom) -> [[UInt8]] {
    var lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
    for _ in 0..<20 {
      var line: [UInt8] = []
      for _ in 0..<numbers.pick(1...6) {
        line += Array(eventWords[numbers.pick(0...eventWords.count - 1)].utf8)
        if numbers.pick(0...9) > 0 { line.append(0x20) }
      }
      if numbers.pick(0...2) == 0, !line.isEmpty {
        line[numbers.pick(0...line.count - 1)] = UInt8(numbers.pick(0...255))
      }
      lines.append(line)
    }
    return lines
  }

  private static let eventWords = [
    "phase", "action", "frame", "toast", "loading", "loading-done", "value", "#", "canvas",
    "pen.move", "icon=🎨", "icon=%F0%9F%8E%A8", "color=orange", "color=mauve", "n=12", "n=0",
    "detail=at%2010", "ms=16.6", "ms=1e-3", "progress=0.4", "unit=MiB", "seq=7", "seq=", "later=1",
    "12.5", "-3e200", "1e400", "%", "%1B[2J", "\u{202E}", "=", "日本語", "\t", "\r",
  ]

  private func appendSequence(_ result: inout [UInt8], _ numbers: inout SeededRandom) {
    result.append(0x1B)
    if numbers.pick(0...4) == 0 {
      if numbers.pick(0...2) == 0 { result.append(UInt8(numbers.pick(0x20...0x2F))) }
      result.append(UInt8(numbers.pick(0x30...0x7E)))
      return
    }
    result.append(0x5B)
    if numbers.pick(0...3) == 0 { result.append(UInt8(numbers.pick(0x3C...0x3F))) }
    for index in 0..<numbers.pick(0...6) {
      if index > 0 { result.append(numbers.pick(0...5) == 0 ? 0x3A : 0x3B) }
      let value: Int
      switch numbers.pick(0...9) {
      case 0: value = numbers.pick(0...99999)
      case 1: value = [47, 1047, 1048, 1049, 2026, 69, 45, 1004][numbers.pick(0...7)]
      default: value = numbers.pick(0...30)
      }
      result += Array("\(value)".utf8)
    }
    if numbers.pick(0...4) == 0 { result.append(UInt8(numbers.pick(0x20...0x2F))) }
    result.append(UInt8(numbers.pick(0x40...0x7E)))
  }

  private func mutate(_ bytes: inout [UInt8], _ numbers: inout SeededRandom) {
    for _ in 0..<numbers.pick(1...8) where !bytes.isEmpty {
      let place = numbers.pick(0...bytes.count - 1)
      switch numbers.pick(0...3) {
      case 0: bytes[place] ^= 1 << UInt8(numbers.pick(0...7))
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8(numbers.pick(0...255)), at: place)
      default: bytes[place] = UInt8(numbers.pick(0x20...0x7E))
      }
    }
  }
}
