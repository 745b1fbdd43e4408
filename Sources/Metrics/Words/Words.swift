import PerfHUDBase
import Sampler

/// A language of the HUD.
public enum Language: String, CaseIterable, Sendable {
  case english = "en"
  case japanese = "ja"

  /// The language that the locale names: `LC_ALL`, `LC_MESSAGES` or `LANG`, whether or not the locale
  /// can be loaded (POSIX.1-2017, 8.2).
  public init(locale: String?) {
    self = locale?.hasPrefix("ja") == true ? .japanese : .english
  }
}

/// Every word and sentence of the HUD.
public enum Word: UInt16, CaseIterable, Sendable {
  case cpu
  case memory
  case rss
  case pss
  case swap
  case limit
  case threads
  case faults
  case majorFaults
  case reads
  case writes
  case wait
  case hitches
  case uptime
  case peak
  case of
  case cores
  case oneCore
  case fullBar
  case own
  case now
  case paused
  case idle
  case ended
  case zombie
  case notReaped
  case quitHint
  case helpHint
  case help
  case helpQuit
  case helpPause
  case helpFaster
  case helpSlower
  case helpGraph
  case helpScale
  case helpMark
  case helpReset
  case helpPSS
  case helpHelp
  case helpRedraw
  case helpSuspend
  case helpClose
  case helpHide
  case helpCorner
  case helpSize
  case helpBack
  case waiting
  case provisional
  case missed
  case kernelThread
  case cpuFromStat
  case physicalMemory
  case cgroupMax
  case cgroupHigh
  case addressSpace
  case stateRunning
  case stateSleeping
  case stateDiskSleep
  case stateStopped
  case stateTraced
  case stateZombie
  case stateDead
  case stateIdle
  case absentPending
  case absentPermission
  case absentUnsupported
  case absentEnded
  case absentKernelThread
  case absentTooCostly
  case absentNotRequested
  case interval
  case least
  case mean
  case greatest
  case summaryExit
  case summarySignal
  case summaryWall
  case summaryCPU
  case summaryUser
  case summarySystem
  case summaryOneCore
  case summaryMemory
  case summaryPeak
  case summaryAtMost
  case summaryLargest
  case summaryFrames
  case summaryEvents
  case summaryLost
  case summaryBad
  case output
  case perFrame
  case keyToFrame
  case processes
  case others
  case backHint
  case prefixKeyHint
  // A value replaces `#`.
  case summaryPhase
  case summaryAction
  case summaryVisit
  case summaryVisits
  case summaryKept
  case summaryPeakBytes
  case summaryHighOnce
  case summaryHighTimes
  case summaryMore
  case settings
  case helpSettings
  case helpAlerts
  case alerts
  case alertNone
  case alertRaised
  case alertOver
  case alertQuiet
  case alertWorst
  case settingsHint
  case settingsHintShort
  case settingPrompt
  case settingParts
  case settingPartsHint
  case settingPartsHintShort
  case settingLastPart
  case settingsSaved
  case settingsUnchanged
  case configTitle
  case configHead
  case settingNextStart
  case settingUnset
  case sourceStandard
  case sourceFile
  case sourceEnvironment
  case sourceCommandLine
  case sourceKeys
  case settingInterval
  case settingTick
  case settingMemory
  case settingGraph
  case settingLayout
  case settingASCII
  case settingMouse
  case settingLanguage
  case settingTheme
  case settingCorner
  case settingSize
  case settingPrefixKey
  case settingStepAside
  case settingHidden
  case settingTree
  case settingPhaseFrom
  case settingPhasePattern
  case settingActionHigh
  case settingSummary
  case settingExitWithTarget
  case settingEvents
  case settingNoEvents
  case settingNoOSCEvents
  case settingAlert
  case settingAlertBell
  case settingAlertCommand
  case verdictUnknownOne
  case verdictUnknown
  case verdictSteady
  case verdictReleased
  case verdictKept
  case verdictKeeps
  case verdictOr
  case verdictOrAnother
  case verdictUnknownShort
  case verdictKeepsShort
  case verdictAllocator
  case verdictHeld
  case verdictHeldShort
  case eventsReceivedByOther
  case eventsReceivedAbove
  case eventsReceivedByNobody
  case helpMarks
  case actionHigh
  case phases
  case actionsTitle
  case frames
  case slowFrames
  case unchangedCells
  case onePercentLow
  case helpPhases
  case helpActions
  case helpFrames
  case helpProcesses
  case helpProcessOrder
  case growth
  case treeView
  case helpLog
  case helpFocus
  case helpFind
  case helpFilter
  case helpScroll
  case log
  case logEmpty
  case logHint
  case logMark
  case searchPrompt
  case filterPrompt
  case loadingOut
  case loadingAnyKey
  case noAnswer
  case restarted
  case waitingFor
  case cgroup
  case throttled
  case cpuPressure
  case memoryPressure
  case ioPressure
  case voluntarySwitches
  case involuntarySwitches
  case majorFaultsLong
  case whySlow
  case pressureFull
  case helpWhySlow
  case slowWait
  case slowThrottled
  case slowMemory
  case slowIO
  case slowCPU
  case slowMajorFaults
  case slowPreempted
  case slowOwnWork
  case slowNothing
  case wholeMachine
  case noticeNearLimit
  case noticeMemoryHigh
  case noticeMemoryMax
  case noticeOOMKill
  case noticeNewest
  case absentManyThreads
  case absentOutdated
  case absentNoFrames
  case absentUnclear
  case tabOverview
  case tabMemory
  case tabActions
  case tabProcesses
  case tabFrames
  case helpTabs
  case helpNextFocus
  case helpList
  case helpZoom
  case helpLogScale
  case helpBaseline
  case hintTabs
  case hintFocus
  case hintPause
  case hintCursor
  case hintZoom
  case hintFind
  case hintFilter
  case baseline
  case logScale
  case helpKeepFocus
  case noteInterval
  case noteLive
  case noteGraph
  case noteOneCore
  case noteAllCores
  case noteMark
  case notePeaks
  case notePSS
  case noteSorted
  case noteTree
  case noteFlat
  case noteZoom
  case noteLogScale
  case noteLinearScale
  case noteNoBaseline
  case noteCorner
  case noteSize

  /// The text, in UTF-8.
  public func text(_ language: Language) -> StaticString {
    switch language {
    case .english: english
    case .japanese: japanese
    }
  }
}

extension Absence {
  /// The reason, short enough to replace a value.
  public var word: Word {
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
  public var word: Word {
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
  public var word: Word {
    switch self {
    case .physical: .physicalMemory
    case .cgroupMax: .cgroupMax
    case .cgroupHigh: .cgroupHigh
    case .addressSpace: .addressSpace
    }
  }
}
