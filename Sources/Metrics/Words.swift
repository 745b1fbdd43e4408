import Base
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
  case leaderHint
  // A figure stands in the place of `#`.
  case summaryPhase
  case summaryAction
  case summaryVisit
  case summaryVisits
  case summaryKept
  case summaryPeakFigure
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
  case settingASCII
  case settingAnimation
  case settingMouse
  case settingLanguage
  case settingTheme
  case settingCorner
  case settingSize
  case settingLeader
  case settingStepAside
  case settingRememberPlace
  case settingHidden
  case settingTree
  case settingPhaseFrom
  case settingPhasePattern
  case settingActionHigh
  case settingSummary
  case settingExitWithTarget
  case settingEvents
  case settingAlert
  case settingAlertBell
  case settingAlertCommand
  case verdictUnknownOne
  case verdictUnknown
  case verdictSteady
  case verdictReleased
  case verdictKept
  case verdictGrows
  case verdictUnknownShort
  case verdictGrowsShort
  case verdictAllocator
  case verdictHeld
  case verdictHeldShort
  case heardByOther
  case heardAbove
  case heardByNobody
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
  case helpScroll
  case log
  case logEmpty
  case logHint
  case logMark
  case searchPrompt
  case filterPrompt
  case loadingOut
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

  /// The text, in UTF-8.
  public func text(_ language: Language) -> StaticString {
    switch language {
    case .english: english
    case .japanese: japanese
    }
  }

  public var english: StaticString {
    switch self {
    case .cpu: "CPU"
    case .memory: "MEM"
    case .rss: "RSS"
    case .pss: "PSS"
    case .swap: "swap"
    case .limit: "limit"
    case .threads: "threads"
    case .faults: "faults/s"
    case .majorFaults: "major/s"
    case .reads: "read"
    case .writes: "write"
    case .wait: "cpu wait"
    case .hitches: "hitches"
    case .uptime: "up"
    case .peak: "peak"
    case .of: "of"
    case .cores: "cores"
    case .oneCore: "100% = 1 core"
    case .fullBar: "full bar"
    case .own: "perfhud"
    case .now: "now"
    case .paused: "PAUSED"
    case .idle: "idle"
    case .ended: "ENDED"
    case .quitHint: "q quit"
    case .helpHint: "? help"
    case .help: "keys"
    case .helpQuit: "quit"
    case .helpPause: "freeze the picture"
    case .helpFaster: "sample more often"
    case .helpSlower: "sample less often"
    case .helpGraph: "graph: braille, block, ASCII"
    case .helpScale: "CPU: one core or all"
    case .helpMark: "set a mark on the graph"
    case .helpReset: "reset the peaks"
    case .helpPSS: "read PSS now, at any cost"
    case .helpHelp: "this list"
    case .helpRedraw: "draw everything anew"
    case .helpSuspend: "stop; fg brings it back"
    case .helpClose: "any key closes"
    case .helpHide: "hide; leader key shows"
    case .helpCorner: "corner; arrows too"
    case .helpSize: "size: line to large"
    case .helpBack: "keys back to the program"
    case .waiting: "waiting for the first figures"
    case .provisional: "first figures"
    case .missed: "missed"
    case .kernelThread: "kernel thread"
    case .cpuFromStat: "other pid namespace: CPU in 10 ms ticks"
    case .physicalMemory: "RAM"
    case .cgroupMax: "memory.max"
    case .cgroupHigh: "memory.high"
    case .addressSpace: "RLIMIT_AS"
    case .stateRunning: "running"
    case .stateSleeping: "sleeping"
    case .stateDiskSleep: "disk sleep"
    case .stateStopped: "stopped"
    case .stateTraced: "traced"
    case .stateZombie: "zombie"
    case .stateDead: "dead"
    case .stateIdle: "idle"
    case .absentPending: "…"
    case .absentPermission: "not permitted"
    case .absentUnsupported: "not available"
    case .absentEnded: "ended"
    case .absentKernelThread: "kernel thread"
    case .absentTooCostly: "off above 300 MB"
    case .absentNotRequested: "off"
    case .interval: "every"
    case .least: "min"
    case .mean: "mean"
    case .greatest: "max"
    case .summaryExit: "exit"
    case .summarySignal: "signal"
    case .summaryWall: "wall"
    case .summaryCPU: "cpu"
    case .summaryUser: "user"
    case .summarySystem: "system"
    case .summaryOneCore: "of one core"
    case .summaryMemory: "memory"
    case .summaryPeak: "peak"
    case .summaryAtMost: "at most"
    case .summaryLargest: "largest process"
    case .summaryFrames: "frames"
    case .summaryEvents: "events"
    case .summaryLost: "lost"
    case .summaryBad: "not understood"
    case .output: "OUT"
    case .perFrame: "/frame"
    case .keyToFrame: "key"
    case .processes: "processes"
    case .others: "others"
    case .backHint: "Esc back"
    case .leaderHint: "for keys"
    case .summaryPhase: "phase"
    case .summaryAction: "action"
    case .summaryVisit: "# visit"
    case .summaryVisits: "# visits"
    case .summaryKept: "kept #"
    case .summaryPeakFigure: "peak #"
    case .summaryHighOnce: "HIGH once"
    case .summaryHighTimes: "HIGH # times"
    case .summaryMore: "# more"
    case .settings: "settings"
    case .helpSettings: "settings"
    case .helpAlerts: "show the alerts"
    case .alerts: "alerts"
    case .alertNone: "no rule; --alert sets one"
    case .alertRaised: "ALERT"
    case .alertOver: "over"
    case .alertQuiet: "quiet"
    case .alertWorst: "worst"
    case .settingsHint: "<> change  Enter type  S save  , keep  Esc undo"
    case .settingsHintShort: "<> S save Esc undo"
    case .settingPrompt: "new value: "
    case .settingsSaved: "saved to #"
    case .settingsUnchanged: "nothing to save"
    case .configTitle: "settings, one \"key = value\" a line"
    case .configHead: "Command line and PERFHUD_KEY go before it. Manual: man perfhud"
    case .settingNextStart: "from the next start"
    case .settingUnset: "not set"
    case .sourceStandard: "default"
    case .sourceFile: "file"
    case .sourceEnvironment: "environment"
    case .sourceCommandLine: "command line"
    case .sourceKeys: "changed here"
    case .settingInterval: "time between samples, in steps of 20 ms"
    case .settingTick: "rate of perfhud's own tick; 0 is off"
    case .settingMemory: "the memory figure that leads"
    case .settingGraph: "how graphs are drawn"
    case .settingASCII: "nothing but ASCII, and so English"
    case .settingAnimation: "the line below the tabs slides"
    case .settingMouse: "clicks and wheel in a HUD of its own"
    case .settingLanguage: "language; not set: of the locale"
    case .settingTheme: "colours"
    case .settingCorner: "corner of the HUD over a command"
    case .settingSize: "size of the HUD over a command"
    case .settingLeader: "key that gives the keys to the HUD"
    case .settingStepAside: "make way for a resting cursor"
    case .settingRememberPlace: "lie where keys last put it"
    case .settingHidden: "begin with the HUD hidden"
    case .settingTree: "count children too; not set: of a command"
    case .settingPhaseFrom: "where phases come from; not set: what tells most"
    case .settingPhasePattern: "lines of events that begin a phase"
    case .settingActionHigh: "rate above which an action is HIGH"
    case .settingSummary: "a summary at the end; not set: by the mode"
    case .settingExitWithTarget: "end when the process has ended"
    case .settingEvents: "a file that events are appended to"
    case .settingAlert: "rules that raise an alert"
    case .settingAlertBell: "ring the bell at an alert"
    case .settingAlertCommand: "run this at an alert"
    case .verdictUnknownOne: "needs 1 more visit"
    case .verdictUnknown: "needs # more visits"
    case .verdictSteady: "steady"
    case .verdictReleased: "released # %"
    case .verdictKept: "kept #"
    case .verdictGrows: "grows +# a visit"
    case .verdictUnknownShort: "needs # more"
    case .verdictGrowsShort: "grows +#"
    case .verdictAllocator: "allocator may hold it"
    case .verdictHeld: "allocator holds +#"
    case .verdictHeldShort: "held +#"
    case .heardByOther: "another perfhud hears this program"
    case .heardAbove: "the perfhud it runs under hears it"
    case .heardByNobody: "no place for a socket to hear it"
    case .helpMarks: "mark, job, slow frame"
    case .actionHigh: "HIGH"
    case .phases: "phases"
    case .actionsTitle: "actions"
    case .frames: "frames"
    case .slowFrames: "slow frames"
    case .unchangedCells: "unchanged"
    case .onePercentLow: "1% low"
    case .helpPhases: "show the phases"
    case .helpActions: "show the actions"
    case .helpFrames: "show frame times"
    case .helpProcesses: "processes; their threads"
    case .helpProcessOrder: "sort them; tree or flat"
    case .growth: "growth"
    case .treeView: "tree"
    case .helpLog: "show the log"
    case .helpFocus: "keys to the log"
    case .helpScroll: "j k scroll"
    case .log: "log"
    case .logEmpty: "nothing yet"
    case .logHint: "/ find  & filter  Esc back"
    case .logMark: "mark"
    case .searchPrompt: "find: "
    case .filterPrompt: "only with: "
    case .loadingOut: "Esc goes on without waiting"
    case .noAnswer: "no answer"
    case .restarted: "restarted"
    case .waitingFor: "waiting for"
    case .cgroup: "cgroup"
    case .throttled: "throttled"
    case .cpuPressure: "cpu pressure"
    case .memoryPressure: "mem pressure"
    case .ioPressure: "io pressure"
    case .majorFaultsLong: "major faults"
    case .voluntarySwitches: "switches"
    case .involuntarySwitches: "preempted"
    case .whySlow: "why slow"
    case .pressureFull: "full"
    case .helpWhySlow: "show why it is slow"
    case .slowWait: "ready to run, no core is free"
    case .slowThrottled: "the CPU quota holds it back"
    case .slowMemory: "tasks wait for memory"
    case .slowIO: "tasks wait for storage"
    case .slowCPU: "tasks wait for a core"
    case .slowMajorFaults: "pages come from storage"
    case .slowPreempted: "its cores are taken away"
    case .slowOwnWork: "nothing holds it back: its own work"
    case .slowNothing: "nothing holds it back"
    case .wholeMachine: "whole machine"
    case .noticeNearLimit: "# % of the limit in use"
    case .noticeMemoryHigh: "slowed down # times"
    case .noticeMemoryMax: "limit met # times"
    case .noticeOOMKill: "memory ran out, # killed"
    case .noticeNewest: "# match, the newest is shown"
    case .absentManyThreads: "over 256 threads"
    case .tabOverview: "Overview"
    case .tabMemory: "Memory"
    case .tabActions: "Actions"
    case .tabProcesses: "Processes"
    case .tabFrames: "Frames"
    case .helpTabs: "tab; left, right too"
    case .helpNextFocus: "keys to the next part"
    case .helpList: "keys to the list"
    case .helpZoom: "graph: closer, farther"
    case .helpLogScale: "graph: linear or log"
    case .helpBaseline: "graph: keep as baseline"
    case .hintTabs: "tabs"
    case .hintFocus: "Tab focus"
    case .hintPause: "space pause"
    case .hintCursor: "arrows cursor"
    case .hintZoom: "z Z zoom"
    case .hintFind: "/ find"
    case .hintFilter: "& filter"
    case .baseline: "baseline"
    case .logScale: "log"
    }
  }
}

extension Absence {
  /// The reason, short enough for the place of a figure.
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
