// The reference: says of every recorded call what the gate must have answered, with plain functions, no
// index and no cache, and compares it with what was recorded.
//
//   const { disagreements, agreed, tally } = await compareWithReference(books, reigns)
//
// REFERENCE-1  A call that was done is allowed by power and by policy; a refusal is one that they refuse.
// REFERENCE-2  What cannot be judged after the fact is left out by name, and counted: nothing is passed
//     over.
// REFERENCE-3  No counter of a capability and no rate of a rule was used more than it allows, over all
//     processes.

import type { Json, Touch } from "@aos/protocol";
import { ask, isSame, requestOf, useOf, type Case } from "./case.ts";
import { Counters, type Limit } from "./counters.ts";
import { deedOf } from "./deeds.ts";
import { mayHaveMore } from "./more-power.ts";
import {
  chainsOf,
  labelBefore,
  readLives,
  type Books,
  type Lives,
  TOLD_NOTHING,
  type Told,
} from "./history.ts";
import { skillAgainst } from "./narrowing.ts";
import { between, checkOf, isLeftOut, isRefused, pastOf, type Past } from "./past.ts";
import { all, any, byChain, countedBy, isLimited, type Chain, type Judged } from "./power.ts";
import { mayDenyResources } from "./policy.ts";
import { reignsIn, speaksOfRates, type Reign } from "./reigns.ts";
import type { Said } from "./said.ts";
import { NotJudged } from "./selectors.ts";
import { saidOf } from "./worlds.ts";

export interface Comparison {
  readonly disagreements: string[];
  readonly journals: number;
  readonly agreed: number;
  readonly tally: ReadonlyMap<string, number>;
}

class Replay implements Comparison {
  readonly disagreements: string[] = [];
  agreed = 0;
  readonly tally = new Map<string, number>();
  readonly #lives: Lives;
  readonly #reigns: readonly Reign[];
  readonly #told: Told;
  readonly #counters = new Counters();

  constructor(lives: Lives, reigns: readonly Reign[], told: Told) {
    this.#told = told;
    this.#lives = lives;
    this.#reigns = reigns;
  }

  get journals(): number {
    return this.#lives.size;
  }

  run(): void {
    for (const note of [true, false])
      for (const life of this.#lives.values()) {
        const chains = chainsOf(this.#lives, life);
        for (const past of pastOf(life))
          if (note) this.#note(past, chains);
          else this.#compare(past, chains);
      }
    this.disagreements.push(...this.#counters.overused()); // REFERENCE-3
  }

  leave(why: string): void {
    this.tally.set(why, (this.tally.get(why) ?? 0) + 1);
  }

  #casesOf(past: Past, chains: readonly Chain[]): Case[] {
    const by = (past.args as { by?: string } | null)?.by;
    const held = by === undefined ? chains : chains.filter(({ handle }) => handle === by);
    const reigns = reignsIn(this.#reigns, between(past));
    const morePower = mayHaveMore(past, chains, this.#lives, this.#told);
    if (reigns.length === 0) throw new NotJudged("under a policy that is not known");
    return reigns.map((reign) => ({
      past,
      reign,
      deed: { ...deedOf(past, this.#lives, reign), morePower },
      chains: held,
    }));
  }

  #compare(past: Past, chains: readonly Chain[]): void {
    try {
      if (isLeftOut(past) !== undefined) throw new NotJudged(isLeftOut(past));
      const wrong = this.#casesOf(past, chains).map((one) => this.#wrongWith(one));
      if (wrong.every((one) => one === undefined)) this.agreed += 1;
      else if (wrong.includes(undefined)) this.leave("the policy was changed meanwhile");
      else this.#disagree(past, wrong[0]!);
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

  #wrongWith(one: Case): string | undefined {
    const { came } = one.past;
    if (checkOf(one.past) === "capability") return this.#refusedRightly(one);
    const skill = skillAgainst(one.past);
    if (skill !== undefined) return `the skill ${skill} does not allow it`;
    const powers = one.deed.touches.map((touch) => ask(one, touch));
    if (powers.some(({ answer }) => answer === "no"))
      return `no capability for ${JSON.stringify(one.deed.touches)}`;
    for (const [kind, resource, verb] of came.also ?? []) {
      const touch = { kind, resource, verb };
      if (ask(one, touch).answer === "no") return `no capability for ${resource}`;
      if (this.#isFoundWrongly(one, powers, touch)) return `no policy for ${resource}`;
    }
    return this.#byPolicy(one, powers);
  }

  /** REFERENCE-1, for power. */
  #refusedRightly(one: Case): string | undefined {
    const { touch, grant } = one.past.came.err!.detail as { touch?: Touch; grant?: Json };
    if (touch === undefined && grant !== undefined) throw new NotJudged("what may be handed on");
    const touches = touch === undefined ? one.deed.touches : [touch];
    const powers = touches.map((asked) => ask(one, asked));
    const answer = all(powers.map((power) => power.answer));
    if (answer === "no") return undefined;
    if (powers.some(({ counted }) => counted)) return this.#byCounter(one, touches);
    if (answer === "maybe") throw new NotJudged("power changed meanwhile");
    return "a capability allows it";
  }

  /** REFERENCE-3: in each chain that would allow it, all that fits in one of the blocks can be used up. */
  #byCounter(one: Case, touches: readonly Touch[]): string | undefined {
    const use = useOf(one, false);
    const isUp = touches.some((touch) =>
      one.chains
        .filter((chain) => byChain(chain, requestOf(one, touch)).answer !== "no")
        .every((chain) =>
          countedBy(chain, requestOf(one, touch)).some((fitting) =>
            fitting.every(
              ({ bytes, ...counted }) =>
                bytes !== undefined ||
                this.#counters.canRefuse(counted.key, counted, use, touches.length),
            ),
          ),
        ),
    );
    if (isUp) return undefined;
    const isSure = touches.every(
      (touch) =>
        any(
          one.chains.map((chain) => {
            const request = { ...requestOf(one, touch), isUncounted: true };
            return byChain(chain, request).answer;
          }),
        ) === "yes",
    );
    if (!isSure) throw new NotJudged("power changed meanwhile");
    return this.#unlessUnrecorded("no counter is used up");
  }

  /** A call that was cut off has used what it used, and has no record. */
  #unlessUnrecorded(wrong: string): string {
    if ([...this.#lives.values()].every(({ isCompleted }) => isCompleted)) return wrong;
    throw new NotJudged("a counter that a call without a record may have used");
  }

  /** REFERENCE-3. All that was used, for certain or perhaps. */
  #note(past: Past, chains: readonly Chain[]): void {
    try {
      const cases = this.#casesOf(past, chains);
      // Under which of several it was is not known: it is one use, and of none of them for certain.
      const isKnown = cases.length === 1;
      for (const one of cases) {
        if (isRefused(past) && !mayBeLater(one)) continue;
        this.#noteCapabilities(one, isKnown);
        if (speaksOfRates(one.reign)) this.#noteRates(one, isKnown);
      }
    } catch (error) {
      if (!(error instanceof NotJudged)) throw error; // it is counted when it is compared
    }
  }

  #noteCapabilities(one: Case, isKnown: boolean): void {
    for (const touch of one.deed.touches) {
      const able = one.chains.filter(
        (chain) => byChain(chain, requestOf(one, touch)).answer !== "no",
      );
      for (const chain of able)
        for (const fitting of countedBy(chain, requestOf(one, touch)))
          for (const counted of fitting.filter(isLimited))
            this.#counters.note(
              counted.key,
              counted,
              useOf(one, isKnown && able.length === 1 && fitting.length === 1),
            );
    }
  }

  #noteRates(one: Case, isKnown: boolean): void {
    const powers = one.deed.touches.map((touch) => ask(one, touch));
    const said = [...saidOf(this.#lives, one.reign, one.past, one.deed, powers)];
    const rates = new Map(said.flatMap((each) => each.rates.map((rate) => [rate.key, rate])));
    for (const [key, limit] of rates) {
      const isUsed = said.every((each) => each.rates.some((rate) => rate.key === key));
      this.#counters.note(key, limit, useOf(one, isKnown && isUsed));
    }
  }

  /** REFERENCE-1, for policy and labels. */
  #byPolicy(one: Case, powers: readonly Judged[]): string | undefined {
    if (checkOf(one.past) === "labels") {
      const [, most] = labelBefore(this.#lives, one.past.life, one.past.came.seq);
      return most.secrecy === "secret" ? undefined : "nothing secret was read";
    }
    const said = [...saidOf(this.#lives, one.reign, one.past, one.deed, powers)];
    const wrong = said.map((each) => this.#wrongUnder(one, each));
    if (wrong.every((each) => each === undefined)) return undefined;
    if (wrong.includes(undefined))
      throw new NotJudged("what it had read, the time, money or pins changed meanwhile");
    if (mayBeLater(one)) throw new NotJudged("refused while it ran");
    return wrong[0];
  }

  #wrongUnder(one: Case, { effect, rates }: Said): string | undefined {
    const { came } = one.past;
    const isSaid = (right: boolean) => (right ? undefined : `the policy says ${effect}`);
    if (checkOf(one.past) === "policy") {
      if (came.err!.code !== "EAGAIN") return isSaid(effect === "deny");
      const isUp = ({ key, ...limit }: Limit & { key: string }) =>
        this.#counters.canRefuse(key, limit, useOf(one, false), 1);
      return rates.some(isUp) ? undefined : this.#unlessUnrecorded("no rate is used up");
    }
    if (came.err?.code === "EDENIED" || came.verdict?.startsWith("approved by") === true)
      return isSaid(effect === "ask");
    if (effect === "ask" && one.chains.some(({ standing }) => standing)) return undefined;
    return isSaid(effect === "allow");
  }

  /** What a call turned out to touch while it ran, and nothing could have allowed. */
  #isFoundWrongly(one: Case, powers: readonly Judged[], touch: Touch): boolean {
    const isApproved = one.past.came.verdict?.startsWith("approved by") === true;
    const said = [...saidOf(this.#lives, one.reign, one.past, one.deed, powers, [touch])];
    return said.every(({ effect }) => effect !== "allow" && !(effect === "ask" && isApproved));
  }
}

/** A tool that runs may come upon a resource that a rule denies; its record does not say which. */
function mayBeLater({ past, reign, deed }: Case): boolean {
  if (past.call !== "exec" || checkOf(past) === undefined) return false;
  const { rule, touch } = past.came.err!.detail as { rule?: string; touch?: Touch };
  if (touch !== undefined) return !deed.touches.some((one) => isSame(one, touch));
  return past.came.err!.code === "EPOLICY" && mayDenyResources(reign.policy, rule ?? "");
}

export async function compareWithReference(
  books: Books,
  reigns: readonly Reign[],
  told: Told = TOLD_NOTHING,
): Promise<Comparison> {
  const { lives, left } = await readLives(books, told);
  const replay = new Replay(lives, reigns, told);
  for (const why of left) replay.leave(why);
  replay.run();
  return replay;
}
