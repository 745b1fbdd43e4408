/// The corner of the screen that contains the HUD.
package enum Corner: String, CaseIterable, Sendable {
  case topRight = "top-right"
  case topLeft = "top-left"
  case bottomRight = "bottom-right"
  case bottomLeft = "bottom-left"

  var isTop: Bool { self == .topRight || self == .topLeft }
  var isLeft: Bool { self == .topLeft || self == .bottomLeft }

  init(isTop: Bool, isLeft: Bool) {
    self = isTop ? isLeft ? .topLeft : .topRight : isLeft ? .bottomLeft : .bottomRight
  }
}

/// How a key moves the HUD from one corner to another.
package enum CornerStep: Equatable, Sendable {
  case to(Corner)
  case up, down, left, right

  package func applied(to corner: Corner) -> Corner {
    switch self {
    case .to(let corner): corner
    case .up: Corner(isTop: true, isLeft: corner.isLeft)
    case .down: Corner(isTop: false, isLeft: corner.isLeft)
    case .left: Corner(isTop: corner.isTop, isLeft: true)
    case .right: Corner(isTop: corner.isTop, isLeft: false)
    }
  }
}
