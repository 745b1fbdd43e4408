import HUD
import Testing

@testable import PerfHUD

@Suite struct PlaceMemoryTests {
  @Test func `the newest place of a program is remembered, in the form of the file`() {
    var memory = PlaceMemory()
    memory.remember(.init(corner: .bottomLeft, size: .small), of: "vim")
    memory.remember(.init(corner: .topLeft, size: HUDSize(text: "40x10")!), of: "my app")
    memory.remember(.init(corner: .topRight, size: .line), of: "vim")
    #expect(memory.text == "top-right line vim\ntop-left 40x10 my app\n")
    #expect(PlaceMemory(text: memory.text) == memory)
    #expect(memory.place(of: "vim") == .init(corner: .topRight, size: .line))
    #expect(memory.place(of: "less") == nil)
  }

  @Test func `lines that are none are left out`() {
    let memory = PlaceMemory(
      text: "top-right\nmiddle small vim\ntop-left huge vim\ntop-left small a b\n")
    #expect(memory.text == "top-left small a b\n")
  }

  @Test func `a program is remembered by the last part of its path, and cannot break a line`() {
    #expect(PlaceMemory.name(of: Array("/usr/bin/vim".utf8)) == "vim")
    #expect(PlaceMemory.name(of: Array("a\nb\u{1B}".utf8)) == "a␊b␛")
  }

  @Test func `200 programs are remembered`() {
    var memory = PlaceMemory()
    for number in 0..<300 {
      memory.remember(.init(corner: .topRight, size: .line), of: "p\(number)")
    }
    #expect(memory.text.split(separator: "\n").count == 200)
    #expect(memory.place(of: "p99") == nil)
    #expect(memory.place(of: "p100") != nil)
  }
}
