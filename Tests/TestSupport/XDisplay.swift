import PerfHUDBase

/// An X server without a screen to look at, whose pixels are read from its memory.
///
/// It ends with this process, however that ends: a shell between them waits for the end of its input.
public final class XDisplay: @unchecked Sendable {
  // The values below never change, and `server` is kept, not used.
  private let server: RunningTool
  private let memory: Descriptor
  private let process: Int
  /// What a program finds as `DISPLAY`.
  public let name: String

  static let width = 640
  static let height = 420

  /// The server that all tests of this process share.
  public static func shared() throws(ToolError) -> XDisplay { try started.get() }

  private static let started: Result<XDisplay, ToolError> = {
    do throws(ToolError) {
      return .success(try XDisplay())
    } catch {
      return .failure(error)
    }
  }()

  private init() throws(ToolError) {
    server = try RunningTool([
      "sh", "-c",
      """
      trap : HUP INT TERM
      folder=$(mktemp -d) || exit 1
      echo "$folder"
      Xvfb -displayfd 1 -screen 0 \(XDisplay.width)x\(XDisplay.height)x24 -fbdir "$folder" \
        -nolisten tcp -noreset -nocursor & server=$!
      read -r end
      kill $server
      wait
      rm -rf "$folder"
      """,
    ])
    guard let folder = try server.readLine(deadline: 30),
      let number = try server.readLine(deadline: 30)
    else { throw ToolError("this test needs Xvfb (make deps-test): \(server.stderr)") }
    do {
      memory = try Descriptor(open: folder + "/Xvfb_screen0")
    } catch {
      throw ToolError("no screen of Xvfb: \(error)")
    }
    process = ProcessTable.tree(server.pid).first { $0.name == "Xvfb" }?.pid ?? 0
    name = ":\(number)"
  }

  /// Whether the server sleeps, with nothing left to draw.
  var isIdle: Bool { ProcessEntry(process)?.state == "S" }

  /// The pixels of the upper left part.
  ///
  /// Source: `-fbdir` of `Xvfb(1)`, a file of the format `XWDFile.h`.
  func pixels(width: Int, height: Int) throws(ToolError) -> Pixels {
    do {
      var header = [UInt8](repeating: 0, count: 80)
      _ = try unsafe header.withUnsafeMutableBytes { try unsafe memory.read(into: $0) }
      func field(_ index: Int) -> Int {
        header[4 * index..<4 * index + 4].reduce(0) { $0 << 8 | Int($1) }
      }
      let start = field(0) + field(19) * 12
      let stride = field(12)
      var bytes = [UInt8](repeating: 0, count: height * stride)
      let count = try unsafe bytes.withUnsafeMutableBytes {
        try unsafe memory.read(into: $0, at: Int64(start))
      }
      guard count == bytes.count else { throw ToolError("\(count) bytes of pixels") }
      return Pixels(width: width, height: height, stride: stride, bytes: bytes)
    } catch {
      throw ToolError("no pixels: \(error)")
    }
  }
}

/// A picture in 32 bits a pixel: blue, green, red and nothing.
public struct Pixels: Equatable, Sendable {
  public let width: Int
  public let height: Int
  let stride: Int
  let bytes: [UInt8]

  public static func == (a: Pixels, b: Pixels) -> Bool {
    a.width == b.width && a.height == b.height && a.stride == b.stride
      && a.bytes.isSame(as: b.bytes)
  }

  /// Writes it as a PNG.
  public func save(as path: String) throws(ToolError) {
    var text = Array("P6 \(width) \(height) 255\n".utf8)
    for row in 0..<height {
      for column in 0..<width {
        let at = row * stride + 4 * column
        text += [bytes[at + 2], bytes[at + 1], bytes[at]]
      }
    }
    let raw = path + ".ppm"
    try TestFile.write(text, to: raw)
    _ = try Tool.run(["convert", raw, path])
    TestFile.remove(raw)
  }
}
