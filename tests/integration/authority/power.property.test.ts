// No sequence of spawning, granting, narrowing, messages, forks, shared memory, revocation, expiry and
// replay gives a process more than its grantor could grant. Random trees on real kernels in memory; what
// each process may do is compared with plain sets (power-model.ts).

import { bootKernel, type Kernel } from "@aos/kernel";
import type { Json, Sys, Tool } from "@aos/protocol";
import * as fc from "fast-check";
import { expect, inject, test } from "vitest";
import { sleepMs, until } from "../../helpers/kernel.ts";
import { allowBut } from "../../helpers/policy.ts";
import { checked } from "../../helpers/reference.ts";
import {
  allowedBy,
  CAPABILITIES,
  grantableBy,
  REQUEST_NAMES,
  REQUESTS,
  union,
  type Block,
  type Chain,
  type RequestName,
} from "./power-model.ts";

const DEPTH = inject("isDeep") ? 5 : 1;

/** What every process needs in order to take part at all. */
const BASE = ["agent:puppet:spawn", "message:*:send"];

interface Member {
  readonly pid: string;
  /** What it started with first. */
  readonly chains: { readonly handle: string; readonly chain: Chain }[];
}

interface Gift {
  readonly from: string;
  readonly handle: string;
  readonly block: Block;
}

type Step =
  | { readonly do: "spawn"; readonly at: number; readonly caps: string[]; readonly by: number }
  | { readonly do: "grant"; readonly at: number; readonly to: number; readonly caps: string[] }
  | { readonly do: "give"; readonly to: number; readonly caps: string[]; readonly brief: boolean }
  | { readonly do: "revoke"; readonly at: number }
  | { readonly do: "fork"; readonly at: number }
  | { readonly do: "tell"; readonly at: number; readonly to: number };

const place = fc.nat(30);
const caps = fc.uniqueArray(fc.constantFrom(...Object.keys(CAPABILITIES)), { maxLength: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("spawn" as const), at: place, caps, by: place }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("grant" as const), at: place, to: place, caps }),
  },
  fc.record({ do: fc.constant("give" as const), to: place, caps, brief: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ do: fc.constant("revoke" as const), at: place }) },
  fc.record({ do: fc.constant("fork" as const), at: place }),
  fc.record({ do: fc.constant("tell" as const), at: place, to: place }),
);

const tool = (name: string): Tool => ({
  name,
  version: "1",
  description: name,
  input: {},
  effect: "read",
  label: { integrity: "trusted", secrecy: "public" },
  touches: () => [],
  run: async () => name,
});

/** Does one call for each message. A replay does them again, with the same results. */
const puppet =
  (results: Map<number, Json>) =>
  async (sys: Sys): Promise<Json> => {
    for (;;) {
      const { from, body } = await sys.receive();
      if (from !== "operator") continue;
      const { id, call, args } = body as { id: number; call: string; args: never[] };
      const making = (sys as unknown as Record<string, (...args: never[]) => Promise<Json>>)[call]!(
        ...args,
      );
      const result = await making.then(
        (ok) => ({ ok: ok ?? null }),
        (error: { code: string }) => ({ err: error.code }),
      );
      results.set(id, result);
    }
  };

class Family {
  readonly members: Member[] = [];
  readonly gifts: Gift[] = [];
  readonly #kernel: Kernel;
  readonly #results: Map<number, Json>;
  #commands = 0;

  constructor(kernel: Kernel, results: Map<number, Json>) {
    this.#kernel = kernel;
    this.#results = results;
  }

  member(place: number): Member {
    return this.members[place % this.members.length]!;
  }

  async found(capabilities: readonly string[]): Promise<void> {
    const pid = await this.#kernel.spawn({
      agent: "puppet",
      capabilities: [...BASE, ...capabilities],
    });
    const block = { id: `${pid}.0`, owner: pid, capabilities, dead: false };
    this.members.push({ pid, chains: [{ handle: "", chain: [block] }] });
  }

  async command(
    pid: string,
    call: string,
    ...args: unknown[]
  ): Promise<{ ok?: Json; err?: string }> {
    const id = ++this.#commands;
    await this.#kernel.send(pid, { id, call, args: args as Json[] });
    await until(() => this.#results.has(id), `${call} of ${pid}`);
    return this.#results.get(id) as { ok?: Json; err?: string };
  }

  async take(step: Step): Promise<void> {
    if (step.do === "spawn") return this.#spawn(step);
    if (step.do === "grant") return this.#grant(step);
    if (step.do === "give") return this.#give(step);
    if (step.do === "revoke") return this.#revoke(step);
    if (step.do === "fork") return this.#fork(step);
    const told = this.gifts.map(({ handle }) => handle);
    await this.command(this.member(step.at).pid, "send", this.member(step.to).pid, told);
    await this.command(this.member(step.at).pid, "write", "/mem/shared/x", told);
    await this.command(this.member(step.to).pid, "read", "/mem/shared/x");
  }

  async #spawn({ at, caps, by }: Extract<Step, { do: "spawn" }>): Promise<void> {
    const parent = this.member(at);
    // A handle that is revoked or over counts as one that was never given: to name it is death.
    const alive = parent.chains.filter(({ chain }) => !chain.some(({ dead }) => dead));
    const { handle, chain } = alive[by % alive.length] ?? parent.chains[0]!;
    const options = { capabilities: [...BASE, ...caps], ...(handle === "" ? {} : { by: handle }) };
    const { ok } = await this.command(parent.pid, "spawn", "puppet", null, options);
    if (typeof ok !== "string") return;
    const block = { id: `${ok}.0`, owner: ok, capabilities: caps, dead: false };
    this.members.push({ pid: ok, chains: [{ handle: "", chain: [...chain, block] }] });
  }

  async #grant({ at, to, caps }: Extract<Step, { do: "grant" }>): Promise<void> {
    const from = this.member(at);
    const { ok } = await this.command(from.pid, "grant", this.member(to).pid, caps);
    if (typeof ok === "string") await this.#hold(this.member(to), ok, caps, from);
  }

  async #give({ to, caps, brief }: Extract<Step, { do: "give" }>): Promise<void> {
    const expiresAt = Date.now() + 20;
    const gift = { capabilities: caps, by: "alice", ...(brief ? { expiresAt } : {}) };
    const { handle } = await this.#kernel.grant({ pid: this.member(to).pid }, gift);
    await this.#hold(this.member(to), handle, caps, undefined);
    if (!brief) return;
    await until(() => Date.now() > expiresAt);
    this.gifts.at(-1)!.block.dead = true;
  }

  /** The kernel says which of the grantor's chains it took; it must be one of them. */
  async #hold(to: Member, handle: string, caps: readonly string[], from: Member | undefined) {
    const { holdings } = await this.#kernel.power({ pid: to.pid });
    const ids = holdings.find((one) => one.handle === handle)!.chain.map(({ block }) => block);
    const above = ids.slice(0, -1).join();
    const chains = from?.chains.map(({ chain }) => chain) ?? [[]];
    const via = chains.find((chain) => chain.map(({ id }) => id).join() === above);
    expect(via, "a grant hangs on a chain of its grantor").toBeDefined();
    const block = { id: ids.at(-1)!, owner: to.pid, capabilities: caps, dead: false };
    const had = to.chains.map(({ chain }) => allowedBy(chain));
    to.chains.push({ handle, chain: [...via!, block] });
    this.gifts.push({ from: from?.pid ?? "operator", handle, block });
    if (from === undefined) return;
    const could = union([...had, ...from.chains.map(({ chain }) => grantableBy(chain))]);
    const got = allowedBy([...via!, block]);
    expect([...got].filter((one) => !could.has(one))).toEqual([]);
  }

  async #revoke({ at }: Extract<Step, { do: "revoke" }>): Promise<void> {
    const living = this.gifts.filter(({ block }) => !block.dead);
    const gift = living[at % living.length];
    if (gift === undefined) return;
    if (at % 2 === 0 && gift.from !== "operator")
      await this.command(gift.from, "revoke", gift.handle);
    else await this.#kernel.revoke(gift.handle, "alice");
    gift.block.dead = true;
  }

  async #fork({ at }: Extract<Step, { do: "fork" }>): Promise<void> {
    const { pid, chains } = this.member(at);
    this.members.push({ pid: await this.#kernel.fork(pid), chains: [chains[0]!] });
  }
}

/** What the kernel says that a process may do: asked of the gate, and tried where trying changes nothing. */
async function allowedByKernel(
  kernel: Kernel,
  family: Family,
  pid: string,
): Promise<RequestName[]> {
  const allowed: RequestName[] = [];
  for (const [i, name] of REQUEST_NAMES.entries()) {
    const [call, args] = REQUESTS[i]!;
    const { allow } = await kernel.check(pid, call, args as unknown as Json);
    if (allow) allowed.push(name);
    if (call !== "exec") continue;
    const { err } = await family.command(pid, "exec", args.tool, {});
    expect({ pid, name, err }).toEqual({ pid, name, err: allow ? undefined : "EACCES" });
  }
  return allowed;
}

test("nobody has more than was granted, and exactly what plain sets say", async () => {
  await fc.assert(
    fc.asyncProperty(
      caps,
      fc.array(step, { maxLength: 12 }),
      fc.boolean(),
      async (first, steps, sleepy) => {
        const results = new Map<number, Json>();
        const there = { policy: allowBut(), tools: ["a", "b", "b.c"].map(tool) };
        const booted = await bootKernel({
          store: "memory",
          ...there,
          programs: { puppet: puppet(results) },
          limits: { denialsPerMinute: 100_000 },
          ...(sleepy ? { unloadAfterMs: 0 } : {}), // every command wakes its process, which replays
        });
        const kernel = checked(booted, there);
        const family = new Family(kernel, results);
        await family.found([...first, "tool:a,b:call", "memory:/mem/**:*"]);
        for (const step of steps) await family.take(step);
        await sleepMs(0);

        for (const { pid, chains } of family.members) {
          const model = union(chains.map(({ chain }) => allowedBy(chain)));
          const allowed = await allowedByKernel(kernel, family, pid);
          expect({ pid, allowed }).toEqual({
            pid,
            allowed: REQUEST_NAMES.filter((name) => model.has(name)),
          });
        }
        await kernel.close();
      },
    ),
    { numRuns: 12 * DEPTH },
  );
});
