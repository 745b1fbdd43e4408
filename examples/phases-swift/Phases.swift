import Glibc
import PerfHUDClient

/// A program that reports what it does:
///
///     perfhud -- swift run example-phases
///
/// Each phase has its own CPU, memory and time in the HUD; what a phase keeps is shown after some visits. Without a
/// perfhud the calls do nothing.
@main
enum Phases {
  static func main() {
    var pictures: [[UInt8]] = []
    for visit in 1...3 {
      PerfHUD.phase("load", icon: "▤", color: .blue)
      for number in 1...4 {
        pictures.append([UInt8](repeating: UInt8(number), count: 2 << 20))
        PerfHUD.action("picture.load", detail: "visit \(visit), picture \(number)")
        PerfHUD.loading("pictures", progress: Double(number) / 4)
      }
      PerfHUD.loadingDone()

      PerfHUD.phase("edit", icon: "✎", color: .orange)
      var sum = 0
      for picture in pictures {
        for byte in picture { sum &+= Int(byte) }
        PerfHUD.frame()
      }
      PerfHUD.value("sum", Double(sum))

      PerfHUD.phase("close", color: .gray)
      // All but one: this phase keeps 2 MiB a visit, as the HUD will say.
      pictures.removeLast(3)
    }
    PerfHUD.toast("done, \(pictures.count) pictures are kept")
    PerfHUD.flush()
  }
}
