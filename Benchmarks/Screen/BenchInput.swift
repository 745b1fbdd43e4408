import Glibc
import PerfHUDBase

/// Output of a program, made up of the same random numbers each time.
struct BenchInput {
  let name: String
  let bytes: [UInt8]

  private static let words = [
    "accept", "buffer", "cache", "commit", "connect", "decode", "engine", "fetch", "frame",
    "kernel", "layout", "packet", "queue", "render", "sample", "socket", "thread", "worker",
  ]

  /// All of them, each of at least this number of bytes.
  static func all(length: Int = 2_000_000) -> [BenchInput] {
    [
      make("text", length) { numbers in
        var line = ""
        for _ in 0..<80 {
          line.unicodeScalars.append(Unicode.Scalar(UInt8.random(in: 0x20...0x7D, using: &numbers)))
        }
        return line + "\r\n"
      },
      make("colored log", length) { numbers in
        let code = Int.random(in: 31...36, using: &numbers)
        return
          "\u{1B}[2m2026-01-01T00:00:\(numbers.next() % 60)Z\u{1B}[0m \u{1B}[1;\(code)mINFO \u{1B}[0m "
          + "\u{1B}[34m\(word(&numbers))::\(word(&numbers))\u{1B}[0m \(sentence(&numbers, 20...90)) "
          + "\u{1B}[3mms\u{1B}[0m=\u{1B}[38;5;\(16 + numbers.next() % 216)m\(numbers.next() % 1000)"
          + "\u{1B}[0m\r\n"
      },
      make("cursor moves", length) { numbers in
        let place = "\u{1B}[\(1 + numbers.next() % 40);\(1 + numbers.next() % 99)H"
        switch numbers.next() % 10 {
        case 0: return place + "\u{1B}[K"
        case 1...3:
          return place + "\u{1B}[3\(numbers.next() % 8);1m\(sentence(&numbers, 2...18))\u{1B}[m"
        default: return place + sentence(&numbers, 2...18)
        }
      },
      make("dense colors", length) { numbers in
        var line = ""
        for _ in 0..<60 {
          let plane = numbers.next() % 2 == 0 ? 38 : 48
          let form =
            numbers.next() % 2 == 0
            ? "2;\(numbers.next() % 256);\(numbers.next() % 256);\(numbers.next() % 256)"
            : "5;\(numbers.next() % 256)"
          line += "\u{1B}[\(plane);\(form)m" + (numbers.next() % 2 == 0 ? "ab" : "x")
        }
        return line + "\u{1B}[0m\r\n"
      },
      make("CJK", length) { numbers in
        var line = ""
        for _ in 0..<55 {
          line.unicodeScalars.append(
            Unicode.Scalar(UInt32.random(in: 0x4E00...0x9FA0, using: &numbers)) ?? " ")
        }
        return line + " abc\r\n"
      },
      make("accents", length) { numbers in
        let letters = Array("abcdefghijk lmnopqrs tuvwxyzäöüßéèñçø—→")
        var line = ""
        for _ in 0..<80 { line.append(letters.randomElement(using: &numbers) ?? "x") }
        return line + "\r\n"
      },
    ]
  }

  private static func make(
    _ name: String, _ length: Int, _ piece: (inout SeededRandom) -> String
  ) -> BenchInput {
    var numbers = SeededRandom(seed: 1)
    var bytes: [UInt8] = []
    while bytes.count < length { bytes += piece(&numbers).utf8 }
    return BenchInput(name: name, bytes: bytes)
  }

  private static func word(_ numbers: inout SeededRandom) -> String {
    words.randomElement(using: &numbers) ?? ""
  }

  private static func sentence(_ numbers: inout SeededRandom, _ range: ClosedRange<Int>) -> String {
    let length = Int.random(in: range, using: &numbers)
    var text = word(&numbers)
    while text.utf8.count < length { text += " " + word(&numbers) }
    return String(text.prefix(length))
  }
}

/// A file that cannot be read.
struct FileError: Error {
  let path: String
}

func readFile(_ path: String) throws(FileError) -> [UInt8] {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(path: path) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var part = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe part.withUnsafeMutableBytes {
      unsafe read(descriptor, $0.baseAddress, $0.count)
    }
    guard count >= 0 else { throw FileError(path: path) }
    if count == 0 { return bytes }
    bytes += part[..<count]
  }
}
