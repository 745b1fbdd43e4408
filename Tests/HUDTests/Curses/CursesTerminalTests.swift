import Glibc
import PerfHUDBase
import Testing

@testable import HUD

/// Starting ncurses, and failing to.
@Suite struct CursesTerminalTests {
  @Test func `a start without descriptors to spare fails, and leaves none open`() async {
    await #expect(processExitsWith: .success) {
      let starts = 20
      // For the frame, the output and the keys; 0 to 2 are too few.
      for spare in [0, 1, 2, starts] {
        let first = CursesTerminalTests.freeDescriptors(1)[0]
        for _ in 0..<starts {
          // Other threads of the test open and close descriptors of their own: then what is free is looked for again.
          let isAsExpected = (0..<50).contains { _ in
            let free = CursesTerminalTests.freeDescriptors(3)
            let limit = spare < 3 ? free[spare] : free[2] + Int32(starts)
            guard CursesTerminalTests.limitDescriptors(to: limit) else { exit(2) }
            let hasFailed = (try? CursesTerminal(term: "xterm", isUTF8: true)) == nil
            guard CursesTerminalTests.limitDescriptors(to: 1024) else { exit(4) }
            return hasFailed == (spare < 3)
          }
          guard isAsExpected else { exit(3) }
        }
        // Other threads may hold one; a leak takes one each time.
        guard CursesTerminalTests.freeDescriptors(1)[0] < first + Int32(starts) else { exit(5) }
      }
    }
  }

  /// The lowest numbers that the next descriptors get.
  private static func freeDescriptors(_ count: Int) -> [Int32] {
    let free = (0..<count).map { _ in unsafe open("/dev/null", O_RDONLY) }
    for descriptor in free { close(descriptor) }
    return free
  }

  /// Sets `RLIMIT_NOFILE`, 7 on Linux.
  private static func limitDescriptors(to count: Int32) -> Bool {
    var most = rlimit(rlim_cur: rlim_t(count), rlim_max: 4096)
    return unsafe setrlimit(__rlimit_resource_t(UInt32(7)), &most) == 0
  }
}
