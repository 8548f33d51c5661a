// Attack: the built-in red team. Each attack tries, on a range made from the live configuration, what must
// not work, and says whether it did. docs/attacks.md lists them.
//
//   for await (const { attack, number, of } of runAttacks(source, { only: ["F", "H3"] })) …
//                                                 those of a group, or by their ids; all unless said
//
// ATTACK-1  Each attack has a range of its own: what one does cannot be what stops the next.
// ATTACK-2  What could not be tried is said to be skipped, never stopped.
// ATTACK-3  A run that is broken off ends with a failure: what was not tried is never taken for stopped.

import { defaultApprovals, defaultLimits } from "@aos/kernel";
import { type Attack, type AttackReport, type AttemptedAttack, SysError } from "@aos/protocol";
import { loopbackName } from "./catalogue/addresses.ts";
import { attackGroups, attackRows, type AttackRow } from "./catalogue/index.ts";
import type { Need } from "./catalogue/row.ts";
import { Range, type RangeSource } from "./range.ts";
import type { Weakness } from "./weaknesses.ts";

interface Choice {
  /** Letters of groups, and ids of attacks. */
  readonly only?: readonly string[] | undefined;
}

type OnTried = (attack: Attack, number: number, of: number) => void;

/** Each attack when it is over. A name that is not there is refused before the first. */
export function runAttacks(
  source: RangeSource,
  { only, signal }: Choice & { readonly signal?: AbortSignal } = {},
): AsyncIterable<AttemptedAttack> {
  return tryEach(chosen(only), source, signal);
}

/** The same as one report, for any source. */
export async function attackRange(
  source: RangeSource,
  { only, onTried }: Choice & { readonly onTried?: OnTried } = {},
): Promise<AttackReport> {
  const attacks: Attack[] = [];
  for await (const { attack, number, of } of tryEach(chosen(only), source)) {
    attacks.push(attack);
    onTried?.(attack, number, of);
  }
  const gotThrough = attacks.filter(({ outcome }) => outcome === "got-through").length;
  return { attacks, gotThrough };
}

/** ATTACK-3. */
async function* tryEach(
  rows: readonly AttackRow[],
  source: RangeSource,
  signal?: AbortSignal,
): AsyncGenerator<AttemptedAttack> {
  for (const [index, row] of rows.entries()) {
    if (signal?.aborted === true)
      throw new SysError("EINTR", `broken off after ${index} of ${rows.length} attacks`, {
        hint: "the others were not tried; run it again",
      });
    yield { attack: await attempt(row, source), number: index + 1, of: rows.length };
  }
}

/** ATTACK-1, ATTACK-2. `weak`: what is wrong with the range on purpose. */
export async function attempt(
  row: AttackRow,
  source: RangeSource,
  weak: readonly Weakness[] = [],
): Promise<Attack> {
  const { id, name } = row;
  const group = attackGroups.find(({ letter }) => id.startsWith(letter))!.name;
  const skipped = (detail: string): Attack => ({ id, name, group, outcome: "skipped", detail });
  for (const need of row.needs ?? []) {
    const missing = await missingFor(need, source);
    if (missing !== undefined) return skipped(missing);
  }
  try {
    await using range = await Range.open(source, { ...row.mode, weak });
    const { gotThrough, detail } = await row.run(range);
    return { id, name, group, outcome: gotThrough ? "got-through" : "stopped", detail };
  } catch (error) {
    return skipped(`it could not be tried: ${(error as Error).message}`);
  }
}

function chosen(only: readonly string[] | undefined): readonly AttackRow[] {
  if (only === undefined || only.length === 0) return attackRows;
  const isMeant = ({ id }: AttackRow, one: string) => id === one || id.replace(/\d+$/, "") === one;
  const unknown = only.find((one) => !attackRows.some((row) => isMeant(row, one)));
  if (unknown !== undefined)
    throw new SysError("EINVAL", `there is no attack and no group of attacks "${unknown}"`, {
      hint: `groups: ${attackGroups.map(({ letter, name }) => `${letter} ${name}`).join("; ")}`,
    });
  return attackRows.filter((row) => only.some((one) => isMeant(row, one)));
}

/** Why an attack cannot be tried here, or undefined. */
async function missingFor(need: Need, source: RangeSource): Promise<string | undefined> {
  switch (need) {
    case "links":
      return process.platform === "win32" ? "there are no links to try it with" : undefined;
    case "proc":
      return process.platform === "linux" ? undefined : "there is no /proc here";
    case "a name of the loopback":
      return (await loopbackName()) === undefined
        ? "no name of this machine but localhost leads to its loopback"
        : undefined;
    case "small limits":
      return hasSmallLimits(source) ? undefined : "the limits are larger than what would be tried";
  }
}

/** So that an attack need not fill the machine to find a limit. */
function hasSmallLimits({ limits = {}, approvals = {} }: RangeSource): boolean {
  const has = { ...defaultLimits, ...limits };
  const { perHour } = { ...defaultApprovals, ...approvals };
  return (
    has.spawnDepth <= 8 &&
    has.treeProcesses <= 120 &&
    has.pendingCalls <= 1000 &&
    has.argumentBytes <= 16 * 1024 * 1024 &&
    has.denialsPerMinute <= 120 &&
    perHour <= 60
  );
}
