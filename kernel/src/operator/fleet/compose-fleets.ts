// Composes what looks after fleets.

import { defaultTimes, type KernelOptions } from "../../options.ts";
import type {
  AuthorityParts,
  DeviceParts,
  ExecutionParts,
  LifecycleParts,
  ProcessParts,
  ProofParts,
} from "../kernel-parts.ts";
import { FleetQueue } from "./fleet-queue.ts";
import { FleetRegistry } from "./fleet-registry.ts";
import { FleetRunner } from "./fleet-runner.ts";
import { FleetAttempts } from "./fleet-attempts.ts";

export interface Fleets {
  readonly runner: FleetRunner;
  readonly registry: FleetRegistry;
  readonly inbox: FleetQueue;
  readonly work: FleetAttempts;
}

type MadeParts = ProcessParts &
  DeviceParts &
  ProofParts &
  AuthorityParts &
  LifecycleParts &
  ExecutionParts;

export function composeFleets(parts: MadeParts, options: KernelOptions): Fleets {
  const work = new FleetAttempts(parts);
  const inbox = new FleetQueue(parts);
  const runner: FleetRunner = new FleetRunner({
    ...parts,
    work,
    inbox,
    proof: parts.fleetProof,
    leaseMs: options.leaseMs ?? defaultTimes.leaseMs,
    lookMs: options.scheduleLookMs ?? defaultTimes.scheduleLookMs,
    conclude: (entry, decision, why) => registry.conclude(entry, decision, why),
  });
  const registry: FleetRegistry = new FleetRegistry({ ...parts, runner });
  return { runner, registry, inbox, work };
}
