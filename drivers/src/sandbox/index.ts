// Sandbox: the door. See sandbox.ts for what a run is, docs/sandbox.md for what holds.

export { createSandbox } from "./create.ts";
export { requireEnforced } from "./require-enforced.ts";
export { crashReason } from "./crash-reason.ts";
export { mountsForProgram, realProgram } from "./program-mounts.ts";
export { describeReport } from "./report.ts";
export type {
  Confinement,
  RunEnding,
  Mount,
  SandboxedRun,
  RunLimits,
  RunRequest,
  Sandbox,
  SandboxOptions,
  SandboxReport,
} from "./sandbox.ts";
