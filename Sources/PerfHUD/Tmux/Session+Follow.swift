import HUD
import PerfHUDBase
import Sampler

/// A full-screen view that follows the foreground job of another terminal.
extension Session {
  /// Shows the job until the process has ended.
  ///
  /// - Parameters:
  ///   - process: the leader of the other terminal's session, usually a shell.
  ///   - waiting: the process group in that terminal that waits for this view to close, if any.
  static func runFollowing(
    _ process: Int32, waiting: Int32?, _ request: Request, environment: Environment
  ) throws -> Int32 {
    try MissingMeans.check(startsCommand: false)
    let jobs = try TerminalJobs(of: process, waiting: waiting)
    let (header, sampler) = try attach(to: process, request, start: .now(), shell: process)
    let end = try runAttach(request, header, sampler, jobs: jobs, environment: environment)
    return status(end, header, sampler, request, environment)
  }
}
