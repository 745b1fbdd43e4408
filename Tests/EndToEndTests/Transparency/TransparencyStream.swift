import PerfHUDBase
import TestSupport

/// A random stream of what every terminal has, in random pieces with pauses.
struct TransparencyStream {
  private var numbers: SeededRandom
  private var isInserting = false
  private var wraps = true
  private var isAlternate = false
  private let columns = 80
  private let rows = 24

  /// How many operations a stream has, and after how many of them the screens are compared.
  static let operations = 240
  static let operationsPerStep = 60

  /// The case of a seed.
  ///
  /// - Parameter operations: how many of the stream are played, to find the first that goes wrong.
  static func makeCase(
    seed: Int, operations: Int = TransparencyStream.operations
  ) -> TransparencyCase {
    var stream = TransparencyStream(numbers: SeededRandom(scatteredSeed: UInt64(seed)))
    var steps: [[PlayerScript.Write]] = []
    // A screen that is not empty, so that all that moves is seen.
    var writes = [PlayerScript.Write(Array(TransparencyCase.unescape(TransparencyCase.fill).utf8))]
    for number in 1...max(1, operations) {
      writes += stream.cut(stream.operation())
      if number % operationsPerStep == 0 || number == operations {
        steps.append(writes)
        writes = []
      }
    }
    return .played("seed \(seed)", PlayerScript(steps: steps))
  }

  private mutating func pick(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &numbers)
  }

  private mutating func pick(_ texts: [String]) -> String { texts[pick(0...texts.count - 1)] }

  /// One write or several, most with no pause after them: output streams, and then rests.
  private mutating func cut(_ text: String) -> [PlayerScript.Write] {
    let bytes = Array(text.utf8)
    var writes: [PlayerScript.Write] = []
    var start = 0
    while start < bytes.count {
      let count = pick(0...2) == 0 ? pick(1...max(1, bytes.count)) : bytes.count
      let end = min(bytes.count, start + count)
      let pause = pick(0...5) == 0 ? pick(1...25) * 1000 : 0
      writes.append(PlayerScript.Write(Array(bytes[start..<end]), pause: pause))
      start = end
    }
    return writes
  }

  private mutating func operation() -> String {
    switch pick(0...99) {
    case 0..<26: print()
    case 26..<40: "\u{1B}[\(pick(1...rows));\(pick(1...columns))H"
    case 40..<50: rendition()
    case 50..<56: "\u{1B}[\(pick(0...2))\(pick(["J", "K", "K"]))"
    case 56..<64: "\u{1B}[\(pick(1...5))\(pick(["L", "M", "@", "P", "X"]))"
    case 64..<67: "\u{1B}[\(pick(1...3))\(pick(["S", "T"]))"
    case 67..<71: region()
    case 71..<79: pick(["\n", "\r\n", "\u{1B}D", "\u{1B}M", "\u{1B}E", "\n\n"])
    case 79..<82: pick(["\u{1B}7", "\u{1B}8"])
    case 82..<84: insertMode()
    case 84..<86: wrapMode()
    case 86..<90: pick(["\t", "\u{1B}[Z", "\u{1B}H", "\u{1B}[g"])
    case 90..<93: pick(["\u{1B}(0", "\u{1B}(B", "\u{1B})0", "\u{0E}", "\u{0F}"])
    case 93..<95: screenSwitch()
    default: "\u{1B}[\(pick(1...9))\(pick(["A", "B", "C", "D", "G", "d"]))"
    }
  }

  /// Text. In insert mode, and without autowrap, xterm treats the characters that it reads at once
  /// as one: there a rendition stands between any two, so that cuts do not matter.
  private mutating func print() -> String {
    let letters = [
      "lorem", "ipsum dolor", "sit amet consectetur", "x", "_tail", "0123456789", "日本語", "漢字かな",
      "a日b本c", "ＡＢＣ", "🎨", "🚀x", "e\u{301}a\u{308}", "한국어",
    ]
    var text = ""
    for _ in 0..<pick(1...4) { text += pick(letters) + pick(["", " ", ""]) }
    guard isInserting || !wraps else { return text }
    return text.map { "\($0)\u{1B}[\(29)m" }.joined()
  }

  private mutating func rendition() -> String {
    let parts: [String] = (0..<pick(1...3)).map { _ in
      switch pick(0...11) {
      case 0, 1: "0"
      case 2: "\(pick(["1", "2", "3", "4", "5", "7", "8", "9"]))"
      case 3: "\(pick(["22", "23", "24", "25", "27", "28", "29"]))"
      case 4: "3\(pick(0...7))"
      case 5: "4\(pick(0...7))"
      case 6: "9\(pick(0...7))"
      case 7: "10\(pick(0...7))"
      case 8: "38;5;\(pick(0...255))"
      case 9: "48;5;\(pick(0...255))"
      case 10: "\(pick(["38", "48"]));2;\(pick(0...255));\(pick(0...255));\(pick(0...255))"
      default: "\(pick(["39", "49"]))"
      }
    }
    return "\u{1B}[\(parts.joined(separator: ";"))m"
  }

  private mutating func region() -> String {
    if pick(0...2) == 0 { return "\u{1B}[r" }
    let top = pick(1...rows - 1)
    return "\u{1B}[\(top);\(pick(top + 1...rows))r"
  }

  private mutating func insertMode() -> String {
    isInserting.toggle()
    return isInserting ? "\u{1B}[4h" : "\u{1B}[4l"
  }

  private mutating func wrapMode() -> String {
    wraps.toggle()
    return wraps ? "\u{1B}[?7h" : "\u{1B}[?7l"
  }

  private mutating func screenSwitch() -> String {
    isAlternate.toggle()
    let mode = pick(["1049", "1049", "1047", "47"])
    return "\u{1B}[?\(mode)\(isAlternate ? "h" : "l")"
  }
}

extension TransparencyCase {
  /// Random streams; `PERFHUD_SEED=n` plays one, `n-m` some, `PERFHUD_STEPS=k` the first operations.
  static let streams: [TransparencyCase] = {
    let operations = Overlay.number("PERFHUD_STEPS") ?? TransparencyStream.operations
    return Overlay.seeds(1...(Overlay.isLong ? 40 : 12)).map {
      TransparencyStream.makeCase(seed: $0, operations: operations)
    }
  }()
}
