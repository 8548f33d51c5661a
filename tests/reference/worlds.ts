// Worlds: each way in which a recorded call can have come to the policy. A journal does not say to the
// millisecond when it was decided, and what had been read, spent or pinned may have changed meanwhile.

import type { Label, Touch } from "@aos/protocol";
import type { Deed } from "./deeds.ts";
import { labelBefore, type Lives } from "./history.ts";
import { between, type Past } from "./past.ts";
import { byPolicy } from "./policy.ts";
import type { Judged } from "./power.ts";
import { speaksOfCost, speaksOfMoney, speaksOfTime, type Reign } from "./reigns.ts";
import type { Said } from "./said.ts";
import { NOTHING_SPENT, spentBefore } from "./spending.ts";

function* labelsOf(lives: Lives, { life, begun }: Past): Generator<Label> {
  const told = typeof begun.cause === "number" ? begun.cause + 1 : begun.seq;
  const all = [...labelBefore(lives, life, told), ...labelBefore(lives, life, begun.seq)];
  const seen = new Set<string>();
  for (const label of all) {
    const text = JSON.stringify(label);
    if (!seen.has(text)) yield label;
    seen.add(text);
  }
}

/** A pin stands for a person where it is on the tool itself, and fixes all that carries authority. */
function isPinnedBy({ pins }: Judged, { tool, touches, authority }: Deed, at: number): boolean {
  if (tool !== undefined && touches[at]?.kind !== "tool") return false;
  return pins.some((names) => authority.every((name) => names.includes(name)));
}

/** What its policy would have said, in every one of them. */
export function* saidOf(
  lives: Lives,
  reign: Reign,
  past: Past,
  deed: Deed,
  powers: readonly Judged[],
  touches: readonly Touch[] = deed.touches,
): Generator<Said> {
  const { life } = past;
  const [from, to] = between(past);
  const speaking = powers.filter((power, at) => isPinnedBy(power, deed, at));
  const isMaybe = speaking.some(({ answer, arePinsUnsure }) => answer === "maybe" || arePinsUnsure);
  const times = speaksOfTime(reign) && from !== to ? [from, to] : [to];
  const cost = speaksOfCost(reign) ? deed.worst() : NOTHING_SPENT;
  const money = speaksOfMoney(reign)
    ? [spentBefore(lives, past, false), spentBefore(lives, past, true)]
    : [NOTHING_SPENT];
  for (const label of labelsOf(lives, past))
    for (const sinks of deed.sinks(label))
      for (const morePower of deed.morePower)
        for (const pinned of isMaybe ? [false, true] : [speaking.length > 0])
          for (const atMs of times)
            for (const spent of money)
              yield byPolicy(
                reign.policy,
                life.layers,
                {
                  ...deed,
                  touches,
                  call: past.call,
                  agent: life.agent,
                  tenant: life.tenant,
                  pid: life.pid,
                  depth: life.depth,
                  label,
                  sinks,
                  pinned,
                  morePower,
                  cost,
                  spent,
                  atMs,
                },
                reign.tools.map(({ name }) => name),
              );
}
