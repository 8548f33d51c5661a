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
import { FleetInbox } from "./fleet-inbox.ts";
import { FleetRegistry } from "./fleet-registry.ts";
import { FleetRunner } from "./fleet-runner.ts";
import { FleetWork } from "./fleet-work.ts";

export interface Fleets {
  readonly runner: FleetRunner;
  readonly registry: FleetRegistry;
  readonly inbox: FleetInbox;
  readonly work: FleetWork;
}

type MadeParts = ProcessParts &
  DeviceParts &
  ProofParts &
  AuthorityParts &
  LifecycleParts &
  ExecutionParts;

export function composeFleets(parts: MadeParts, options: KernelOptions): Fleets {
  const work = new FleetWork(parts);
  const inbox = new FleetInbox(parts);
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
