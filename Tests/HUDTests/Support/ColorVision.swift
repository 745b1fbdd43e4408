import Glibc
import Terminal

/// A kind of eye. Source of the matrices: Machado, Oliveira and Fernandes, "A Physiologically-based Model
/// for Simulation of Color Vision Deficiency", 2009, severity 1, for linear RGB.
enum ColorVision: CaseIterable {
  case normal, protanopia, deuteranopia, tritanopia

  fileprivate var matrix: [[Double]] {
    switch self {
    case .normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    case .protanopia:
      [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
      ]
    case .deuteranopia:
      [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
      ]
    case .tritanopia:
      [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
      ]
    }
  }
}

/// A color of sRGB, and what it comes to.
struct RGB: CustomStringConvertible {
  /// Linear, from 0 to 1.
  private let linear: [Double]

  init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
    linear = [red, green, blue].map { value in
      let part = Double(value) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
  }

  private init(linear: [Double]) { self.linear = linear.map { max(0, min(1, $0)) } }

  /// A direct color, or one of the 240 of xterm's palette that no user changes; `nil` for others.
  init?(_ color: Color) {
    guard let index = color.paletteIndex.map(Int.init) else {
      guard color.raw >> 24 == 3 else { return nil }
      self.init(UInt8(color.raw >> 16 & 255), UInt8(color.raw >> 8 & 255), UInt8(color.raw & 255))
      return
    }
    guard index >= 16 else { return nil }
    if index >= 232 {
      let gray = UInt8(8 + 10 * (index - 232))
      self.init(gray, gray, gray)
    } else {
      let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
      let place = index - 16
      self.init(levels[place / 36], levels[place / 6 % 6], levels[place % 6])
    }
  }

  var description: String { "\(linear)" }

  private var luminance: Double {
    0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }

  /// WCAG 2, from 1 to 21.
  func contrast(_ other: RGB) -> Double {
    let pair = [luminance, other.luminance].sorted()
    return (pair[1] + 0.05) / (pair[0] + 0.05)
  }

  func seen(_ vision: ColorVision) -> RGB {
    RGB(
      linear: vision.matrix.map { row in
        row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2]
      })
  }

  /// CIE 1976, white D65.
  var lab: Lab {
    let x = (0.4124 * linear[0] + 0.3576 * linear[1] + 0.1805 * linear[2]) / 0.95047
    let z = (0.0193 * linear[0] + 0.1192 * linear[1] + 0.9505 * linear[2]) / 1.08883
    func f(_ value: Double) -> Double {
      value > 0.008856 ? cbrt(value) : 7.787 * value + 16.0 / 116
    }
    let y = f(luminance)
    return Lab(l: 116 * y - 16, a: 500 * (f(x) - y), b: 200 * (y - f(z)))
  }
}

struct Lab {
  let l: Double
  let a: Double
  let b: Double

  func distance(_ other: Lab) -> Double {
    sqrt(pow(l - other.l, 2) + pow(a - other.a, 2) + pow(b - other.b, 2))
  }
}
