import PerfHUDBase
import PerfHUDEvents
import Testing

@Suite struct EventTests {
  @Test func `a text that does not fit is cut between two characters`() {
    let text = InlineText<5>("abcé日")
    #expect(text.text == "abcé")
  }

  @Test func `the text of a toast or of loading ends with an ellipsis where it is cut`() {
    let long = String(repeating: "é", count: 40)
    for kind in [Event.Kind.toast, .loading] {
      var event = Event(kind)
      event.setName("saved")
      #expect(event.name.text == "saved")
      event.setName(long)
      #expect(event.name.text == String(repeating: "é", count: 30) + "…")
    }
    var action = Event(.action)
    action.setName(long)
    #expect(action.name.text == String(repeating: "é", count: 32))
  }

  @Test func `an escape sequence in a text becomes a visible mark`() {
    #expect(Event.Name("a\u{1B}[2Jb").text == "a␛[2Jb")
  }

  @Test func `an event is plain bits of at most 320 bytes`() {
    #expect(MemoryLayout<Event>.size <= 320)
  }
}
