// The kernel's door.

export type {
  AuditFinding,
  AuditReport,
  GcReport,
  Kernel,
  KernelStatus,
  ListFilter,
  Question,
  ReplayReport,
  SpawnRequest,
} from "./api.ts";
export { bootKernel } from "./operator/kernel.ts";
export { readManifest } from "./operator/programs.ts";
export {
  defaultLimits,
  defaultRetention,
  type AgentSource,
  type KernelOptions,
  type Limits,
  type Retention,
} from "./options.ts";
export type { Rule } from "./policy/policy.ts";
