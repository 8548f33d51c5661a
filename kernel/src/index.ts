// Public entry of the kernel.

export type {
  AuditFinding,
  AuditReport,
  ArchiveSelection,
  FeedCursor,
  GcReport,
  Holder,
  KernelBackup,
  KernelExamination,
  KernelStatus,
  ListFilter,
  RecordedInference,
  RecordedRun,
  Question,
  ReplayedRun,
  ReplayReport,
  RunSelection,
  SpawnRequest,
} from "./api.ts";
export { handOver } from "./operator/backup.ts";
export type { FleetRequest } from "./operator/fleet-methods.ts";
export type { NewPost, Post, PostFilter } from "./operator/post-methods.ts";
export type { ScheduleRequest } from "./operator/schedule-methods.ts";
export { bootKernel, methodReach, type Kernel } from "./operator/kernel.ts";
export type { MethodReach } from "./operator/method-reach.ts";
export { readManifest } from "./process/programs.ts";
export {
  DEFAULT_QUEUE,
  DEFAULT_TIDY_AFTER_MS,
  defaultAdmission,
  defaultEmbeddings,
  defaultApprovals,
  defaultLimits,
  defaultRetention,
  defaultTimes,
  type Admission,
  type AgentSource,
  type ArchiveBatch,
  type ArchivedBundle,
  type Approvals,
  type Channel,
  type KernelOptions,
  type LatestEntries,
  type LedgerBacked,
  type Limits,
  type ModelRule,
  type ModelSource,
  type Retention,
  type RunArchive,
  type SlotRules,
} from "./options.ts";
export { copyDatabase, countRuns, SCHEMA_VERSION, schemaOfFile } from "./operator/database-file.ts";
export { examineRuns, examineStore } from "./operator/examine.ts";
export { openRunReader, readingOperations, type RunReader } from "./operator/read-runs.ts";
export { RUNS_ARCHIVED } from "./operator/archive-retention.ts";
export { rollBack } from "./operator/roll-back.ts";
export { migrateToPostgres, migrateToSqlite } from "./operator/migrate.ts";
export { CapabilityError } from "./capability/index.ts";
export { attenuateMacToken, attenuateSignedToken } from "./token/index.ts";
export { capabilitiesFor, parseCapability } from "./capability/index.ts";
export { readCeiling } from "./policy-formats/ceiling-list.ts";
export { readCapability } from "./policy-formats/older-capabilities.ts";
export { join as joinLabels, readLabel, labelText } from "./label/label.ts";
export { DEFAULT_POLICY, defaultPolicy } from "./policy-formats/default-policy.ts";
export { policyFileSchema } from "./policy-formats/policy-file.ts";
export { frontMatter, securityFileSchema } from "./policy-formats/security-md.ts";
export { policyTestsSchema, runPolicyTests } from "./inspection/policy-tests.ts";
