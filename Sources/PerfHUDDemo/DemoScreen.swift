import Glibc

/// The demo's terminal: raw keys, the alternate screen, and pictures as bytes. None of this if standard output is not a
/// terminal.
@safe struct DemoScreen: ~Copyable {
  let isInteractive: Bool
  private var before = termios()
  private var rows = 24
  private var columns = 80
  private var isUTF8: Bool
  /// What the screen shows; `nil` if everything must be drawn.
  private var shown: Studio.Mode?
  private var shownPicture = -1
  private var bytes: [UInt8] = []

  init() {
    isInteractive = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
    let name = DemoScreen.locale.lowercased()
    isUTF8 = name.contains("utf-8") || name.contains("utf8")
    guard isInteractive else { return }
    unsafe tcgetattr(STDIN_FILENO, &before)
    var raw = before
    // The terminal still handles Ctrl-C and Ctrl-Z.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    text("\u{1B}[?1049h\u{1B}[?25l")
    resize()
  }

  private static var locale: String {
    for name in ["LC_ALL", "LC_CTYPE", "LANG"] {
      if let value = unsafe getenv(name), unsafe value.pointee != 0 {
        return unsafe String(cString: value)
      }
    }
    return ""
  }

  /// Restores the terminal.
  mutating func close() {
    guard isInteractive else { return }
    text("\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l")
    flush()
    unsafe tcsetattr(STDIN_FILENO, TCSANOW, &before)
  }

  /// Reads the size of the terminal again.
  mutating func resize() {
    var size = winsize()
    if unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 {
      rows = Int(size.ws_row)
      columns = Int(size.ws_col)
    }
    shown = nil
  }

  // MARK: Keys

  /// The keys pressed since the last call; `nil` if the terminal has gone.
  mutating func readKeys() -> [Studio.Key]? {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return [] }
    guard count > 0 else { return nil }
    var keys: [Studio.Key] = []
    var rest = buffer[..<count]
    while let byte = rest.popFirst() {
      if byte == 0x1B, rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") {
        rest.removeFirst()
        // Skip the parameters.
        while let next = rest.first, next < 0x40 { rest.removeFirst() }
        keys.append(DemoScreen.arrow(rest.popFirst()))
      } else {
        keys.append(DemoScreen.key(byte))
      }
    }
    return keys
  }

  private static func arrow(_ byte: UInt8?) -> Studio.Key {
    switch byte {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    default: .other
    }
  }

  private static func key(_ byte: UInt8) -> Studio.Key {
    switch byte {
    case 0x0A, 0x0D, 0x20: .open
    case 0x1B, 0x7F, 0x08: .back
    case UInt8(ascii: "q"): .quit
    case UInt8(ascii: "l"): .leak
    case UInt8(ascii: "k"): .up
    case UInt8(ascii: "j"): .down
    case UInt8(ascii: "h"): .left
    default: .other
    }
  }

  // MARK: Pictures

  /// Brings the screen up to date, as one frame.
  mutating func draw(_ studio: inout Studio) {
    let fresh = studio.takeFreshDots()
    guard isInteractive else { return }
    let isWhole = shown != studio.mode
    let isMoved = shownPicture != studio.picture
    guard isWhole || isMoved || !fresh.isEmpty || studio.hasNewStatus else { return }
    text("\u{1B}[?2026h")
    if isWhole { text("\u{1B}[0m\u{1B}[2J") }
    switch studio.mode {
    case .gallery: if isWhole || isMoved { drawGallery(studio) }
    case .canvas:
      for dot in isWhole ? studio.drawing.recent : fresh { put(dot) }
    }
    drawStatus(studio)
    text("\u{1B}[?2026l")
    flush()
    shown = studio.mode
    shownPicture = studio.picture
    studio.noteStatusShown()
  }

  private mutating func drawGallery(_ studio: borrowing Studio) {
    let across = columns >= 60 ? 3 : columns >= 38 ? 2 : 1
    let width = max(0, min(22, (columns - 2) / across - 1))
    let height = max(2, min(7, (rows - 3) / ((Studio.pictures.count + across - 1) / across) - 1))
    for (index, name) in Studio.pictures.enumerated() {
      let top = 1 + index / across * (height + 1)
      let left = 2 + index % across * (width + 2)
      guard top + height <= rows - 2 else { break }
      drawPicture(index, top: top, left: left, width: width, height: height)
      move(top + height - 1, left)
      let isChosen = index == studio.picture
      text(isChosen ? "\u{1B}[0;7m \(name) \u{1B}[0m" : "\u{1B}[0m \(name) ")
    }
  }

  /// Bands of color with a hill in the foreground: each picture has its own.
  private mutating func drawPicture(_ index: Int, top: Int, left: Int, width: Int, height: Int) {
    let skies: [[UInt8]] = [
      [153, 117, 81], [194, 157, 120], [189, 153, 147], [17, 18, 19], [223, 216, 215],
      [255, 254, 253],
    ]
    let grounds: [UInt8] = [24, 28, 95, 16, 131, 250]
    for row in 0..<max(0, height - 1) {
      move(top + row, left)
      for column in 0..<width {
        let hill = Double(height) * (0.55 - 0.3 * sin(Double(column + index * 5) * 0.35))
        let isGround = Double(row) > hill
        let sky = skies[index][min(2, row * 3 / max(1, height - 1))]
        setColor(isGround ? grounds[index] : sky, isBackground: !isUTF8)
        text(isUTF8 ? "█" : " ")
      }
    }
    text("\u{1B}[0m")
  }

  private mutating func put(_ dot: Drawing.Dot) {
    let height = max(1, rows - 1)
    let row = min(height - 1, Int(dot.y * Double(height)))
    move(row, max(0, min(columns - 2, Int(dot.x * Double(columns)))))
    setColor(dot.color, isBackground: false)
    text(isUTF8 ? "█" : "#")
  }

  private mutating func drawStatus(_ studio: borrowing Studio) {
    let mode = studio.mode == .gallery ? "gallery" : "canvas: \(Studio.pictures[studio.picture])"
    let keys =
      studio.mode == .gallery ? "Enter opens, q ends" : "arrows draw, q goes back"
    let leak = studio.leaks ? ", leaks" : ""
    let line =
      " \(mode)  \(studio.mebibytes) MiB\(leak)  frames \(studio.frames)  \(keys), l leaks"
    move(rows - 1, 0)
    text("\u{1B}[0m\(line.prefix(max(0, columns - 1)))\u{1B}[K")
  }

  // MARK: Bytes

  private mutating func text(_ text: String) { bytes += Array(text.utf8) }

  private mutating func move(_ row: Int, _ column: Int) {
    text("\u{1B}[\(row + 1);\(column + 1)H")
  }

  private mutating func setColor(_ color: UInt8, isBackground: Bool) {
    text("\u{1B}[\(isBackground ? 48 : 38);5;\(color)m")
  }

  private mutating func flush() {
    FileDescriptorText.write(bytes, to: STDOUT_FILENO)
    bytes.removeAll(keepingCapacity: true)
  }
}
