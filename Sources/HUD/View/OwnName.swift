/// The names of perfhud's own processes, in whose name no program may speak.
enum OwnName {
  private static let parts: Set<Substring> = ["", "-hud", "-holder", "-sampler"]

  /// Whether a name could be taken for perfhud's own. That of another program, `perfhud-demo`, could not.
  static func isLike(_ name: String) -> Bool {
    let name = name.lowercased()
    guard name.hasPrefix("perfhud") else { return false }
    let rest = name.dropFirst(7)
    return rest.first != "-" || parts.contains(rest)
  }
}
