// KernelParts: the parts of a running kernel, by family. compose-kernel.ts makes them; a method of the kernel
// takes those that it names.

import type { FileServices } from "../handlers/services.ts";
import type { Json } from "@aos/protocol";
import type { QuestionAnswering } from "../approval/answering.ts";
import type { Questions } from "../approval/questions.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { HoldingProof } from "../audit/proof.ts";
import type { FleetProof } from "../audit/fleet-proof.ts";
import type { ScheduleProof } from "../audit/schedule-proof.ts";
import type { SettingsProof } from "../audit/settings-proof.ts";
import type { StoreIntegrity } from "../audit/store-integrity.ts";
import type { BackgroundStoreCheck } from "../audit/store-patrol.ts";
import type { SharedBudgets } from "../budget/shared-budgets.ts";
import type { LiveFeed } from "../bus/live-feed.ts";
import type { Devices } from "../device/devices.ts";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { ResourceLabels } from "../label/resource-labels.ts";
import type { MemorySearch } from "../memory/memory-search.ts";
import type { RunIndex } from "../memory/run-index.ts";
import type { Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { Policies } from "../policy/policies.ts";
import type { AccountRegistry } from "../process/accounts.ts";
import type { BlockRegistry } from "../process/blocks.ts";
import type { CeilingSeal } from "../process/ceiling-setting.ts";
import type { DeadLetters } from "../process/dead-letters.ts";
import type { Directory, ProcessTable } from "../process/process-table.ts";
import type { Manifests } from "../process/manifests.ts";
import type { Process } from "../process/process.ts";
import type { Programs } from "../process/programs.ts";
import type { RowKeys } from "../process/row-keys.ts";
import type { ProcessTrees } from "../process/trees.ts";
import type { Boundary } from "../scheduler/boundary.ts";
import type { Dormancy } from "../scheduler/dormancy.ts";
import type { ProcessEndings } from "../scheduler/endings.ts";
import type { Runner } from "../scheduler/runner.ts";
import type { Vault } from "../secret/index.ts";
import type { Slots } from "../slot/slots.ts";
import type { Store } from "../store/contract.ts";
import type { OpenedStore } from "../store/mail-reports.ts";
import type { MemoryQuota } from "../vfs/memory-quota.ts";
import type { FileFlows } from "../syscall/file-flows.ts";
import type { Gate } from "../syscall/gate.ts";
import type { AdmissionControl } from "./admission.ts";
import type { Drain } from "./drain.ts";
import type { Grants } from "./grants.ts";
import type { Leases } from "./leases.ts";
import type { MailSweep } from "./mail-sweep.ts";
import type { MessageRouter } from "./message-router.ts";
import type { Reaper } from "./reaper.ts";
import type { RunRetention } from "./retention.ts";
import type { Fleets } from "./fleet/compose-fleets.ts";
import type { Schedules } from "./schedule/compose-schedules.ts";
import type { Spawner } from "./spawner.ts";
import type { StandingGrants } from "./standing-grants.ts";
import type { TidySchedule } from "./tidy-schedule.ts";
import type { StateRetention } from "./state-retention.ts";
import type { TenantRegistry } from "./tenant-registry.ts";
import type { TimeLimits } from "./time-limits.ts";
import type { Tokens } from "./tokens.ts";

/** What every other part stands on. */
export interface BaseParts {
  readonly store: OpenedStore;
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly limits: Limits;
  readonly node: string;
  readonly trouble: (what: string, error: unknown) => void;
  /** Nothing is reported as trouble from here on. */
  readonly hush: () => void;
  readonly scrub: (text: string) => string;
  readonly table: ProcessTable;
}

/** What processes are made of, and what is kept about them. */
export interface ProcessParts extends BaseParts {
  readonly manifests: Manifests;
  readonly keys: RowKeys;
  readonly deadLetters: DeadLetters;
  readonly blocks: BlockRegistry;
  readonly accounts: AccountRegistry;
  readonly wide: SharedBudgets;
  readonly trees: ProcessTrees;
  readonly programs: Programs;
  readonly questions: Questions;
  readonly ledger: Ledger;
  readonly directory: Directory;
}

/** What calls reach, and the rules and labels that they are judged by. */
export interface DeviceParts {
  readonly devices: Devices;
  readonly slots: Slots;
  readonly live: LiveFeed;
  readonly policies: Policies;
  readonly resources: ResourceLabels;
  readonly flows: FileFlows;
}

/** What holds the store to what was signed apart from it. */
export interface ProofParts {
  readonly proof: HoldingProof;
  readonly seal: CeilingSeal;
  readonly settings: SettingsProof;
  readonly scheduleProof: ScheduleProof;
  readonly fleetProof: FleetProof;
  readonly integrity: StoreIntegrity;
  readonly patrol: BackgroundStoreCheck;
  readonly audit: AuditLog;
}

/** Who may do what, and who says so. */
export interface AuthorityParts {
  readonly vault: Vault;
  readonly tokens: Tokens;
  readonly tenants: TenantRegistry;
  readonly grants: Grants;
  readonly standing: StandingGrants;
  readonly answering: QuestionAnswering;
}

/** What reaches processes, decides when they begin, and ends them. */
export interface LifecycleParts {
  readonly endings: ProcessEndings;
  readonly boundary: Boundary;
  readonly router: MessageRouter;
  readonly times: TimeLimits;
  readonly admission: AdmissionControl;
}

/** What starts processes, runs their programs and carries their calls through the gate. */
export interface ExecutionParts {
  readonly spawner: Spawner;
  readonly runner: Runner;
  readonly drain: Drain;
  readonly gate: Gate;
  readonly fileServices: FileServices;
  readonly memory: MemorySearch;
  readonly runs: RunIndex;
  readonly quota: MemoryQuota;
  readonly dormancy: Dormancy;
  readonly find: (process: Process, pid: string) => ReturnType<Directory["findFor"]>;
  readonly wouldBe: (process: Process, call: string, args: Json) => ReturnType<Gate["wouldBe"]>;
}

/** What is done from time to time: leases, reaping, retention. */
export interface UpkeepParts {
  readonly mailSweep: MailSweep;
  readonly retention: RunRetention;
  readonly states: StateRetention;
  readonly tidying: TidySchedule;
  readonly reaper: Reaper;
  readonly leases: Leases;
  readonly schedules: Schedules;
  readonly fleets: Fleets;
}

export interface KernelParts
  extends
    ProcessParts,
    DeviceParts,
    ProofParts,
    AuthorityParts,
    LifecycleParts,
    ExecutionParts,
    UpkeepParts {}

/** All parts, for what is asked of them when the kernel runs: not while it is composed. */
export type LaterParts = () => KernelParts;
