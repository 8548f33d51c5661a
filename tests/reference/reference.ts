// The reference: says of every recorded call what the gate must have answered, with plain functions, no
// index and no cache, and compares it with what was recorded.
//
//   const { disagreements, tally } = await compareWithReference(kernel, world)
//
// Z1  A call that was done is allowed by power and by policy; a refusal is one that they refuse.
// Z2  What cannot be judged after the fact is left out by name, and counted: nothing is passed over.
// Z3  No capability with `max` was used more often than that, in all of its tree.

import { DEFAULT_POLICY, parseCapability, type Kernel } from "@aos/kernel";
import type { CallRecord, IntentRecord, Json, Label, OutcomeRecord, Touch } from "@aos/protocol";
import { deedOf, type Deed, type Devices } from "./deeds.ts";
import { chainsOf, labelBefore, readLives, type Life, type Lives } from "./history.ts";
import { byPolicy, NotJudged, type Effect, type Source } from "./policy.ts";
import { all, any, byChain, type Chain, type Judged, type Request } from "./power.ts";

export interface ReferenceWorld extends Devices {
  readonly policy?: readonly Source[] | undefined;
  /** Calls before this were judged by a policy that may have been another. */
  readonly bootedAt: number;
}

export interface Comparison {
  readonly disagreements: string[];
  readonly agreed: number;
  readonly tally: ReadonlyMap<string, number>;
}

/** A call, as far as the journal has it. */
interface Past {
  readonly life: Life;
  readonly call: string;
  readonly args: Json;
  readonly begun: CallRecord | IntentRecord;
  readonly came: CallRecord | OutcomeRecord;
}

function* pastOf(life: Life): Generator<Past> {
  const intents = new Map<number, IntentRecord>();
  for (const record of life.records) {
    if (record.seq < life.ownFrom) continue;
    if (record.kind === "intent") intents.set(record.n, intents.get(record.n) ?? record);
    if (record.kind === "call")
      yield { life, call: record.call, args: record.args, begun: record, came: record };
    const intent = record.kind === "outcome" ? intents.get(record.n) : undefined;
    if (record.kind === "outcome" && intent !== undefined)
      yield { life, call: intent.call, args: intent.args, begun: intent, came: record };
  }
}

/** The gate decided after the program was told what made it ask, and before it was recorded. */
function between({ life, begun }: Past): readonly [number, number] {
  const cause = typeof begun.cause === "number" ? life.records[begun.cause] : undefined;
  return [cause?.at ?? life.startedAt, begun.at];
}

type Check = "capability" | "policy" | "labels";

const checkOf = ({ came }: Past): Check | undefined =>
  (came.err?.detail as { check?: Check } | undefined)?.check;

class Replay {
  readonly disagreements: string[] = [];
  agreed = 0;
  readonly tally = new Map<string, number>();
  readonly #lives: Lives;
  readonly #world: ReferenceWorld;
  readonly #hasReloaded: boolean;
  /** Uses of a capability of a block that were for certain uses of it. */
  readonly #uses = new Map<string, { used: number; max: number }>();

  constructor(lives: Lives, world: ReferenceWorld, hasReloaded: boolean) {
    this.#lives = lives;
    this.#world = world;
    this.#hasReloaded = hasReloaded;
  }

  run(): void {
    for (const life of this.#lives.values()) {
      const chains = chainsOf(this.#lives, life);
      for (const past of pastOf(life)) this.#compare(past, chains);
    }
    for (const [capability, { used, max }] of this.#uses)
      if (used > max) this.disagreements.push(`${capability} was used ${used} times`); // Z3
  }

  leave(why: string): void {
    this.tally.set(why, (this.tally.get(why) ?? 0) + 1);
  }

  #compare(past: Past, chains: readonly Chain[]): void {
    try {
      const wrong = this.#wrongWith(past, chains);
      if (wrong === undefined) this.agreed += 1;
      else this.#disagree(past, wrong);
    } catch (error) {
      if (!(error instanceof NotJudged)) throw error;
      this.leave(error.message);
    }
  }

  #disagree({ life, call, came, args }: Past, wrong: string): void {
    const said = came.err === undefined ? "done" : came.err.code;
    const what = `${call} ${JSON.stringify(args).slice(0, 200)}`;
    this.disagreements.push(`${life.pid}#${came.seq} ${what} was ${said}; the reference: ${wrong}`);
  }

  #wrongWith(past: Past, chains: readonly Chain[]): string | undefined {
    const { call, args, came, life } = past;
    const check = checkOf(past);
    if (came.err !== undefined && check === undefined && came.err.code !== "EDENIED")
      throw new NotJudged("failed by itself");
    if (came.err?.code === "EDENIED" && call === "ask")
      throw new NotJudged("a person's no to a question");
    if (came.verdict?.includes("taken as done") === true) throw new NotJudged("taken as done");
    const deed = deedOf(call, args, life, this.#lives, this.#world);
    const by = (args as { by?: string } | null)?.by;
    const held = by === undefined ? chains : chains.filter(({ handle }) => handle === by);
    const ask = (touch: Touch) => this.#ask(past, deed, held, touch);
    if (check === "capability") return this.#refusedRightly(past, deed, ask);
    const powers = deed.touches.map(ask);
    const lacking = powers.find(({ answer }) => answer === "no");
    if (lacking !== undefined) return `no capability for ${JSON.stringify(deed.touches)}`;
    for (const [kind, resource, verb] of came.also ?? [])
      if (ask({ kind, resource, verb }).answer === "no") return `no capability for ${resource}`;
    if (came.err === undefined) this.#count(past, deed, held);
    return this.#byPolicy(past, deed, powers, held);
  }

  #ask(past: Past, { args }: Deed, chains: readonly Chain[], touch: Touch): Judged {
    const request: Request = { touch, args, between: between(past) };
    const said = chains.map((chain) => byChain(chain, request));
    return {
      answer: any(said.map(({ answer }) => answer)),
      pins: said.flatMap(({ answer, pins }) => (answer === "no" ? [] : pins)),
      counted: said.some(({ counted }) => counted),
    };
  }

  /** Z1, for power. */
  #refusedRightly({ came }: Past, deed: Deed, ask: (touch: Touch) => Judged): string | undefined {
    const { touch, grant } = came.err!.detail as { touch?: Touch; grant?: Json };
    if (touch === undefined && grant !== undefined) throw new NotJudged("what may be handed on");
    const powers = touch === undefined ? deed.touches.map(ask) : [ask(touch)];
    const answer = all(powers.map((power) => power.answer));
    if (answer === "no") return undefined;
    if (powers.some(({ counted }) => counted)) throw new NotJudged("refused by a counter");
    if (answer === "maybe") throw new NotJudged("power changed meanwhile");
    return "a capability allows it";
  }

  /** Only where nothing else can have been used in its place. */
  #count(past: Past, { touches, args }: Deed, chains: readonly Chain[]): void {
    for (const touch of touches) {
      const request: Request = { touch, args, between: between(past) };
      const able = chains.filter((chain) => byChain(chain, request).answer !== "no");
      if (able.length !== 1) continue;
      for (const block of able[0]!.blocks) {
        const { holder } = able[0]!.blocks.at(-1)!;
        const alone = (text: string) =>
          byChain(
            {
              ...able[0]!,
              blocks: [
                { ...block, capabilities: [text] },
                { ...block, holder, capabilities: [text] },
              ],
            },
            request,
          ).answer !== "no";
        const fitting = block.capabilities.filter(alone);
        const { max } = fitting.length === 1 ? parseCapability(fitting[0]!).constraints : {};
        if (max === undefined) continue;
        const key = `${fitting[0]} of ${block.id}`;
        this.#uses.set(key, { used: (this.#uses.get(key)?.used ?? 0) + 1, max });
      }
    }
  }

  /** Z1, for policy and labels. */
  #byPolicy(past: Past, deed: Deed, powers: readonly Judged[], chains: readonly Chain[]) {
    const { came, begun } = past;
    if (this.#hasReloaded) throw new NotJudged("the policy was changed");
    if (begun.at <= this.#world.bootedAt) throw new NotJudged("decided before this boot");
    const effects = new Set(this.#effects(past, deed, powers));
    if (effects.size > 1) throw new NotJudged("what it had read, or pins, changed meanwhile");
    const [effect] = effects;
    const check = checkOf(past);
    if (check === "labels") {
      const [, most] = labelBefore(this.#lives, past.life, came.seq);
      return most.secrecy === "secret" ? undefined : "nothing secret was read";
    }
    const isRefused = check === "policy";
    if (isRefused && effect !== "deny" && past.call === "exec")
      throw new NotJudged("refused while it ran");
    if (isRefused) return effect === "deny" ? undefined : `the policy says ${effect}`;
    if (came.err?.code === "EDENIED" || came.verdict?.startsWith("approved by") === true)
      return effect === "ask" ? undefined : `the policy says ${effect}`;
    if (effect === "ask" && chains.some(({ standing }) => standing)) return undefined;
    return effect === "allow" ? undefined : `the policy says ${effect}`;
  }

  *#effects(past: Past, deed: Deed, powers: readonly Judged[]): Generator<Effect> {
    const { life, begun } = past;
    const speaking = powers.filter((power) => isPinnedBy(power, deed, powers.indexOf(power)));
    const isMaybe = speaking.some(({ answer }) => answer === "maybe");
    const pinned = speaking.length > 0;
    for (const label of this.#labels(past))
      for (const sinks of deed.sinks)
        for (const morePower of deed.morePower)
          for (const isPinned of isMaybe ? [false, true] : [pinned])
            yield byPolicy(
              this.#world.policy ?? [DEFAULT_POLICY],
              {
                ...deed,
                call: past.call,
                agent: life.agent,
                tenant: life.tenant,
                pid: life.pid,
                depth: life.depth,
                target: undefined,
                label,
                sinks,
                pinned: isPinned,
                morePower,
                cost: { usd: 0, tokens: 0, toolCalls: 0 },
                spent: { usd: 0, tokens: 0, toolCalls: 0 },
                atMs: begun.at,
              },
              this.#world.tools.map(({ name }) => name),
            );
  }

  #labels({ life, begun }: Past): Label[] {
    const told = typeof begun.cause === "number" ? begun.cause + 1 : begun.seq;
    return [...labelBefore(this.#lives, life, told), ...labelBefore(this.#lives, life, begun.seq)];
  }
}

/** A pin stands for a person where it is on the tool itself, and fixes all that carries authority. */
function isPinnedBy({ pins }: Judged, { tool, touches, authority }: Deed, at: number): boolean {
  if (tool !== undefined && touches[at]?.kind !== "tool") return false;
  return pins.some((names) => authority.every((name) => names.includes(name)));
}

export async function compareWithReference(
  kernel: Kernel,
  world: ReferenceWorld,
): Promise<Comparison> {
  const { lives, left } = await readLives(kernel);
  const ledger = await kernel.ledger();
  const replay = new Replay(
    lives,
    world,
    ledger.some(({ what }) => what.includes("policy")),
  );
  for (const why of left) replay.leave(why);
  replay.run();
  return replay;
}
