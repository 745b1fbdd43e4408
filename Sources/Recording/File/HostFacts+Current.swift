import Glibc
import PerfHUDBase

extension HostFacts {
  /// Reads the facts of this machine. Source: `uname(2)`, `sysconf(3)`.
  ///
  /// - Parameter version: the version of perfhud.
  package static func current(version: String) -> HostFacts {
    var names = utsname()
    unsafe uname(&names)
    func text<Field>(_ field: Field) -> String {
      let bytes = unsafe withUnsafeBytes(of: field) { unsafe Array($0) }
      return SafeText.clean(bytes: bytes.prefix { $0 != 0 })
    }
    return HostFacts(
      kernel: "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))",
      processors: sysconf(Int32(_SC_NPROCESSORS_ONLN)), pageBytes: sysconf(Int32(_SC_PAGESIZE)),
      version: version)
  }
}
