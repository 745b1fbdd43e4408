import Glibc
import PerfHUDBase
import SystemPackage
import Testing

@Suite struct PollerTests {
  @Test func `a deadline that has passed returns at once with nothing ready`() throws {
    let wakeUp = try EventDescriptor()
    var poller = Poller()
    let slot = poller.add(wakeUp.raw)
    let now = Instant.now()
    poller.wait(until: now.advanced(bySeconds: -5), now: now)
    let isReady = poller.isReady(slot)
    #expect(!isReady)
  }

  @Test func `a sleep ends with nothing ready, and not before its deadline`() throws {
    let wakeUp = try EventDescriptor()
    var poller = Poller()
    let slot = poller.add(wakeUp.raw)
    // A signal would end the sleep early.
    var all = sigset_t()
    var before = sigset_t()
    unsafe sigfillset(&all)
    unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
    let start = Instant.now()
    let deadline = start.advanced(byNanoseconds: 20_000_000)
    let hasReady = poller.wait(until: deadline, now: start)
    let end = Instant.now()
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    #expect(!hasReady)
    #expect(end >= deadline)
    let isReady = poller.isReady(slot)
    #expect(!isReady)
  }

  @Test func `only what was signalled is ready, until it is drained`() throws {
    let first = try EventDescriptor()
    let second = try EventDescriptor()
    var poller = Poller()
    let firstSlot = poller.add(first.raw)
    let secondSlot = poller.add(second.raw)
    second.signal()
    second.signal()
    poller.wait(until: nil, now: Instant.now())
    var ready = (poller.isReady(firstSlot), poller.isReady(secondSlot))
    #expect(ready == (false, true))
    let events = poller.events(secondSlot)
    #expect(events == Int32(POLLIN))
    second.drain()
    let now = Instant.now()
    poller.wait(until: now, now: now)
    ready = (poller.isReady(firstSlot), poller.isReady(secondSlot))
    #expect(ready == (false, false))
  }

  @Test func `a slot can be taken out and filled again`() throws {
    let wakeUp = try EventDescriptor()
    var poller = Poller()
    let slot = poller.add(wakeUp.raw)
    wakeUp.signal()
    poller.replace(nil, slot: slot)
    let now = Instant.now()
    poller.wait(until: now, now: now)
    var isReady = poller.isReady(slot)
    #expect(!isReady)
    poller.replace(wakeUp.raw, slot: slot)
    poller.wait(until: nil, now: now)
    isReady = poller.isReady(slot)
    #expect(isReady)
  }

  @Test func `a slot without events still tells of a hang-up`() throws {
    // A child of another test must not keep the end that is closed.
    let ends = try FileDescriptor.pipe(options: .closeOnExec)
    let reading = Descriptor(owning: ends.readEnd.rawValue)
    var poller = Poller()
    let slot = poller.add(reading.raw, events: 0)
    try ends.writeEnd.close()
    poller.wait(until: Instant.now().advanced(bySeconds: 10), now: Instant.now())
    let events = poller.events(slot)
    #expect(events & Int32(POLLHUP) != 0)
  }
}

@Suite struct SignalDescriptorTests {
  @Test func `a blocked signal is read instead of ending the process`() throws {
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &before)
    let signals = try SignalDescriptor([SIGUSR1, SIGUSR2])
    #expect(signals.next() == nil)
    // To this thread alone: the others of the test have not blocked it.
    raise(SIGUSR2)
    raise(SIGUSR1)
    raise(SIGUSR1)
    let found = [signals.next(), signals.next(), signals.next()]
    #expect(Set(found) == [SIGUSR1, SIGUSR2, nil])
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}

@Suite struct InstantTests {
  @Test func `differences have a sign, and offsets go both ways`() {
    let early = Instant(nanoseconds: 1_000_000_000)
    let late = early.advanced(bySeconds: 1.5)
    #expect(late.nanoseconds == 2_500_000_000)
    #expect(late.nanoseconds(since: early) == 1_500_000_000)
    #expect(early.seconds(since: late) == -1.5)
    #expect(late.advanced(byNanoseconds: -1_500_000_000) == early)
    #expect(early < late)
  }

  @Test func `the clock does not go back, and a clock that does not exist is nil`() {
    let first = Instant.now()
    #expect(first.nanoseconds > 0)
    #expect(Instant.now() >= first)
    #expect(readClock(12345) == nil)
  }

  @Test func `the wall clock's offset leads to a time of this century`() {
    let seconds = (Instant.now().nanoseconds &+ wallClockOffset()) / 1_000_000_000
    #expect((1_000_000_000..<4_102_444_800).contains(seconds))
  }
}
