import TestSupport

@testable import Sampler

/// Samples a process with its descendants.
func treeSampler(_ pid: Int, statEverySample: Bool = false) throws -> ProcessSampler {
  try ProcessSampler(
    pid: Int32(pid),
    options: SamplerOptions(
      statEverySample: statEverySample, pss: .onDemand, includesChildren: true))
}

/// Runs a script of the shell that writes a line once it is ready.
func readyShell(_ script: String) throws -> RunningTool {
  let tool = try RunningTool(["sh", "-c", script])
  _ = try tool.readLine()
  return tool
}
