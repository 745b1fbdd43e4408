import PerfHUDBase
import TestSupport

@testable import Terminal

/// A random stream, piece by piece, and the model to which each piece is fed.
struct OraclePlayer: ~Copyable {
  private(set) var screen: Screen
  private var stream: OracleStream
  private let isLeftOut: ([UInt8]) -> Bool
  private let first: [UInt8]
  /// The number of the operation that was played last; 0 is the picture with which the stream starts.
  private(set) var number = -1
  private var history: [String] = []

  /// Whether the stream copies cells, the sums of which xterm tells wrongly.
  var copies: Bool { stream.copies }

  /// - Parameters:
  ///   - start: is written before the first picture.
  ///   - isLeftOut: pieces that are not played; the stream goes on as if they had been.
  init(
    _ size: Size, quirks: TerminalQuirks, seed: Int, isPlain: Bool = true,
    hasRareModes: Bool = false,
    start: [UInt8] = [], isLeftOut: @escaping ([UInt8]) -> Bool = { _ in false }
  ) {
    var options = Screen.Options()
    options.quirks = quirks
    screen = Screen(size, options: options)
    stream = OracleStream(
      seed: seed, columns: size.columns, rows: size.rows, isPlain: isPlain,
      hasRareModes: hasRareModes)
    first = start + OracleStream.fill(columns: size.columns, rows: size.rows)
    self.isLeftOut = isLeftOut
  }

  /// Plays the next operation to the model.
  ///
  /// - Returns: the bytes that the terminal is to be given; none of what is left out.
  mutating func play() -> [UInt8] {
    number += 1
    let bytes = number == 0 ? first : stream.next(screen.modes)
    if number > 0 {
      if isLeftOut(bytes) { return [] }
      history.append(quote(bytes))
    }
    var index = 0
    while index < bytes.count { index = unsafe screen.feed(bytes.span.bytes, from: index).resume }
    return bytes
  }

  /// The last operations, in readable form.
  var recent: String {
    history.suffix(Overlay.number("PERFHUD_HISTORY") ?? 6).joined(separator: "\n  ")
  }

  /// Says that the two differ after what was played last.
  func report(_ difference: String) -> String {
    """
    after operation \(number) of those that end with
      \(recent)
    margins \(screen.margins), modes \(screen.modes.rawValue), cursor \(screen.cursor)
    \(difference)
    """
  }
}
