import Base
import HUD

/// Where the HUD lay when it was last moved over a program (`remember-place`): a line each, the newest
/// first, `corner size name`.
struct PlaceMemory: Equatable {
  struct Place: Equatable {
    var corner: Corner
    var size: HUDSize
  }

  private struct Entry: Equatable {
    var name: String
    var place: Place
  }

  private var entries: [Entry] = []

  /// So many programs are remembered.
  static let capacity = 200

  init() {}

  /// Takes the lines of a file; a line that is none is left out.
  init(text: String) {
    for line in text.split(whereSeparator: \.isNewline).prefix(PlaceMemory.capacity) {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let corner = Corner(rawValue: String(parts[0])),
        let size = HUDSize(text: String(parts[1]))
      else { continue }
      entries.append(Entry(name: String(parts[2]), place: Place(corner: corner, size: size)))
    }
  }

  /// The lines for the file.
  var text: String {
    entries.map { "\($0.place.corner.rawValue) \($0.place.size) \($0.name)\n" }.joined()
  }

  /// The place over a program; `nil` if the HUD was never moved over it.
  func place(of name: String) -> Place? { entries.first { $0.name == name }?.place }

  mutating func remember(_ place: Place, of name: String) {
    guard !name.isEmpty else { return }
    entries.removeAll { $0.name == name }
    entries.insert(Entry(name: name, place: place), at: 0)
    entries = Array(entries.prefix(PlaceMemory.capacity))
  }

  /// What a program is remembered by: the last part of its path, made harmless.
  static func name(of command: [UInt8]) -> String {
    let last = command.split(separator: UInt8(ascii: "/")).last ?? []
    return SafeText.clean(bytes: last, limit: 100)
  }

  // MARK: The file

  /// `perfhud/places` in `XDG_STATE_HOME`, else in ~/.local/state (XDG Base Directory Specification).
  /// `nil` without a home.
  static func path(environment: Environment) -> String? {
    if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") {
      return base + "/perfhud/places"
    }
    guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
    return home + "/.local/state/perfhud/places"
  }

  /// What is remembered; nothing if there is no file.
  static func load(environment: Environment) -> PlaceMemory {
    guard let path = path(environment: environment),
      let bytes = try? readFile(path, limit: 1 << 16)
    else { return PlaceMemory() }
    return PlaceMemory(text: String(decoding: bytes, as: UTF8.self))
  }

  /// Puts the file in the place of the old one in one step; makes its folder.
  func save(environment: Environment) throws(SystemError) {
    guard let path = PlaceMemory.path(environment: environment) else { return }
    try AtomicFile.write(Array(text.utf8), to: path)
  }
}
