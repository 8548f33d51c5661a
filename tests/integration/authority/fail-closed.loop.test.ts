// The gate never allows on an internal error. For each kind of system call every function that the gate
// calls is made to throw once, at each of its calls in turn.
//
// GATE-3 (gate.ts)  An error inside the gate is a refusal: nothing reaches a tool after it, the program is not
//               told that all is well, and no effect is without a record.

import { expect, inject, test, vi } from "vitest";
import type { Kernel } from "@aos/kernel";
import { isEnded, type Json } from "@aos/protocol";
import { Account } from "../../../kernel/src/budget/accounts.ts";
import { Channels } from "../../../kernel/src/approval/channels.ts";
import { Questions } from "../../../kernel/src/approval/questions.ts";
import { Devices } from "../../../kernel/src/device/devices.ts";
import { Holdings } from "../../../kernel/src/capability/holdings.ts";
import { Journal } from "../../../kernel/src/journal/journal.ts";
import { ResourceLabels } from "../../../kernel/src/label/resource-labels.ts";
import { MessageRouter } from "../../../kernel/src/operator/message-router.ts";
import { Directory } from "../../../kernel/src/process/process-table.ts";
import { Grants } from "../../../kernel/src/operator/grants.ts";
import { Leases } from "../../../kernel/src/operator/leases.ts";
import { Policies } from "../../../kernel/src/policy/policies.ts";
import { Spawner } from "../../../kernel/src/operator/spawner.ts";
import { ProcessTrees } from "../../../kernel/src/process/trees.ts";
import { systemPlatform } from "../../../kernel/src/platform/clock.ts";
import { Policy } from "../../../kernel/src/policy/engine.ts";
import { PolicyDecision } from "../../../kernel/src/policy/policy-decision.ts";
import { Layer } from "../../../kernel/src/policy/layer.ts";
import { Rates } from "../../../kernel/src/policy/rates.ts";
import { BlockRegistry } from "../../../kernel/src/process/blocks.ts";
import { Scrubber } from "../../../kernel/src/secret/scrubber.ts";
import { Vault } from "../../../kernel/src/secret/vault.ts";
import { SqliteCommits } from "../../../kernel/src/store/sqlite/commits.ts";
import { Gate } from "../../../kernel/src/syscall/gate.ts";
import { Dormancy } from "../../../kernel/src/scheduler/dormancy.ts";
import { ApprovalRequests } from "../../../kernel/src/syscall/approval-requests.ts";
import { Files } from "../../../kernel/src/vfs/files.ts";
import {
  bootWorld,
  SCENARIOS,
  SECRET,
  type FaultWorld,
  type Scenario,
  type Seen,
} from "./fault-world.ts";
import { FAULT, newTrial, placesOf, plantIn, within, type Trial } from "./faults.ts";

const { faultyAs } = vi.hoisted(() => ({
  faultyAs: (name: string) => async (original: () => Promise<object>) =>
    (await import("./faults.ts")).faulty(name, await original()),
}));

vi.mock("../../../kernel/src/capability/index.ts", faultyAs("capability"));
vi.mock("../../../kernel/src/capability/chain.ts", faultyAs("chain"));
vi.mock("../../../kernel/src/capability/obstacle.ts", faultyAs("obstacle"));
vi.mock("../../../kernel/src/capability/pattern.ts", faultyAs("pattern"));
vi.mock("../../../kernel/src/label/label.ts", faultyAs("label"));
vi.mock("../../../kernel/src/journal/codec.ts", faultyAs("codec"));
vi.mock("../../../kernel/src/journal/record-text.ts", faultyAs("record-text"));
vi.mock("../../../kernel/src/policy/selectors.ts", faultyAs("selectors"));
vi.mock("../../../kernel/src/store/sqlite/sqlite-store.ts", async (original) => {
  const { openSqliteStore } = await original<{ openSqliteStore: (file: string) => object }>();
  const { plantIn } = await import("./faults.ts");
  return {
    openSqliteStore: (file: string) => {
      const store = openSqliteStore(file);
      plantIn("Store", store);
      return store;
    },
  };
});
vi.mock("../../../kernel/src/syscall/action.ts", faultyAs("action"));
vi.mock("../../../kernel/src/syscall/facts.ts", faultyAs("facts"));
vi.mock("../../../kernel/src/syscall/judge.ts", faultyAs("judge"));
vi.mock("../../../kernel/src/syscall/settlement.ts", faultyAs("settlement"));
vi.mock("../../../kernel/src/syscall/subject.ts", faultyAs("subject"));
vi.mock("../../../kernel/src/syscall/waiting.ts", faultyAs("waiting"));

/** In the normal run a fault is put into one place of so many. */
const STEP = inject("isDeep") ? 1 : 7;

const CLASSES = {
  Account,
  Blocks: BlockRegistry,
  Channels,
  MessageRouter,
  Devices,
  Dormancy,
  Directory,
  Files,
  Grants,
  Hearing: PolicyDecision,
  Holdings,
  Journal,
  Layer,
  Leases,
  People: ApprovalRequests,
  Policies,
  Policy,
  Questions,
  Rates,
  ResourceLabels,
  Scrubber,
  Spawner,
  SqliteCommits,
  Trees: ProcessTrees,
  Vault,
};

for (const [name, { prototype }] of Object.entries(CLASSES)) plantIn(name, prototype);
plantIn("platform", systemPlatform);

/** The call on trial: the next of this name that comes to the gate. */
let next: { readonly call: string; readonly trial: Trial } | undefined;

const { pass } = Gate.prototype; // oxlint-disable-line typescript/unbound-method
Gate.prototype.pass = function (process, call) {
  if (next?.call !== call.name || process.row.agent !== "doer")
    return pass.call(this, process, call);
  const { trial } = next;
  next = undefined;
  return within(trial, () => pass.call(this, process, call));
};

/** Says yes to whatever is asked, until the process has ended. */
async function approveUntilEnd({ kernel }: FaultWorld, pid: string): Promise<void> {
  for (const since = Date.now(); Date.now() - since < 120_000;) {
    const { state } = await kernel.wait(pid, { timeoutMs: 20 });
    if (isEnded(state)) return;
    for (const { id } of await kernel.questions())
      await kernel.answer(id, { by: "alice", choice: "approve" });
  }
}

/** Everything that is kept of a process, as text. */
async function keptOf(kernel: Kernel, pid: string): Promise<string> {
  const core = await kernel.coreDump(pid).catch(() => null);
  return JSON.stringify([await kernel.show(pid), await kernel.journal(pid), core as Json]);
}

/** True when something of this process is to be seen outside it. */
async function hasActed({ kernel, friend }: FaultWorld, { call }: Scenario, pid: string) {
  if (call === "write" || call === "remove") {
    const capabilities = ["memory:/mem/shared/**:read"];
    const reader = await kernel.wait(await kernel.spawn({ agent: "reader", capabilities }));
    return reader.output !== "as they are";
  }
  const others = [await kernel.journal(friend), await kernel.power({ pid: friend })];
  return (
    (await kernel.list({ parent: pid as never })).length > 0 || JSON.stringify(others).includes(pid)
  );
}

async function make(
  world: FaultWorld,
  scenario: Scenario,
  seen: Seen,
  trial: Trial,
): Promise<string> {
  Object.assign(seen, { ...NOTHING_SEEN, trial });
  next = { call: scenario.call, trial };
  const { capabilities, label } = scenario;
  const pid = await world.kernel.spawn({
    agent: "doer",
    input: world.friend,
    capabilities,
    ...(label === undefined ? {} : { label }),
  });
  await approveUntilEnd(world, pid);
  return pid;
}

const those = (flaws: Record<string, boolean>): string[] =>
  Object.entries(flaws).flatMap(([flaw, isSo]) => (isSo ? [flaw] : []));

/** What went wrong with a call that had a fault, as its tool and its program saw it. */
const flawsSeen = ({ trial, ranAfterFault, ranUnrecorded, told = "" }: Seen): string[] =>
  those({
    "a tool ran after the fault": ranAfterFault,
    "a tool ran without an intent": ranUnrecorded,
    "it was told that all is well": told.startsWith("ok") && trial?.recorded !== true,
    "a secret was told": told.includes(SECRET),
  });

/** The same, as the kernel has it. */
async function keptFlaws(world: FaultWorld, scenario: Scenario, pid: string): Promise<string[]> {
  const { kernel } = world;
  const records = await kernel.journal(pid);
  const isDone = records.some(
    (one) => (one.kind === "call" || one.kind === "outcome") && one.ok !== undefined,
  );
  return those({
    "it neither went on nor ended": !isEnded((await kernel.show(pid)).state),
    "a secret was kept": (await keptOf(kernel, pid)).includes(SECRET),
    "an effect without a record": !isDone && (await hasActed(world, scenario, pid)),
  });
}

const NOTHING_SEEN: Seen = {
  trial: undefined,
  ran: false,
  ranAfterFault: false,
  ranUnrecorded: false,
  told: undefined,
};

test.each(SCENARIOS)("$name: no fault lets it through", async (scenario) => {
  const seen: Seen = { ...NOTHING_SEEN };
  let world = await bootWorld(seen, scenario);
  const reboot = async () => {
    await world.kernel.close();
    world = await bootWorld(seen, scenario);
  };
  await make(world, scenario, seen, newTrial()); // fills caches
  if (scenario.changes) await reboot();
  const counting = newTrial();
  await make(world, scenario, seen, counting);
  expect(seen.told).toMatch(scenario.tells);

  const every = placesOf(counting);
  const places = every.filter((_place, at) => at % STEP === 0);
  const found: Record<string, string[]> = {};
  for (const place of places) {
    if (scenario.changes) await reboot();
    const trial = newTrial(place);
    try {
      const pid = await make(world, scenario, seen, trial);
      const kept = await keptFlaws(world, scenario, pid);
      found[place] = [...(trial.thrown ? [] : ["it was not reached"]), ...kept];
    } catch (error) {
      if (!(error as Error).message.includes(FAULT)) throw error; // the store failed, and the kernel with it
      found[place] = [];
      world = await bootWorld(seen, scenario);
    }
    found[place].push(...flawsSeen(seen));
    if (found[place].length === 0) delete found[place];
  }
  await world.kernel.close();

  expect(found).toEqual({});
  expect(every.length).toBeGreaterThan(40);
});
