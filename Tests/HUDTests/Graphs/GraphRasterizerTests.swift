import Metrics
import PerfHUDBase
import Terminal
import TestSupport
import Testing

@testable import HUD

@Suite struct GraphRasterizerTests {
  @Test func `a braille cell is filled from the bottom, each half by itself`() {
    let heights: [(Int, Int, Unicode.Scalar)] = [
      (0, 0, " "), (1, 0, "⡀"), (2, 0, "⡄"), (3, 0, "⡆"), (4, 0, "⡇"), (0, 1, "⢀"), (0, 4, "⢸"),
      (1, 1, "⣀"), (2, 4, "⣼"), (4, 4, "⣿"), (9, 9, "⣿"), (-3, 5, "⢸"),
    ]
    for (left, right, glyph) in heights {
      #expect(GraphRasterizer.glyph(left: left, right: right, style: .braille) == glyph)
    }
    let all = (0...4).flatMap { left in
      (0...4).map { GraphRasterizer.glyph(left: left, right: $0, style: .braille) }
    }
    #expect(Set(all).count == 25)
  }

  @Test func `block and ASCII cells show the greater half`() {
    let blocks = (0...8).map { GraphRasterizer.glyph(left: $0, right: 0, style: .block) }
    #expect(blocks == [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"])
    #expect(GraphRasterizer.glyph(left: 1, right: 3, style: .block) == "▃")
    let signs = (-1...4).map { GraphRasterizer.glyph(left: $0, right: $0, style: .ascii) }
    #expect(signs == [" ", " ", ".", ":", "#", "#"])
  }

  @Test(arguments: GraphStyle.allCases)
  func `little shows as a step, nothing as none, all as all`(style: GraphStyle) {
    let axis = Axis(low: 0, high: 100)
    func steps(_ value: Float) -> Int {
      GraphRasterizer.steps(value, axis: axis, rows: 5, style: style)
    }
    let full = 5 * style.stepsPerCell
    #expect(steps(0) == 0)
    #expect(steps(0.001) == 1)
    #expect(steps(50) == Int((Double(full) / 2).rounded()))
    #expect(steps(100) == full)
    #expect(steps(1e30) == full)
    #expect(steps(.infinity) == full)
  }

  @Test func `a value at the lower end of an axis that does not begin at 0 shows nothing`() {
    let axis = Axis(low: 100, high: 200)
    #expect(GraphRasterizer.steps(100, axis: axis, rows: 4, style: .braille) == 0)
    #expect(GraphRasterizer.steps(90, axis: axis, rows: 4, style: .braille) == 0)
    #expect(GraphRasterizer.steps(101, axis: axis, rows: 4, style: .braille) == 1)
  }
}

@Suite struct AxisTests {
  @Test func `an axis of bytes contains its values between round ends`() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<5000 {
      let greatest = (1 + Double.random(in: 0...1, using: &random)) * power(2, 0...40, &random)
      let least = greatest * Double.random(in: 0...1, using: &random)
      let axis = Axis.bytes(from: least, to: greatest)
      #expect(axis.low >= 0 && axis.low <= least && greatest <= axis.high * 1.02)
      let span = axis.high - axis.low
      #expect(axis.low > 0 || greatest >= 0.65 * axis.high || axis.high <= 4096)
      let unit = power(of: 2, notAbove: span / 16)
      #expect((axis.low / unit).rounded() * unit == axis.low)
      #expect((axis.high / unit).rounded() * unit == axis.high)
      #expect(axis.low == 0 || axis.low >= greatest / 4, "it begins at 0 or far above")
    }
  }

  @Test(
    arguments: [(60, 64), (64, 64), (65, 64), (66, 96), (79, 96), (90, 96), (100, 128), (128, 128)]
      as [(Double, Double)])
  func `an axis ends at the round number next to the greatest value`(
    greatest: Double, end: Double
  ) {
    let mebibyte = 1_048_576.0
    let axis = Axis.bytes(from: 0, to: greatest * mebibyte)
    #expect(axis == Axis(low: 0, high: end * mebibyte))
  }

  @Test(
    arguments: [
      (0, 4), (3, 4), (4.2, 6), (7, 8), (9, 10), (13, 20), (20.4, 20), (21, 40), (29, 40), (47, 60),
      (64, 80), (89, 100), (105, 100), (110, 150), (160, 200), (199, 200), (244, 300),
      (390, 400), (450, 600), (1540, 1500), (1e9, 1e9),
    ] as [(Double, Double)])
  func `an axis of CPU ends at a round number near the greatest value, and so does its half`(
    greatest: Double, end: Double
  ) {
    let axis = Axis.cpu(to: greatest)
    if greatest < 1e6 { #expect(axis.high == end) }
    #expect(axis.low == 0 && axis.high * 1.05 >= greatest && axis.high <= max(10, greatest * 2))
    #expect((axis.high / 2).rounded() == axis.high / 2)
  }

  @Test(arguments: 1...40)
  func `labels of an axis are round, and as far apart as their values`(rows: Int) {
    for greatest in [3, 9, 19, 33, 55, 99, 140, 290, 700.0] {
      let axis = Axis.cpu(to: greatest)
      let parts = axis.labeledParts(rows: rows) { $0 == $0.rounded() }
      #expect((1...4).contains(parts))
      #expect((rows - 1) % parts == 0 || rows >= Axis.highRows)
      for part in 0...parts {
        let value = axis.value(atPart: part, of: parts)
        #expect(value == value.rounded())
      }
    }
    // A quarter of 10 % has a decimal, half of it has none.
    #expect(Axis.cpu(to: 9).labeledParts(rows: 13) { $0 == $0.rounded() } == 2)
    #expect(Axis.cpu(to: 99).labeledParts(rows: 13) { $0 == $0.rounded() } == 4)
    #expect(Axis.cpu(to: 150).labeledParts(rows: 38) { $0 == $0.rounded() } == 3)
    #expect(Axis.cpu(to: 150).labeledParts(rows: 13) { $0 == $0.rounded() } == 3)
    #expect(Axis.cpu(to: 150).labeledParts(rows: 11) { $0 == $0.rounded() } == 2)
    #expect(Axis.cpu(to: 99).labeledParts(rows: 8) { $0 == $0.rounded() } == 1)
    #expect(Axis.cpu(to: 99).labeledParts(rows: 38) { $0 == $0.rounded() } == 4)
  }

  @Test(arguments: [(100, true), (99.5, true), (98.5, false), (90, false), (85, true), (0, true)])
  func `an axis of bytes begins at 0, unless values differ by 1 percent to an eighth`(
    least: Double, isFromZero: Bool
  ) {
    let mebibyte = 1_048_576.0
    #expect(
      (Axis.bytes(from: least * mebibyte, to: 100 * mebibyte).low == 0) == isFromZero)
  }

  @Test func `an axis of memory does not alternate while values swing`() {
    var axes = GraphAxes()
    var seconds = 0.0
    func begin(least: Double) -> Double {
      seconds += 1
      var extent = Extent(Float(100 << 20))
      extent.merge(Extent(Float(least / 100 * Double(100 << 20))))
      axes.update(
        now: MadeUpProcess.time(seconds), cpu: Extent(10), memory: extent, limit: .infinity,
        isLog: false)
      return axes.memory.low
    }
    #expect(begin(least: 100) == 0)
    #expect(begin(least: 99.2) == 0)
    #expect(begin(least: 98.8) > 0, "slow growth is visible")
    #expect(begin(least: 99.2) > 0)
    #expect(begin(least: 99.6) == 0)
    #expect(begin(least: 92) == 0)
    #expect(begin(least: 94) > 0)
    #expect(begin(least: 89) > 0)
    #expect(begin(least: 70) == 0)
  }

  @Test(arguments: [(199.0, 200.0), (217, 200), (250, 200), (260, 300)])
  func `an axis of CPU ends at all processors, also where a child's end exceeds them`(
    greatest: Float, end: Double
  ) {
    func high(_ greatest: Float, processors: Double, after first: Float? = nil) -> Double {
      var axes = GraphAxes()
      for (seconds, value) in [first, greatest].compactMap(\.self).enumerated() {
        axes.update(
          now: MadeUpProcess.time(Double(seconds)), cpu: Extent(value), memory: Extent(1),
          limit: .infinity, processors: processors, isLog: false)
      }
      return axes.cpu.high
    }
    #expect(high(greatest, processors: 2) == end)
    #expect(high(greatest, processors: 2, after: 190) == end)
    #expect(high(217, processors: 4) == 300 && high(217, processors: .infinity) == 300)
  }

  @Test func `all zero is an axis too`() {
    let axis = Axis.bytes(from: 0, to: 0)
    #expect(axis.low == 0 && axis.high >= 1024)
  }

  @Test func `the labels of an axis are its values`() throws {
    var random = SeededRandom(seed: 4)
    for _ in 0..<5000 {
      let greatest = (1 + Double.random(in: 0...1, using: &random)) * power(2, 12...38, &random)
      let least = greatest * Double.random(in: 0...1, using: &random)
      let axis = Axis.bytes(from: least, to: greatest)
      let span = axis.high - axis.low
      for part in 0...4 {
        let value = axis.low + span * Double(part) / 4
        let label = NumberFormat.axis(value).description
        #expect(label.count <= 5)
        #expect((try bytes(label) - value).magnitude <= span / 7, "\(label) for \(value)")
      }
    }
  }

  @Test func `the memory axis stays while values move in it and follows when they leave it`() {
    var process = MadeUpProcess()
    process.change = { $0.anonymousBytes = .value(100 << 20) }
    process.pass(seconds: 5)
    var hud = screen(80, 24, process.run)
    let first = hud.state.axes.memory
    func draw(_ mebibytes: Double) -> Axis {
      process.change = { $0.anonymousBytes = .value(UInt64(mebibytes * 1_048_576)) }
      process.pass(seconds: 1)
      hud.invalidateAll()
      hud.draw(process.run, now: process.now)
      return hud.state.axes.memory
    }
    #expect(draw(100.3) == first)
    #expect(draw(100) == first)
    let grown = draw(200)
    #expect(grown.high >= Double(200 << 20) && grown != first)
    #expect(draw(120) == grown, "the peak is still in the picture")
  }

  private func power(
    _ base: Double, _ exponents: ClosedRange<Int>, _ random: inout SeededRandom
  ) -> Double {
    (0..<Int.random(in: exponents, using: &random)).reduce(1.0) { result, _ in result * base }
  }

  private func power(of base: Double, notAbove value: Double) -> Double {
    var result = 1.0
    while result * base <= value { result *= base }
    return result
  }

  private func bytes(_ label: String) throws -> Double {
    if label == "0" { return 0 }
    let unit = try #require(["B", "K", "M", "G", "T"].firstIndex(of: String(label.suffix(1))))
    return try #require(Double(label.dropLast())) * power(of: 2, notAbove: Double(1 << (10 * unit)))
  }
}
