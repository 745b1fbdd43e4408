import Sampler

// The words of values that are one of a few.

extension Absence {
  /// The reason, short enough to be shown in place of a value.
  package var word: Word {
    switch self {
    case .pending: .absentPending
    case .permission: .absentPermission
    case .unsupported: .absentUnsupported
    case .ended: .absentEnded
    case .kernelThread: .absentKernelThread
    case .tooCostly: .absentTooCostly
    case .notRequested: .absentNotRequested
    case .manyThreads: .absentManyThreads
    case .outdated: .absentOutdated
    case .noFrames: .absentNoFrames
    case .unclear: .absentUnclear
    }
  }
}

extension ProcessState {
  package var word: Word {
    switch self {
    case .running: .stateRunning
    case .sleeping: .stateSleeping
    case .diskSleep: .stateDiskSleep
    case .stopped: .stateStopped
    case .traced: .stateTraced
    case .zombie: .stateZombie
    case .dead: .stateDead
    case .idle, .parked: .stateIdle
    case .unknown: .absentPending
    }
  }
}

extension MemoryLimitSource {
  package var word: Word {
    switch self {
    case .physical: .physicalMemory
    case .cgroupMax: .cgroupMax
    case .cgroupHigh: .cgroupHigh
    case .addressSpace: .addressSpace
    }
  }
}
