// Public entry of the sandbox. sandbox.ts describes a run, docs/sandbox.md what is enforced.

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
