// Composes what looks after schedules.

import { defaultTimes, type KernelOptions } from "../../options.ts";
import type {
  AuthorityParts,
  DeviceParts,
  ExecutionParts,
  LifecycleParts,
  ProcessParts,
  ProofParts,
} from "../kernel-parts.ts";
import { ScheduleRegistry } from "./schedule-registry.ts";
import { ScheduleRunner } from "./schedule-runner.ts";
import { ScheduleRuns } from "./schedule-runs.ts";

export interface Schedules {
  readonly runner: ScheduleRunner;
  readonly runs: ScheduleRuns;
  readonly registry: ScheduleRegistry;
}

type MadeParts = ProcessParts &
  DeviceParts &
  ProofParts &
  AuthorityParts &
  LifecycleParts &
  ExecutionParts;

export function composeSchedules(parts: MadeParts, options: KernelOptions): Schedules {
  const proof = parts.scheduleProof;
  const runs = new ScheduleRuns({
    ...parts,
    pause: (entry, why) => registry.pauseFailing(entry, why),
    reload: (key) => runner.reload(key),
  });
  const runner: ScheduleRunner = new ScheduleRunner({
    ...parts,
    proof,
    runs,
    leaseMs: options.leaseMs ?? defaultTimes.leaseMs,
    lookMs: options.scheduleLookMs ?? defaultTimes.scheduleLookMs,
  });
  const registry: ScheduleRegistry = new ScheduleRegistry({
    ...parts,
    runner,
  });
  return { runner, runs, registry };
}
