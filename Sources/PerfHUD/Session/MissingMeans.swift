import CProcess
import Glibc
import PerfHUDBase
import Sampler

/// Something that perfhud needs but does not find, before anything is started: one line that says what to do.
///
/// A later failure would hang up the command.
struct MissingMeans: Error, CustomStringConvertible {
  let reason: String
  /// The next step for the user; empty if `reason` includes it.
  var advice = ""

  var description: String { advice.isEmpty ? reason : "\(reason); \(advice)" }

  /// The number of files that sampling may open at its start.
  private static let neededDescriptors = 48
  /// - Parameter startsCommand: whether a command will be started and measured.
  /// - Throws: `MissingMeans` if too few files can be opened, /proc cannot be read, or too few processes can be
  ///   started.
  static func check(startsCommand: Bool) throws(MissingMeans) {
    guard hasDescriptors() else {
      throw MissingMeans(
        reason: "too few files can be opened", advice: "raise the limit with: ulimit -n 1024")
    }
    do throws(SamplerError) {
      // Another process may be sampled through a /proc that does not contain this one.
      if startsCommand { _ = try ProcessFacts(pid: getpid()) }
    } catch {
      throw MissingMeans(reason: "\(error)")
    }
    guard (startsCommand ? perfhud_can_start_command() : perfhud_can_start(1)) == 0 else {
      throw MissingMeans(
        reason: "too few processes can be started",
        advice: "raise the limit: ulimit -u, or pids.max of the cgroup")
    }
  }

  /// Blocks signals in order to read them from a descriptor.
  static func signals(_ numbers: [Int32]) throws(MissingMeans) -> SignalDescriptor {
    do throws(SystemError) {
      return try SignalDescriptor(numbers)
    } catch {
      throw MissingMeans(reason: error.description)
    }
  }

  private static func hasDescriptors() -> Bool {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<neededDescriptors {
      let descriptor = unsafe open("/", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      opened.append(descriptor)
      if hasManyDescriptors(after: descriptor) { return true }
    }
    return true
  }

  /// Whether the limit leaves so much room that the test, which takes 0.5 ms, is not needed.
  ///
  /// - Parameter descriptor: the lowest free descriptor. Inherited ones may be above it, but hardly hundreds.
  private static func hasManyDescriptors(after descriptor: Int32) -> Bool {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      return false
    }
    return limit.rlim_cur >= UInt64(descriptor) + 512
  }
}
