// gate: what the gate costs a process four blocks deep, that has read something untrusted, under the
// shipped policy and a layer of a hundred rules. One call at a time, all on one core.
//
//   ours       what the gate says to it: described, judged, charged. This is what the peers are held
//              against, since they decide and do nothing else; they have no chain of capabilities
//   wholeCall  from the program's request to its record, with a tool that does nothing and nobody
//              waiting for the disk
//   simple     the whole call of a process with one block, under the shipped policy alone
//
// The rules and the requests are in peers/gate-work.mjs; no two calls in a row are the same.

import type { Json, Program, Sys, Tool } from "../protocol/src/index.ts";
import { NOTHING } from "../kernel/src/budget/accounts.ts";
import { DEFAULT_POLICY, type KernelOptions } from "../kernel/src/index.ts";
import { composeKernel } from "../kernel/src/operator/compose-kernel.ts";
import type { KernelParts } from "../kernel/src/operator/kernel-parts.ts";
import { openVault } from "../kernel/src/secret/secret-store.ts";
import { systemPlatform } from "../kernel/src/platform/clock.ts";
import type { Process } from "../kernel/src/process/process.ts";
import { openStore } from "../kernel/src/store/open.ts";
import { describe } from "../kernel/src/syscall/action.ts";
import { refusalWords } from "../kernel/src/refusal/refusals.ts";
import { type JudgeRules, permit } from "../kernel/src/syscall/judge.ts";
import {
  agent,
  type Clause,
  type NeutralRequest,
  type NeutralRule,
  refusals,
  requests,
  rules,
  tools,
} from "./peers/gate-work.mjs";
import { holdToOneCore } from "./peers/one-core.mjs";
import { runPeer } from "./peers/run.mjs";
import { median, quantile, round, stepCapabilities, stepTool, withKernel } from "./measure.ts";
import { inChild } from "./child.ts";

interface Figures {
  readonly medianUs: number;
  readonly p99Us: number;
}

interface GateFigures {
  readonly ours: Figures;
  readonly wholeCall: Figures;
  readonly simple: Figures;
  readonly oneCore: boolean;
}

const CALLS = 20_000;
const WARM_UP = 5000;
const BLOCKS = 4;
const TOOL = "files.report";
const RED = { integrity: "untrusted", secrecy: "internal" } as const;

/** What each block of the chain grants. */
const capabilities = [
  "agent:*:spawn",
  "file:/home/**:read",
  "file:/tmp/**:read,write",
  "file:/work/**:read,write",
  "http:*.example.com/**:get",
  "memory:/mem/shared/team/**:read,search",
  "message:*:send",
  "model:scripted/*:infer",
  "tool:mail.*:call",
  "tool:files.*:call",
];

const report: Tool = {
  ...stepTool,
  name: TOOL,
  label: RED,
  touches: (args) => [
    { kind: "file", resource: (args as { readonly path: string }).path, verb: "read" },
  ],
};

const others: readonly Tool[] = tools
  .filter((name) => name !== TOOL)
  .map((name) => ({ ...stepTool, name, effect: "external" }));

/** A rule in the words of policy.yaml. */
function written({ id, effect, of, when, after }: NeutralRule): Record<string, unknown> {
  return {
    id,
    [effect]: of,
    ...(when === undefined ? {} : { when: when.map(condition).join(" && ") }),
    ...(after === undefined ? {} : { after }),
  };
}

/** An argument that may be missing is asked for first, and is a double if it is a number. */
function condition([name, operator, value]: Clause): string {
  const isArgument = name.startsWith("args.");
  const literal = isArgument && typeof value === "number" ? `${value}.0` : JSON.stringify(value);
  return `${isArgument ? `has(${name}) && ` : ""}${name} ${operator} ${literal}`;
}

/** Every process starts the next one, down to the one that is measured. */
function chained(measured: Program): KernelOptions {
  const link: Program = async (sys, input) => {
    const { left } = input as { left: number };
    const next = left === 1 ? agent : "link";
    const { exitCode, error } = await sys.wait(
      await sys.spawn(next, { left: left - 1 }, { capabilities }),
    );
    if (exitCode !== 0) throw new Error(`${next} failed: ${error?.message}`);
  };
  return {
    tools: [report, ...others],
    programs: { link, [agent]: measured },
    policy: [
      DEFAULT_POLICY,
      {
        layer: "organisation",
        origin: "the bench",
        format: "policy",
        document: { version: 1, rules: rules.map(written) },
      },
    ],
  };
}

const first = { agent: "link", input: { left: BLOCKS - 1 }, capabilities, label: RED };

const requestAt = (call: number): NeutralRequest => requests[call % requests.length]!;

const figures = (times: readonly number[]): Figures => ({
  medianUs: round(median(times), 2),
  p99Us: round(quantile(times, 0.99), 2),
});

async function wholeCalls(): Promise<Figures> {
  const times: number[] = [];
  const measured = async (sys: Sys) => {
    for (let call = 0; call < WARM_UP + CALLS; call++) {
      const { args } = requestAt(call);
      const from = performance.now();
      await sys.exec(TOOL, args);
      times.push((performance.now() - from) * 1000);
    }
  };
  return withKernel(chained(measured), async ({ kernel }) => {
    const ending = await kernel.wait(await kernel.spawn(first));
    if (times.length !== WARM_UP + CALLS)
      throw new Error(`it ended with ${JSON.stringify(ending)}`);
    return figures(times.slice(WARM_UP));
  });
}

/** The same process, paused, and the decision asked of it as the gate asks it. */
async function decisions(): Promise<Figures> {
  const { parts, process } = await heldStill();
  const { devices, policies } = parts;
  const rules: JudgeRules = {
    words: refusalWords,
    policy: () => policies.current,
    layersFor: (one) => policies.layersFor(one),
    quota: () => {},
    charge: () => {},
    release: () => {},
    isApproved: () => false,
  };
  const decide = (args: Json, nowMs: number) => {
    const action = describe({ name: "exec", args }, process, devices);
    return permit(process, action, rules, nowMs, false).hold!;
  };
  const asked = requests.map(({ args }): Json => ({ tool: TOOL, args }));
  mustRefuse(process, decide);
  const times: number[] = [];
  for (let call = 0; call < WARM_UP + CALLS; call++) {
    const args = asked[call % asked.length]!;
    const from = performance.now();
    const hold = decide(args, systemPlatform.now());
    times.push((performance.now() - from) * 1000);
    hold.settle(NOTHING, systemPlatform.now());
  }
  await parts.store.close();
  return figures(times.slice(WARM_UP));
}

async function heldStill(): Promise<{ parts: KernelParts; process: Process }> {
  const reached = Promise.withResolvers<void>();
  const options = chained(async () => {
    reached.resolve();
    await new Promise(() => {}); // it stays loaded, and does nothing
  });
  const store = await openStore("memory");
  const parts = composeKernel(store, options, await openVault(store, {}, systemPlatform));
  await parts.policies.begin();
  await parts.leases.begin();
  await parts.spawner.spawn(first);
  await reached.promise;
  const process = [...parts.table.all()].find(({ row }) => row.agent === agent);
  if (process?.block.depth !== BLOCKS) throw new Error(`not ${BLOCKS} blocks deep`);
  return { parts, process };
}

/** Ours must refuse what the peers must refuse: an engine that always allows is not measured. */
function mustRefuse(process: Process, decide: (args: Json, nowMs: number) => void): void {
  for (const { args, label, atMs } of refusals) {
    process.label = label;
    let isAllowed = true;
    try {
      decide({ tool: TOOL, args }, atMs);
    } catch {
      isAllowed = false;
    }
    if (isAllowed) throw new Error(`it allows ${JSON.stringify({ args, label, atMs })}`);
  }
  process.label = RED;
}

async function simpleCalls(): Promise<Figures> {
  const times: number[] = [];
  const worker = async (sys: Sys) => {
    for (let call = 0; call < WARM_UP + CALLS; call++) {
      const from = performance.now();
      await sys.exec("bench.step", { payload: "x" });
      times.push((performance.now() - from) * 1000);
    }
  };
  return withKernel({ tools: [stepTool], programs: { worker } }, async ({ kernel }) => {
    await kernel.wait(await kernel.spawn({ agent: "worker", capabilities: stepCapabilities }));
    return figures(times.slice(WARM_UP));
  });
}

export async function runGate(): Promise<GateFigures> {
  const oneCore = holdToOneCore();
  const wholeCall = await wholeCalls();
  return { ours: await decisions(), wholeCall, simple: await simpleCalls(), oneCore };
}

export async function gate(): Promise<Record<string, unknown>> {
  const { oneCore, ...ours } = await inChild<GateFigures>("gate", {});
  const peers: Record<string, object> = {};
  const ratios: Record<string, Figures> = {};
  for (const name of ["cedar", "casbin", "agt"]) {
    const peer = await runPeer(name, { calls: CALLS });
    peers[name] = peer;
    if ("medianUs" in peer) ratios[name] = timesOurs(peer as Figures, ours.ours);
  }
  return {
    ...ours,
    ...peers,
    /** How many times our decision each peer's takes. */
    ratios,
    limits: { medianUs: 20, p99Us: 150 },
    oneCore,
    rules: rules.length,
    blocks: BLOCKS,
    unit: "µs per call",
  };
}

const timesOurs = (peer: Figures, decision: Figures): Figures => ({
  medianUs: round(peer.medianUs / decision.medianUs, 1),
  p99Us: round(peer.p99Us / decision.p99Us, 1),
});
