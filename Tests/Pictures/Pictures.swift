import PerfHUDBase
import SVG
import SystemPackage

/// Draws the pictures of the documents: fixed scenes from the tool's own screen model, without a terminal and without
/// a clock. `make screenshots` runs it.
///
///     perfhud-pictures Tests/Pictures/Screens docs/images
///
/// The same sources make the same bytes.
@main
enum Pictures {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      print("usage: perfhud-pictures RECORDINGS OUTPUT")
      return
    }
    let recordings = FilePath(arguments[1])
    let output = FilePath(arguments[2])
    for scene in Scene.all {
      let picture = try scene.draw(recordings)
      let text = ScreenSVG.text(
        picture, title: scene.title, description: scene.description, colors: scene.colors)
      try write(Array(text.utf8), to: output.appending("\(scene.name).svg"))
      print("\(scene.name).svg: \(text.utf8.count) bytes")
    }
    let cast = try DemoCast.bytes(recordings)
    try write(cast, to: output.appending("demo.cast"))
    print("demo.cast: \(cast.count) bytes")
  }
}
