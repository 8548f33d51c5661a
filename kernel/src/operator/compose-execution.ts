// Composes what brings processes into being and reaches them, what runs their programs and carries their calls
// through the gate, and what is done from time to time.

import { DEFAULT_TENANT } from "@aos/protocol";
import { replayStreams } from "../handlers/files.ts";
import {
  defaultAdmission,
  defaultEmbeddings,
  defaultRetention,
  defaultTimes,
  type KernelOptions,
} from "../options.ts";
import { ProcessFactory } from "../process/process-factory.ts";
import { Boundary, ResultDelivery } from "../scheduler/boundary.ts";
import { Dormancy } from "../scheduler/dormancy.ts";
import { ProcessEndings } from "../scheduler/endings.ts";
import { Runner } from "../scheduler/runner.ts";
import { Supervision } from "../scheduler/supervision.ts";
import { EmbeddingAllowance } from "../memory/embedding-allowance.ts";
import { EmbeddingBacklog } from "../memory/embedding-backlog.ts";
import { MemorySearch } from "../memory/memory-search.ts";
import { RunIndex } from "../memory/run-index.ts";
import { MemorySegments } from "../memory/memory-segments.ts";
import { MemoryQuota } from "../vfs/memory-quota.ts";
import { AdmissionControl } from "./admission.ts";
import { withDefaults } from "./check-options.ts";
import { composeGate } from "./compose-gate.ts";
import { Drain } from "./drain.ts";
import type {
  AuthorityParts,
  DeviceParts,
  ExecutionParts,
  LaterParts,
  LifecycleParts,
  ProcessParts,
  ProofParts,
  UpkeepParts,
} from "./kernel-parts.ts";
import { Leases } from "./leases.ts";
import { MessageRouter } from "./message-router.ts";
import { Reaper } from "./reaper.ts";
import { MailSweep } from "./mail-sweep.ts";
import { RunRetention } from "./retention.ts";
import { composeFleets } from "./fleet/compose-fleets.ts";
import { composeSchedules } from "./schedule/compose-schedules.ts";
import { Spawner } from "./spawner.ts";
import { TidySchedule } from "./tidy-schedule.ts";
import { StateRetention } from "./state-retention.ts";
import { TimeLimits } from "./time-limits.ts";

type MadeParts = ProcessParts & DeviceParts & ProofParts & AuthorityParts & LifecycleParts;

export function composeLifecycle(
  parts: ProcessParts,
  options: KernelOptions,
  later: LaterParts,
): LifecycleParts {
  const endings = new ProcessEndings(parts);
  const boundary = new Boundary({ ...parts, endings });
  const router = new MessageRouter({
    ...parts,
    boundary,
    endings,
    dormancy: () => later().dormancy,
    settle: (process) => later().standing.settle(process),
    onBacklog: (durable) => {
      later().schedules.onBacklog(durable);
      later().fleets.runner.onBacklog(durable);
    },
  });
  const times = new TimeLimits({ platform: parts.platform, router, endings });
  const admission = new AdmissionControl({
    ...parts,
    rules: withDefaults(defaultAdmission, options.admission),
    begin: (key) => later().dormancy.wake(key, "turn"),
    alarm: (at) => later().dormancy.alarm(at),
    slots: () => later().slots.reports(),
  });
  return { endings, boundary, router, times, admission };
}

export function composeExecution(
  parts: MadeParts,
  options: KernelOptions,
  later: LaterParts,
): ExecutionParts {
  const { boundary, endings, programs, deadLetters, integrity, directory } = parts;
  const spawner = composeSpawner(parts, options, () => runner);
  const supervision = new Supervision({
    ...parts,
    leave: (process) => dormancy.leave(process),
    runner: () => runner,
    wake: (key) => dormancy.wake(key),
  });
  const drain = new Drain({ ...parts, gate: () => gate });
  const runner: Runner = new Runner({
    limits: parts.limits,
    scrub: parts.scrub,
    boundary,
    driverFor: (process) => programs.driverFor(process),
    execute: (process, call) => drain.execute(process, call),
    relive: replayStreams,
    wentLive: (process) => deadLetters.bury(process),
    supervision,
  });
  const delivery = new ResultDelivery({
    ...parts,
    ready: (process) => runner.ready.enqueue(process),
    everyCall: options.durability === "every-call",
  });
  const memory = composeMemory(parts, options);
  const quota = new MemoryQuota(parts.journal, parts.limits);
  const { gate, fileServices } = composeGate({
    ...parts,
    spawner,
    options,
    memory,
    quota,
    confirmOurs: (process) => later().leases.confirm(process),
    wasBegun: (process) => integrity.wasBegun(process),
    hooks: {
      deliver: (process, call, settled) => {
        delivery.deliver(process, call, settled);
        if (call.name === "checkpoint" && "ok" in settled) later().states.checkpointed(process);
      },
      waiting: (process) => {
        delivery.cross(process);
        dormancy.waiting(process);
      },
    },
  });
  const dormancy = composeDormancy(parts, spawner, options);
  endings.onEnd = (process) => {
    later().reaper.ended(process);
    const { work, runner: fleets } = later().fleets;
    if (work.runs.has(process.key)) fleets.ended(process.key);
    const { runs, runner: schedules, onEnd } = later().schedules;
    if (runs.open.has(process.key)) schedules.ended(process.key);
    if (schedules.hasTriggers && process.row.parent === null) onEnd(process.row);
  };
  boundary.onReady = (process) => runner.ready.enqueue(process);
  boundary.onContinue = (process) => runner.goOn(process);
  return {
    spawner,
    runner,
    drain,
    gate,
    fileServices,
    memory,
    runs: new RunIndex(parts.store),
    quota,
    dormancy,
    find: (process, pid) => directory.findFor(process, pid),
    wouldBe: (process, call, args) => gate.wouldBe(process, call, args),
  };
}

function composeMemory(parts: MadeParts, options: KernelOptions): MemorySearch {
  const { journal, store, vault, tenants } = parts;
  const { embeddings: driver, embeddingsUsdPerDay: usdPerDay = defaultEmbeddings.usdPerDay } =
    options;
  const segments = new MemorySegments(journal.store);
  if (driver === undefined) return new MemorySearch(segments);
  const { model, price } = driver;
  const backlog = new EmbeddingBacklog({
    driver,
    journal,
    onTrouble: parts.trouble,
    providerKey: (name, place) => vault.reveal(DEFAULT_TENANT, name, place),
    covers: async (tenant, resource) =>
      tenants.covers(await store.tenantName(tenant), { kind: "model", resource, verb: "infer" }),
    allowance:
      price === undefined ? undefined : new EmbeddingAllowance(parts, { model, price, usdPerDay }),
  });
  return new MemorySearch(segments, backlog);
}

function composeSpawner(
  parts: MadeParts,
  { layersOf = () => [], realFolder = async (folder) => folder }: KernelOptions,
  runner: () => Runner,
): Spawner {
  return new Spawner({
    ...parts,
    factory: new ProcessFactory(parts),
    layersOf,
    realFolder,
    proven: (standing) => parts.proof.standing(standing),
    runner,
  });
}

function composeDormancy(parts: MadeParts, spawner: Spawner, options: KernelOptions): Dormancy {
  const { integrity, proof, trees, standing, times, admission } = parts;
  return new Dormancy({
    ...parts,
    unloadAfterMs: options.unloadAfterMs ?? defaultTimes.unloadAfterMs,
    isHeld: (key) => integrity.heldWhy(key) !== undefined,
    isProven: (key) => proof.isProven(key),
    prove: (process, stored) => integrity.holdUnless(process, proof.ofProcess(process, stored)),
    know: (root, count) => trees.know(root, count),
    forget: (root) => trees.forget(root),
    settle: (process, stored) => standing.settle(process, stored),
    expire: (process) => times.expire(process),
    queue: ({ key, row, isPaused }) => (isPaused ? admission.remove(key) : admission.add(row)),
    start: (process, image) => spawner.start(process, image),
  });
}

export function composeUpkeep(
  parts: MadeParts & ExecutionParts,
  options: KernelOptions,
): UpkeepParts {
  const retention = new RunRetention({
    ...parts,
    limits: withDefaults(defaultRetention, options.retention),
    ...(options.archive === undefined ? {} : { archive: options.archive }),
  });
  return {
    retention,
    mailSweep: new MailSweep(parts),
    tidying: new TidySchedule({
      ...parts,
      tidying: options.tidying,
      inTurn: (work) => retention.whileItWaits(work),
    }),
    states: new StateRetention({ ...parts, retention: () => retention }),
    reaper: new Reaper({ ...parts, retention }),
    leases: new Leases({
      ...parts,
      leaseMs: options.leaseMs ?? defaultTimes.leaseMs,
      isCounting: parts.wide.isConfigured,
      refresh: () => parts.tenants.refresh(),
    }),
    schedules: composeSchedules(parts, options),
    fleets: composeFleets(parts, options),
  };
}
