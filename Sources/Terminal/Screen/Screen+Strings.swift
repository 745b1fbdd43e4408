/// What a screen has to know from strings: title, links, shell marks, images.
extension Screen {
  /// Executes a complete string.
  mutating func endString() {
    printed.clear()
    switch parser.stringKind {
    case .osc: endOperatingSystemCommand()
    case .dcs: endDeviceControl()
    case .apc:
      // A picture of the kitty protocol may move the cursor.
      if parser.stringByte(0) == UInt8(ascii: "G") { loseCursor() }
    case .sos, .pm: break
    }
  }

  mutating func loseCursor() {
    certainty.isCursorKnown = false
    updateFastPath()
  }

  /// The number of the command, and the index at which its text begins.
  var operatingSystemCommand: (number: Int, text: Int) {
    var number = 0
    var index = 0
    while index < min(parser.stringCount, 6) {
      let digit = parser.stringByte(index) &- 0x30
      if digit >= 10 { break }
      number = number * 10 + Int(digit)
      index += 1
    }
    guard index > 0, parser.stringByte(index) == 0x3B else { return (-1, parser.stringCount) }
    return (number, index + 1)
  }

  private mutating func endOperatingSystemCommand() {
    let (number, text) = operatingSystemCommand
    switch number {
    case 0, 2: setTitle(text)
    case 8: setLink(text)
    case 133: takeShellMark(at: text)
    case 1337 where parser.string(at: text, is: "File="),
      1337 where parser.string(at: text, is: "Multi"):
      loseCursor()
    default: break
    }
  }

  private mutating func setTitle(_ start: Int) {
    reported.titleCount = min(max(0, parser.stringCount - start), Screen.titleLimit)
    for index in 0..<reported.titleCount {
      reported.title[index] = parser.stringByte(start + index)
    }
    reported.titleChanges &+= 1
  }

  /// OSC 8: parameters, a semicolon, the address. An empty address ends the link.
  private mutating func setLink(_ start: Int) {
    certainty.isLinkUnknown = false
    updateFastPath()
    var separator = start
    while separator < parser.stringCount, parser.stringByte(separator) != 0x3B { separator += 1 }
    penState.isStale = true
    guard separator + 1 < parser.stringCount else {
      pen.link = 0
      return
    }
    let link = unsafe parser.stringBytes(from: start)
    if !parser.isStringCut {
      if let number = unsafe tables.links.number(of: link) {
        pen.link = number
        return
      }
      if collectLinks(), let number = unsafe tables.links.number(of: link) {
        pen.link = number
        return
      }
    }
    // The link cannot be kept, so it could not be restored either.
    pen.link = 0
    certainty.isLinkUnknown = true
    updateFastPath()
  }

  private mutating func collectLinks() -> Bool {
    guard tables.links.beginCollection() else { return false }
    for index in 0..<lines.count {
      let line = lines[index]
      for column in 0..<Int(line.used) { tables.links.mark(cells[line.start + column].link) }
    }
    for place in 0..<frames.redundant.picture.count {
      tables.links.mark(frames.redundant.picture[place].link)
    }
    for line in suspended?.lines ?? [] {
      for cell in line.cells { tables.links.mark(cell.link) }
    }
    tables.links.mark(pen.link)
    tables.links.endCollection()
    return true
  }

  private mutating func endDeviceControl() {
    switch (parser.prefix, parser.intermediates, parser.stringFinal) {
    case (0x3D, 0, UInt8(ascii: "s")):
      // The older form of a synchronized update.
      if parser.value(0) == 1 { modes.insert(.synchronizedUpdate) }
      if parser.value(0) == 2, isUpdating {
        modes.remove(.synchronizedUpdate)
        reported.updateEnds &+= 1
        noteFrameEnd()
      }
    default:
      guard isDrawnByString else { return }
      // The cells and the cursor may have changed.
      for row in 0..<rows { makeUnknown(row, 0, columns) }
      loseCursor()
    }
  }

  /// Whether the DCS that is being read may change cells or the cursor: sixels, ReGIS, a restored state (DECRSPS), a
  /// string for an outer terminal. All others only ask something, set something invisible, or are ignored.
  var isDrawnByString: Bool {
    switch (parser.prefix, parser.intermediates, parser.stringFinal) {
    case (0, 0, UInt8(ascii: "q")), (0, 0, UInt8(ascii: "p")), (0, 0, UInt8(ascii: "t")),
      (0, 0x24, UInt8(ascii: "t")):
      return true
    default: return parser.hasTooManyIntermediates
    }
  }
}
