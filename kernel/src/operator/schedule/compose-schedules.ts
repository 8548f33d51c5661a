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
import type { ProcessRow } from "../../store/rows.ts";
import { EventSources } from "./event-sources.ts";
import { ScheduleRegistry } from "./schedule-registry.ts";
import { ScheduleRunner } from "./schedule-runner.ts";
import { ScheduleRuns } from "./schedule-runs.ts";

export interface Schedules {
  readonly runner: ScheduleRunner;
  readonly runs: ScheduleRuns;
  readonly registry: ScheduleRegistry;
  readonly events: EventSources;
  /** A run that a schedule may wait for has ended. */
  readonly onEnd: (row: Pick<ProcessRow, "agent">) => void;
  /** A durable subscription that no process has has got a message. */
  readonly onBacklog: (durable: number) => void;
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
  const events = new EventSources({ ...parts, listFolder: options.listFolder });
  const runner: ScheduleRunner = new ScheduleRunner({
    ...parts,
    proof,
    runs,
    events,
    leaseMs: options.leaseMs ?? defaultTimes.leaseMs,
    lookMs: options.scheduleLookMs ?? defaultTimes.scheduleLookMs,
  });
  const registry: ScheduleRegistry = new ScheduleRegistry({
    ...parts,
    runner,
  });
  return {
    runner,
    runs,
    registry,
    events,
    onEnd: ({ agent }) => runner.nudge(({ schedule }) => schedule.on?.run?.agent === agent),
    onBacklog: (durable) => {
      const schedule = events.scheduleOf(durable);
      runner.nudge(({ row }) => row.key === schedule);
    },
  };
}
