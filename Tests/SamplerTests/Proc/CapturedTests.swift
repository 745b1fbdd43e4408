import PerfHUDBase
import Testing

@testable import Sampler

/// Processes as they were captured by scripts/capture-proc.sh.
@Suite struct CapturedTests {
  @Test func `a process of 4 threads has all its figures at the first sample`() throws {
    let fixture = try Fixture("linux-6.18/process")
    var sampler = try fixture.sampler()
    let sample = sampler.sample()
    #expect(sampler.facts.name.text == "perfhud-load")
    #expect(sampler.facts.commandLine.hasSuffix("perfhud-load serve"))
    #expect(sampler.facts.user == 0)
    #expect(!sampler.facts.isKernelThread)
    #expect(sample.pid == fixture.pid)
    #expect(sample.state == .sleeping)
    #expect(sample.threads == .value(4))
    #expect(sample.residentBytes.value ?? 0 > 10_000_000)
    #expect(sample.anonymousBytes.value ?? 0 > 10_000_000)
    #expect(sample.pssBytes.value ?? 0 > 10_000_000)
    #expect(sample.swapBytes == .value(0))
    #expect(sample.readBytes == .value(0))
    #expect(sample.cpuWaitNanoseconds.value != nil)
    #expect(sample.limitSource == .physical)
    #expect(!sample.hasEnded)
  }

  @Test func `a captured tree is never asked for by system calls`() throws {
    var sampler = try Fixture("linux-6.18/process").sampler()
    #expect(sampler.cpuSource == .stat)
    #expect(sampler.exitDescriptor == nil)
    #expect(sampler.sample().cpuNanoseconds == .value(0))
  }

  @Test(arguments: [
    ("name-with-spaces", Array("a b  c".utf8)),
    ("name-with-parentheses", Array("x) R 1 2".utf8)),
    ("name-of-parentheses", Array("((())".utf8)),
    ("name-with-newline", Array("one\ntwo".utf8)),
    ("name-with-escape", Array("\u{1B}[31mred".utf8)),
    ("name-not-utf-8", [0xFF, 0xFE, 0x80, 0x61, 0x62]),
    ("name-empty", []),
  ])
  func `a name is kept byte by byte and the fields behind it are found`(
    name: String, bytes: [UInt8]
  ) throws {
    var sampler = try Fixture("linux-6.18/\(name)").sampler()
    let sample = sampler.sample()
    #expect((0..<Int(sample.name.count)).map { sample.name[$0] } == bytes)
    #expect(sample.state == .sleeping)
    #expect(sample.threads == .value(1))
    #expect(sample.startTicks > 200_000)
  }

  @Test func `a name with an escape sequence is shown without it`() throws {
    let facts = try Fixture("linux-6.18/name-with-escape").sampler().facts
    #expect(facts.name.text == "␛[31mred")
  }

  @Test func `a zombie has ended at its first sample and lacks memory`() throws {
    var sampler = try Fixture("linux-6.18/zombie").sampler()
    let sample = sampler.sample()
    #expect(sampler.facts.state == .zombie)
    #expect(sampler.facts.commandLine == "[perfhud-load]")
    #expect(sample.hasEnded)
    #expect(sample.state == .zombie)
    #expect(sample.residentBytes == .absent(.ended))
    #expect(sample.swapBytes == .absent(.ended))
    #expect(sample.cpuNanoseconds.value != nil)
  }

  @Test func `a process whose main thread has ended lives and has the memory of another thread`()
    throws
  {
    var sampler = try Fixture("linux-6.18/main-thread-ended").sampler()
    let sample = sampler.sample()
    #expect(!sample.hasEnded)
    #expect(sample.state == .zombie)
    #expect(sample.threads == .value(2))
    #expect(sample.residentBytes == .value(6185 * 4096))
    #expect(sample.anonymousBytes.value ?? 0 > 20_000_000)
    #expect(sample.swapBytes == .value(0))
  }

  @Test func `a kernel thread has no memory and says why`() throws {
    var sampler = try Fixture("linux-6.18/kernel-thread").sampler()
    let sample = sampler.sample()
    #expect(sampler.facts.isKernelThread)
    #expect(sampler.facts.commandLine == "[kthreadd]")
    #expect(!sample.hasEnded)
    for reading in [
      sample.residentBytes, sample.anonymousBytes, sample.swapBytes, sample.pageTableBytes,
      sample.pssBytes, sample.limitBytes,
    ] { #expect(reading == .absent(.kernelThread)) }
    #expect(sample.threads == .value(1))
  }

  @Test func `files that are missing leave their figures as not supported`() throws {
    var sampler = try Fixture("linux-6.18/name-empty").sampler()
    let sample = sampler.sample()
    #expect(sample.readBytes == .absent(.unsupported))
    #expect(sample.cpuWaitNanoseconds == .absent(.unsupported))
    #expect(sample.pssBytes == .absent(.unsupported))
    #expect(sample.limitBytes == .absent(.unsupported))
    #expect(sample.swapBytes == .value(0))
  }

  @Test func `a root that is no proc is named by the error`() throws {
    let error = #expect(throws: SamplerError.self) {
      _ = try ProcessFacts(pid: 1, root: "/nonexistent/proc")
    }
    #expect(error == .procUnusable(root: "/nonexistent/proc"))
  }

  @Test func `a pid that a tree does not have is no process`() throws {
    let root = try Fixture("linux-6.18/process").root
    let error = #expect(throws: SamplerError.self) { _ = try ProcessFacts(pid: 3, root: root) }
    #expect(error == .noSuchProcess(3))
  }
}
