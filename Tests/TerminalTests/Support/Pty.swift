import Glibc
import PerfHUDBase
import Terminal
import TestSupport

/// A pseudoterminal that a test holds both ends of.
struct Pty: ~Copyable {
  private let ends: PtyPair
  /// What a terminal emulator would hold: reads what is drawn, writes keys. Never blocks.
  var master: Descriptor { _read { yield ends.master } }
  /// What a program sees as its terminal.
  var slave: Descriptor { _read { yield ends.slave } }
  var path: String { ends.name }

  init(rows: Int = 24, columns: Int = 80) throws {
    ends = try PtyPair(columns: columns, rows: rows)
  }

  borrowing func resize(rows: Int, columns: Int, pixelWidth: Int = 0, pixelHeight: Int = 0) {
    ends.resize(columns: columns, rows: rows, pixelWidth: pixelWidth, pixelHeight: pixelHeight)
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
