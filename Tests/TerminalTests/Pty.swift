import Base
import Glibc
import Terminal

/// A pseudoterminal that a test holds both ends of.
struct Pty: ~Copyable {
  /// What a terminal emulator would hold: reads what is drawn, writes keys. Never blocks.
  let master: Descriptor
  /// What a program sees as its terminal.
  let slave: Descriptor
  let path: String

  init(rows: Int = 24, columns: Int = 80) throws {
    var ends: (Int32, Int32) = (-1, -1)
    guard unsafe openpty(&ends.0, &ends.1, nil, nil, nil) == 0 else {
      throw SystemError(call: "open", subject: "a pty", code: .init(rawValue: errno))
    }
    master = Descriptor(owning: ends.0)
    slave = Descriptor(owning: ends.1)
    for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(master.raw, F_SETFL, O_NONBLOCK)
    path = unsafe String(cString: ttyname(slave.raw))
    resize(rows: rows, columns: columns)
  }

  borrowing func resize(rows: Int, columns: Int, pixelWidth: Int = 0, pixelHeight: Int = 0) {
    var size = winsize(
      ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(pixelWidth),
      ws_ypixel: UInt16(pixelHeight))
    _ = unsafe ioctl(master.raw, UInt(TIOCSWINSZ), &size)
  }

  /// What the program has drawn and nobody has read yet.
  borrowing func drawn() -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe read(master.raw, &chunk, chunk.count)
      if count <= 0 { return all }
      all += chunk[..<count]
    }
  }

  borrowing func type(_ bytes: [UInt8]) {
    _ = unsafe write(master.raw, bytes, bytes.count)
  }

  /// The modes that are in force now, as bytes to compare.
  borrowing func modes() -> [UInt32] {
    var modes = termios()
    _ = unsafe tcgetattr(slave.raw, &modes)
    return [modes.c_iflag, modes.c_oflag, modes.c_cflag, modes.c_lflag, UInt32(modes.c_cc.6)]
  }
}

/// Whether `O_NONBLOCK` is set on a description.
func isNonblocking(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 }
