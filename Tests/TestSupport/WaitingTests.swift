import Glibc
import Synchronization
import Testing

/// Tests that mostly wait for other programs: they run on threads of their own, more than there are processors,
/// so that the waits overlap.
///
/// Tests run on the threads of Swift's concurrency otherwise, of which there is one a processor, and a test
/// that waits keeps its thread.
public struct WaitingTests: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == WaitingTests {
  public static var waiting: WaitingTests { WaitingTests() }
}

/// So many threads that take jobs in turn; as long as one runs a test, it takes no other.
private final class WaitingThreads: TaskExecutor {
  static let shared = WaitingThreads(count: 3 * max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  private let jobs = Mutex<[UnownedJob]>([])
  private let available = WakeUps()

  private init(count: Int) {
    for _ in 0..<count {
      var thread = pthread_t()
      let argument = unsafe Unmanaged.passRetained(self).toOpaque()
      let code = unsafe pthread_create(
        &thread, nil,
        { argument in
          guard let argument = unsafe argument else { return nil }
          unsafe Unmanaged<WaitingThreads>.fromOpaque(argument).takeRetainedValue().run()
        }, argument)
      precondition(code == 0, "no thread")
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    available.post()
  }

  private func run() -> Never {
    while true {
      available.wait()
      let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      unsafe job?.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}

/// A count of wake-ups. Source: `sem_overview(7)`.
@safe private final class WakeUps: @unchecked Sendable {
  private let semaphore: UnsafeMutablePointer<sem_t>

  init() {
    unsafe semaphore = .allocate(capacity: 1)
    unsafe semaphore.initialize(to: sem_t())
    unsafe sem_init(semaphore, 0, 0)
  }

  deinit {
    unsafe sem_destroy(semaphore)
    unsafe semaphore.deallocate()
  }

  func post() { unsafe sem_post(semaphore) }

  func wait() { while unsafe sem_wait(semaphore) != 0 {} }
}
