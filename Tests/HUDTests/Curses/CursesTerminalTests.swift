import Glibc
import PerfHUDBase
import Testing

@testable import HUD

/// Starting ncurses, and failing to.
@Suite struct CursesTerminalTests {
  @Test func `a start without descriptors to spare fails, and leaves none open`() async {
    await #expect(processExitsWith: .success) {
      // The three lowest free numbers: for the frame, the output and the keys.
      let starts = 20
      let free = (0..<3).map { _ in unsafe open("/dev/null", O_RDONLY) }
      for descriptor in free { close(descriptor) }
      for limit in free + [free[2] + Int32(starts)] {
        var most = rlimit(rlim_cur: rlim_t(limit), rlim_max: 4096)
        guard unsafe setrlimit(__rlimit_resource_t(UInt32(7)), &most) == 0 else { exit(2) }
        // Other threads of the test may take a number; a leak takes one each time.
        for _ in 0..<starts {
          let hasFailed: Bool
          do {
            _ = try CursesTerminal(term: "xterm", isUTF8: true)
            hasFailed = false
          } catch {
            hasFailed = true
          }
          guard hasFailed == (limit <= free[2]) else { exit(3) }
        }
        most.rlim_cur = 1024
        guard unsafe setrlimit(__rlimit_resource_t(UInt32(7)), &most) == 0 else { exit(4) }
        let next = unsafe open("/dev/null", O_RDONLY)
        close(next)
        guard next < free[0] + Int32(starts) else { exit(5) }
      }
    }
  }
}
