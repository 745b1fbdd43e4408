import PerfHUDBase
import TestSupport
import Testing

@testable import Terminal

private enum Animation: CaseIterable {
  case box, counter, ball

  func frame(_ number: Int) -> String {
    switch self {
    case .box:
      let letter = Character(Unicode.Scalar(UInt8(0x61 + number % 26)))
      return (2...4).map { "CSI \($0);3H" + String(repeating: letter, count: 10) }.joined()
    case .counter: return "CSI 2;3Hframe \(number)"
    case .ball:
      let (old, new) = (number % 30, (number + 1) % 30)
      return "CSI \(2 + old % 5);\(3 + old)H CSI \(2 + new % 5);\(3 + new)Ho"
    }
  }
}

/// Which frame answers a key beside an animation.
@Suite struct AnswerMeterTests {
  /// A compositor over a screen of 40 columns and 12 rows, and the meter of its answers.
  private final class Rig {
    var compositor = Compositor(
      size: Size(rows: 12, columns: 40), options: Screen.Options(), styles: [.plain])
    var queue = OutputQueue()
    var answers = AnswerMeter()
    var frame = 0
    var now = Instant(nanoseconds: 1_000_000_000)

    func write(_ text: String) {
      let bytes = Array(text.replacing("CSI ", with: "\u{1B}[").utf8)
      unsafe compositor.space.copyBytes(from: bytes)
      compositor.pass(bytes.count, now: now, to: &queue)
      queue.removeAll()
    }

    /// A frame that ends this number of milliseconds after the previous one.
    func draw(_ text: String, after milliseconds: Double = 33) {
      now = now.advanced(bySeconds: milliseconds / 1000)
      write(text)
      compositor.noteFrameEnd()
      answers.noteFrame(at: now)
      answers.judge(at: now, &compositor)
      frame += 1
    }

    func key(after milliseconds: Double = 0) {
      now = now.advanced(bySeconds: milliseconds / 1000)
      answers.noteKey(at: now, &compositor)
    }

    /// Milliseconds from keys to their answers; -1 where it is unclear.
    func taken() -> [Int] {
      var all: [Int] = []
      answers.take { all.append($0.map { Int(Double($0) * 1e-6 + 0.5) } ?? -1) }
      return all
    }
  }

  @Test func `without an animation the next frame is the answer`() {
    let rig = Rig()
    rig.key()
    rig.draw("a", after: 20)
    #expect(rig.taken() == [20])
    rig.key(after: 2000)
    rig.key(after: 10)
    rig.draw("b", after: 30)
    #expect(rig.taken() == [40], "the first of two keys")
    rig.draw("c", after: 30)
    #expect(rig.taken() == [])
  }

  @Test func `a key that nothing answers for 5 s is none, and the next one counts`() {
    let rig = Rig()
    rig.key()
    rig.key(after: 6000)
    rig.draw("a", after: 3)
    #expect(rig.taken() == [3])
    rig.key()
    rig.draw("a", after: 5001)
    #expect(rig.taken() == [])
  }

  @Test(arguments: Animation.allCases, [1, 3, 21])
  fileprivate func `beside an animation the frame that changes other cells is the answer`(
    animation: Animation, frames: Int
  ) {
    let rig = Rig()
    for _ in 0..<30 { rig.draw(animation.frame(rig.frame)) }
    for number in 0..<4 {
      rig.key()
      for _ in 1..<frames { rig.draw(animation.frame(rig.frame)) }
      rig.draw(animation.frame(rig.frame) + "CSI 11;\(4 + 3 * number)Hkey")
      #expect(rig.taken() == [], "the frames after it may show that it is none")
      for _ in 0..<60 { rig.draw(animation.frame(rig.frame)) }
      #expect(rig.taken() == [33 * frames])
    }
  }

  @Test func `an answer may be a cursor that ends elsewhere, with the animation or for itself`() {
    let rig = Rig()
    func spin(_ frame: Int) -> String { "CSI sCSI 2;3H\(frame % 10)CSI u" }
    rig.draw("CSI 8;10H")
    for _ in 0..<30 { rig.draw(spin(rig.frame)) }
    rig.key()
    rig.draw(spin(rig.frame))
    rig.draw(spin(rig.frame) + "CSI C")
    for _ in 0..<12 { rig.draw(spin(rig.frame)) }
    #expect(rig.taken() == [66])
    rig.key()
    rig.draw(spin(rig.frame))
    rig.draw("CSI 1;1H", after: 10)
    rig.draw(spin(rig.frame) + "CSI 8;11H", after: 23)
    for _ in 0..<12 { rig.draw(spin(rig.frame)) }
    #expect(rig.taken() == [43])
  }

  @Test func `an answer that the animation hides is unclear, and no other frame is taken for it`() {
    let rig = Rig()
    for _ in 0..<30 { rig.draw(Animation.box.frame(rig.frame)) }
    rig.key()
    for _ in 0..<160 { rig.draw(Animation.box.frame(rig.frame)) }
    #expect(rig.taken() == [-1])
  }

  @Test func `where everything changes all the time each key is unclear`() {
    let rig = Rig()
    var random = SystemRandomNumberGenerator()
    func noise() -> String {
      "CSI H"
        + (0..<11).map { _ in
          String(
            (0..<39).map { _ in
              Character(Unicode.Scalar(UInt8.random(in: 0x61...0x7A, using: &random)))
            })
        }.joined(separator: "\r\n")
    }
    for _ in 0..<10 { rig.draw(noise()) }
    rig.key()
    for _ in 0..<155 { rig.draw(noise()) }
    #expect(rig.taken() == [-1])
  }

  @Test func `two frames that both can be the answer are unclear`() {
    let rig = Rig()
    for _ in 0..<30 { rig.draw(Animation.box.frame(rig.frame)) }
    rig.key()
    rig.draw(Animation.box.frame(rig.frame) + "CSI 9;3Hone")
    rig.draw(Animation.box.frame(rig.frame))
    rig.draw(Animation.box.frame(rig.frame) + "CSI 11;20Htwo")
    for _ in 0..<12 { rig.draw(Animation.box.frame(rig.frame)) }
    #expect(rig.taken() == [-1])
  }

  @Test func `what the animation changes now and then is learned after a key`() {
    let rig = Rig()
    func frame(_ number: Int) -> String {
      Animation.box.frame(number) + (number % 30 == 0 ? "CSI 7;30H\(number / 30 % 10)" : "")
    }
    for _ in 0..<61 { rig.draw(frame(rig.frame)) }
    rig.key()
    rig.draw(frame(rig.frame) + "CSI 11;3Hx")
    for _ in 0..<80 { rig.draw(frame(rig.frame)) }
    #expect(rig.taken() == [33])
    // The clock changes before the answer.
    while rig.frame % 30 != 25 { rig.draw(frame(rig.frame)) }
    rig.key()
    for _ in 0..<20 { rig.draw(frame(rig.frame)) }
    rig.draw(frame(rig.frame) + "CSI 11;9Hx")
    for _ in 0..<12 { rig.draw(frame(rig.frame)) }
    #expect(rig.taken() == [33 * 21])
  }

  @Test func `a key that comes while the answer is confirmed ends that with what is known`() {
    let rig = Rig()
    for _ in 0..<30 { rig.draw(Animation.box.frame(rig.frame)) }
    rig.key()
    rig.draw(Animation.box.frame(rig.frame) + "CSI 11;3Hx")
    for _ in 0..<4 { rig.draw(Animation.box.frame(rig.frame)) }
    rig.key()
    #expect(rig.taken() == [33])
    rig.draw(Animation.box.frame(rig.frame) + "CSI 11;9Hx")
    rig.draw(Animation.box.frame(rig.frame))
    rig.key()
    #expect(rig.taken() == [-1], "two frames are not enough to know the animation")
  }

  @Test func `an animation that has stopped hides nothing`() {
    let rig = Rig()
    for _ in 0..<30 { rig.draw(Animation.box.frame(rig.frame)) }
    for number in 0..<5 {
      rig.key(after: 130)
      rig.draw("CSI 11;\(4 + number)Hx", after: 10)
      #expect(rig.taken() == [10])
    }
  }

  @Test func `a program that draws nothing while it works out the answer`() {
    let rig = Rig()
    for _ in 0..<4 {
      for _ in 0..<30 { rig.draw(Animation.box.frame(rig.frame)) }
      rig.key(after: 30)
      rig.draw(Animation.box.frame(rig.frame), after: 3)
      rig.draw(Animation.box.frame(rig.frame) + "CSI 11;\(4 + rig.frame % 30)Hx", after: 697)
      for _ in 0..<12 { rig.draw(Animation.box.frame(rig.frame)) }
      #expect(rig.taken() == [700])
    }
  }

  @Test func `synchronized updates are frames one by one, also within one piece`() {
    let rig = Rig()
    func frame(_ number: Int, _ more: String = "") -> String {
      "CSI ?2026h" + Animation.box.frame(number) + more + "CSI ?2026l"
    }
    func draw(_ texts: [String]) {
      rig.now = rig.now.advanced(bySeconds: 0.033)
      rig.write(texts.joined())
      for age in (0..<texts.count).reversed() {
        rig.answers.noteFrame(at: rig.now.advanced(bySeconds: -0.004 * Double(age)))
      }
      rig.answers.judge(at: rig.now, &rig.compositor)
      rig.frame += texts.count
    }
    for _ in 0..<30 { draw([frame(rig.frame)]) }
    rig.key()
    draw([frame(rig.frame), frame(rig.frame + 1, "CSI 11;3Hx"), frame(rig.frame + 2)])
    for _ in 0..<12 { draw([frame(rig.frame)]) }
    #expect(rig.taken() == [29])
  }

  @Test func `another screen ends the search`() {
    let rig = Rig()
    for _ in 0..<30 { rig.draw(Animation.box.frame(rig.frame)) }
    rig.key()
    rig.draw("CSI ?1049h" + Animation.box.frame(rig.frame))
    for _ in 0..<12 { rig.draw(Animation.box.frame(rig.frame)) }
    #expect(rig.taken() == [-1])
  }
}
