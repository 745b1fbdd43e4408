import PerfHUDBase
import Synchronization

/// Requests that the thread has not taken yet.
struct PendingRequests: Sendable {
  var interval: UInt64?
  var policy: PSSPolicy?
  var group: ProcessGroup?
  /// The target number for samples of the group.
  var groupNumber: UInt32 = 0
  /// The list to read from now on, if the request has changed.
  var table: ProcessTableRequest??
  var readsPSS = false
  var readsMemory = false
  /// The process that reports phases, if the request has changed.
  var reporter: Int32?
  var readsEnd = false
  /// Whether the values include the descendants of the process, if that was requested.
  var countsChildren: Bool?
  /// Whether sampling pauses or goes on, if that was requested.
  var pauses: Bool?
  var stops = false
}

/// The state that the two threads share. The thread retains it, so it may outlive its owner.
final class SamplerState: Sendable {
  let ring = SampleRing()
  let tables = ProcessTableExchange()
  let arrived: EventDescriptor
  /// The number of waiting samples at which `arrived` is signaled.
  let samplesAWake = Atomic<Int>(1)
  let requested: EventDescriptor
  let pending = Mutex(PendingRequests())
  /// The requested read of memory.
  let memory = Mutex<MemorySample?>(nil)
  /// The sampler, until the thread takes it.
  let idle: Mutex<TargetSampler?>
  let options: SamplerOptions
  let isRetargeted: Bool
  let root: String

  init(
    sampler: consuming TargetSampler, options: SamplerOptions, isRetargeted: Bool, root: String
  ) throws(SystemError) {
    arrived = try EventDescriptor()
    requested = try EventDescriptor()
    idle = Mutex(consume sampler)
    self.options = options
    self.isRetargeted = isRetargeted
    self.root = root
  }

  func deliver(_ sample: Sample) {
    ring.push(sample)
    guard sample.hasEnded || ring.count >= samplesAWake.load(ordering: .relaxed) else { return }
    arrived.signal()
  }

  func deliver(_ sample: MemorySample) {
    memory.withLock { $0 = sample }
    arrived.signal()
  }

  /// Takes the requests that have arrived.
  func takeRequests() -> PendingRequests {
    requested.drain()
    return pending.withLock { pending in
      let taken = pending
      pending = PendingRequests()
      return taken
    }
  }
}
