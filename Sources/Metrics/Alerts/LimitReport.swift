import PerfHUDBase
import Sampler

/// What has happened at the memory limit in a run, in words.
package struct LimitReport: BitwiseCopyable, Sendable {
  /// How many processes the kernel has killed because memory ran out.
  package var killed: Double
  /// How often the use has come near the limit, and its share of it at the last time.
  package var timesNear: UInt32
  package var nearPercent: Double
  /// In bytes; `nil` if it is not known.
  package var limitBytes: Double?
  package var source: MemoryLimitSource

  package init(
    killed: Double = 0, timesNear: UInt32 = 0, nearPercent: Double = 0, limitBytes: Double?,
    source: MemoryLimitSource
  ) {
    self.killed = killed
    self.timesNear = timesNear
    self.nearPercent = nearPercent
    self.limitBytes = limitBytes
    self.source = source
  }

  /// `memory ran out, 1 killed (64.00 MiB, memory.max)`
  package func killedText(_ language: Language) -> String {
    text(.noticeOOMKill, killed, language)
  }

  /// `91 % of the limit in use (64.00 MiB, memory.max)`
  package func nearText(_ language: Language) -> String {
    text(.noticeNearLimit, nearPercent, language)
  }

  private func text(_ word: Word, _ value: Double, _ language: Language) -> String {
    var number = ShortText()
    number.append(value, decimals: 0)
    var bytes: [UInt8] = []
    bytes.append(word, language, value: number.description.utf8)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let limitBytes else { return text }
    let limit = NumberFormat.bytes(limitBytes).trimmed
    return "\(text) (\(limit), \(source.word.text(language)))"
  }
}
