// Composes the gate: which services each family of handlers has, and which the gate itself. A family has
// what is named for it here and nothing besides.

import { DEFAULT_TENANT, type Json, type SecretPlace } from "@aos/protocol";
import { bindHandlers } from "../handlers/index.ts";
import type { FileServices, HandlerServices } from "../handlers/services.ts";
import { locatedAll } from "../label/workspace-location.ts";
import type { MemorySearch } from "../memory/memory-search.ts";
import type { KernelOptions } from "../options.ts";
import type { Process } from "../process/process.ts";
import { refusalWords } from "../refusal/refusals.ts";
import { Gate, type GateHooks } from "../syscall/gate.ts";
import type { GateServices } from "../syscall/gate-services.ts";
import { judgeRulesOf } from "../syscall/judge.ts";
import { resultLabels } from "../syscall/settlement.ts";
import { inspectNothing } from "../syscall/run-identity.ts";
import type { CallContext } from "../syscall/syscall-handler.ts";
import { Contexts } from "../vfs/contexts.ts";
import { Files } from "../vfs/files.ts";
import type { MemoryQuota } from "../vfs/memory-quota.ts";
import { SkillMount } from "../vfs/skills.ts";
import type { AuthorityParts, DeviceParts, LifecycleParts, ProcessParts } from "./kernel-parts.ts";
import { maySubscribe, mustFitMailbox } from "./mail.ts";
import { noticesOf } from "./notices.ts";
import type { Spawner } from "./spawner.ts";

interface Parts extends ProcessParts, DeviceParts, AuthorityParts, LifecycleParts {
  readonly options: Pick<KernelOptions, "skills" | "inspector">;
  readonly spawner: Spawner;
  readonly memory: MemorySearch;
  readonly quota: MemoryQuota;
  readonly confirmOurs: GateServices["confirmOurs"];
  readonly wasBegun: GateServices["wasBegun"];
  readonly hooks: GateHooks;
}

interface ComposedGate {
  readonly gate: Gate;
  /** For reports on what a process sees (inspection/files.ts). */
  readonly fileServices: FileServices;
}

export function composeGate(parts: Parts): ComposedGate {
  const files = new Files(parts.journal, parts.memory, parts.quota);
  const services = handlerServices(parts, files, () => gate);
  const gate: Gate = new Gate(
    gateServices(parts, files),
    bindHandlers(services),
    judgeRulesOf(parts.policies, parts.trees, parts.platform, refusalWords),
    parts.hooks,
  );
  return { gate, fileServices: services.files };
}

function gateServices(parts: Parts, files: Files): GateServices {
  const { journal, platform, devices, questions, limits, endings, deadLetters, scrub } = parts;
  const { directory, policies, standing, options, router, table } = parts;
  return {
    journal,
    platform,
    devices,
    files,
    find: (process, pid) => directory.findFor(process, pid),
    questions,
    limits,
    endings,
    deadLetters,
    confirmOurs: parts.confirmOurs,
    wasBegun: parts.wasBegun,
    tellBudget: noticesOf(router, table).tellBudget,
    mark: markWrites(parts),
    hold: (process) => standing.settle(process),
    rateWrites: (uses) => policies.writes(uses),
    scrub,
    inspect: (call) => options.inspector?.inspect(call) ?? inspectNothing(call),
  };
}

const markWrites =
  ({ flows, resources }: Parts): GateServices["mark"] =>
  async (process, { effect }, touches) => {
    const writes = touches.filter(({ kind, verb }) => kind === "file" && verb === "write");
    if (writes.length === 0) return;
    const label = await flows.written(process, touches);
    await resources.mark(process, label, locatedAll(writes, process), effect === "idempotent");
  };

function handlerServices(parts: Parts, files: Files, gate: () => Gate): HandlerServices {
  const { journal, platform, limits, scrub, table, keys, endings, deadLetters, questions } = parts;
  const { grants, router, spawner, standing, resources, options } = parts;
  const drivers = driverServices(parts);
  const tools = { ...drivers, scrub, ...labelServices(parts) };
  return {
    time: { platform },
    grants: {
      grant: (process, args, row) => grants.handOn(process, args, row),
      revoke: (process, handle) => grants.takeBack(process, handle),
    },
    processes: {
      journal,
      platform,
      endings,
      spawnChild: (...spawn) => spawner.spawnChild(...spawn),
      sendSignal: (row, signal, cause) => router.signalTo(row, signal, cause),
      wouldBe: (process, call, args) => gate().wouldBe(process, call, args),
    },
    persons: { questions, platform, scrub, hold: (process) => standing.settle(process) },
    messages: {
      journal,
      platform,
      limits,
      table,
      keys,
      endings,
      deadLetters,
      takePlace: (key) => router.takePlace(key),
      mustFit: (target, body) => mustFitMailbox(parts.manifests, target, body),
      maySubscribe: (key, topic) => maySubscribe(parts, gate(), key, topic),
      followDurable: (durable, sentTo) => router.followDurable(durable, sentTo),
      post: (key, message) => router.post(key, message),
      intend: (asked, writes) => gate().intend(asked, writes),
    },
    tools,
    models: { ...drivers, slots: parts.slots, tellFull: noticesOf(router, table).tellFull },
    files: {
      ...tools,
      journal,
      files,
      contexts: new Contexts(journal),
      skills: new SkillMount(options.skills, resources),
      rulesFor: (process) => rulesFor(parts, process),
    },
  };
}

/** What exec and infer have in common: reaching outside, through a driver. */
const driverServices = ({ platform, devices, flows, live, vault }: Parts) => ({
  platform,
  devices,
  flows,
  live,
  scrubStream: () => vault.scrubber().stream(),
  reveal: (process: Process, name: string, place: SecretPlace) =>
    vault.reveal(process.tenantName, name, place),
  revealKey: (process: Process, name: string, place: SecretPlace) =>
    vault.reveal(
      vault.has(process.tenantName, name) ? process.tenantName : DEFAULT_TENANT,
      name,
      place,
    ),
});

/** Those of its layers that are in force. */
function rulesFor({ policies }: Parts, process: Process): readonly Json[] {
  const names = policies.layersFor(process);
  const { layers } = policies.report();
  return (layers as readonly Json[]).filter((layer) =>
    names.includes((layer as { name?: string }).name ?? ""),
  );
}

function labelServices({ policies, resources }: Parts) {
  const saidOf = ({ process, action, touched }: CallContext) =>
    policies.current.labelOf(touched, action.tool?.name, policies.layersFor(process));
  return { saidOf, labelOf: resultLabels({ resources, saidOf }) };
}
