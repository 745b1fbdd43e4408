import PerfHUDBase
import PerfHUDEvents
import Sampler

/// One timed fact. Everything that happens in a run is a record, and all records go through `Run.apply`.
package enum Record: Sendable {
  case sample(Sample)
  /// Memory was read between two samples, because a phase had begun.
  case memory(MemorySample)
  /// A phase may have begun at this time, which is decided later; memory is read for it now.
  case phasePending(Instant)
  /// The processes or threads that a list shows; replaces the previous ones.
  case processes(ProcessTable)
  case activity(Activity)
  /// The time from a key to the program's frame that answered it, in nanoseconds.
  case answer(nanoseconds: Int64, Instant)
  /// The program received a key while it showed an animation, so it is unclear which frame answered the key.
  case unclearAnswer(Instant)
  /// The program has reported something about itself; the time is when the kernel says it was sent.
  case event(Event, Instant)
  /// The process that reported loading is gone, or has not renewed its message in time.
  case loadingEnded(Instant)
  /// The loading message whose sender was unknown belongs to this process group.
  case loadingGroup(Int32, Instant)
  /// The program received a key at `since`, and has not responded for a long time. Its next output ends this.
  case unansweredKey(since: Instant, Instant)
  /// The samples that follow are of another target, which has been followed since this time.
  case target(TargetChange, Instant)
  /// The target executes another program, or has changed its name.
  case program(ProgramChange, Instant)
  /// The user set a mark.
  case mark(Instant)
  /// The user reset the peaks.
  case peaksReset(Instant)
  /// The user chose another interval between samples, in nanoseconds.
  case interval(UInt64, Instant)
  /// perfhud was stopped and has been continued; the time in between is unknown.
  case resumed(Instant)
  /// How busy the machine was at this time.
  case machine(MachineLoad, Instant)
  /// The wall clock was set; the new offset to the monotonic clock, in nanoseconds.
  case clock(offset: UInt64, Instant)
  /// This many events were sent but have not arrived, according to their senders.
  case eventsLost(UInt32, Instant)
  /// From now on this listener receives the events of the program.
  case listener(EventListener, Instant)
  /// This many event lines were not understood, or came from another user.
  case eventsBad(UInt32, Instant)
}

/// Who receives the events of the program.
package enum EventListener: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// This perfhud does. Also used while the program has reported nothing, whoever would receive it.
  case here
  /// Another perfhud that shows the same process, and was there before.
  case otherHUD
  /// The perfhud in whose terminal the program was started.
  case hudAbove
  /// There is no directory for a socket.
  case nobody

  /// Why no events are received here.
  package var word: Word? {
    switch self {
    case .here: nil
    case .otherHUD: .eventsReceivedByOther
    case .hudAbove: .eventsReceivedAbove
    case .nobody: .eventsReceivedByNobody
    }
  }
}
