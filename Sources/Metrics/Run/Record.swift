import PerfHUDBase
import PerfHUDEvents
import Sampler

/// One timed fact. Everything that happens in a run is one of these, and all pass through one door:
/// `Run.apply`.
package enum Record: Sendable {
  case sample(Sample)
  /// Memory was read between two samples, because a phase had begun.
  case memory(MemorySample)
  /// A phase may have begun at this time, which is decided later: memory is read for it now.
  case phasePending(Instant)
  /// The processes or threads that a list shows, in the place of those before.
  case processes(ProcessTable)
  /// A frame ended at this time. `missed` frames were due since the one before and did not happen.
  case frame(Instant, FrameSource, missed: UInt32)
  /// A frame of the program under the overlay ended at this time, and may be several: they were too close to
  /// one another to be distinguished.
  case mergedFrame(Instant)
  /// A frame of the program under the overlay, a synchronized update, ended at this time.
  case updateFrame(Instant)
  /// The program under the overlay has written this number of bytes since the record of this kind before.
  case output(bytes: UInt64, Instant)
  /// The program under the overlay has written to this number of cells since the record of this kind before, and
  /// the second number of them showed the same in the frame before.
  case cells(written: UInt64, unchanged: UInt64, Instant)
  /// From a key to the frame of the program that has answered it, in nanoseconds.
  case answer(nanoseconds: Int64, Instant)
  /// A key went to the program beside an animation, and which frame has answered it is unclear.
  case unclearAnswer(Instant)
  /// The program has said something of itself; the time is the kernel's, of when it was sent.
  case event(Event, Instant)
  /// Whoever has said that the program loads is gone, or has not said so again for too long.
  case loadingEnded(Instant)
  /// The message that the program loads, of which nobody knew whose it is, is of this process group.
  case loadingGroup(Int32, Instant)
  /// A key went to the program at `since`, and nothing has come back for long. The next output ends it.
  case unansweredKey(since: Instant, Instant)
  /// The samples that follow are those of another target, which has been followed since this time.
  case target(TargetChange, Instant)
  /// The target runs another program, or calls itself otherwise.
  case program(ProgramChange, Instant)
  /// The user set a mark.
  case mark(Instant)
  /// The user reset the peaks.
  case peaksReset(Instant)
  /// The user chose another interval between samples, in nanoseconds.
  case interval(UInt64, Instant)
  /// perfhud was stopped and has been continued: nothing is known of the time before.
  case resumed(Instant)
  /// How busy the machine was at this time.
  case machine(MachineLoad, Instant)
  /// The wall clock was set; the new offset to the monotonic clock, in nanoseconds.
  case clock(offset: UInt64, Instant)
  /// This number of samples was lost in a full ring.
  case lost(UInt32, Instant)
  /// This number of events was sent and has not arrived, as their senders count them.
  case eventsLost(UInt32, Instant)
  /// From now on this listener receives the events of the program.
  case listener(EventListener, Instant)
  /// This number of lines of events was not understood, or came from another user.
  case eventsBad(UInt32, Instant)
}

/// Who receives the events of the program.
package enum EventListener: UInt8, BitwiseCopyable, Sendable, CaseIterable {
  /// This perfhud; also where the program has reported nothing so far, whoever would receive it.
  case here
  /// Another perfhud that shows the same process, and was there before.
  case otherHUD
  /// The perfhud below which the program was started.
  case hudAbove
  /// There is no place for a socket.
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
