struct DemoOptions {
  /// Each visit to the canvas keeps a layer.
  var leaks = false
  /// The number of visits to the canvas that the demo makes by itself before it ends; `nil` for no limit.
  var visits: Int?
  /// How many times faster than its normal pace it plays.
  var pace = 1.0
  /// The file in which it logs what it does, for comparison.
  var logPath: String?
  var wantsHelp = false

  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: some Sequence<String>) throws(Mistake) {
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--leak": leaks = true
      case "--help", "-h": wantsHelp = true
      case "--visits":
        guard let value = rest.popFirst().flatMap({ Int($0) }), value > 0 else {
          throw Mistake(description: "--visits wants a number from 1 on")
        }
        visits = value
      case "--pace":
        guard let value = rest.popFirst().flatMap({ Double($0) }), value >= 0.1, value <= 20 else {
          throw Mistake(description: "--pace wants a number from 0.1 to 20, such as 2")
        }
        pace = value
      case "--log":
        guard let value = rest.popFirst() else {
          throw Mistake(description: "--log wants the path of a file")
        }
        logPath = value
      default:
        throw Mistake(description: "unknown argument '\(argument)'; see perfhud-demo --help")
      }
    }
  }

  static let help = """
    perfhud-demo: a small drawing program, to be looked at with perfhud.

      perfhud -- perfhud-demo [--leak] [--visits N] [--pace N] [--log FILE]

      --leak      each visit to the canvas keeps a layer of 12 MiB
      --visits N  end after N visits to the canvas; without it, play for ever
      --pace N    play N times as fast (0.1 to 20)
      --log FILE  write down what it does: one line each, nanoseconds of the monotonic clock first

    It plays by itself. Keys: Enter opens a picture, the arrows choose one or move the pen,
    l leaks or not, q goes back and ends.

    """
}
