import PerfHUDBase
import PerfHUDEvents
import Testing

@Suite struct EventTests {
  @Test func `a text that does not fit is cut between two characters`() {
    let text = InlineText<5>("abcé日")
    #expect(text.text == "abcé")
  }

  @Test func `an escape sequence in a text becomes a visible mark`() {
    #expect(Event.Name("a\u{1B}[2Jb").text == "a␛[2Jb")
  }

  @Test func `an event is plain bits of at most 320 bytes`() {
    #expect(MemoryLayout<Event>.size <= 320)
  }
}
