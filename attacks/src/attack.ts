// Attack: the built-in red team. Each attack runs on a range made from the live configuration, tries something that
// must not work, and reports whether it worked. docs/attacks.md lists the groups.
//
//   for await (const { attack, number, of } of runAttacks(source, { only: ["F", "H3"] })) …
//                                                 those of a group, or by their ids; all unless said
//
// ATTACK-1  Each attack has its own range, so that no attack can stop the next one.
// ATTACK-2  An attack that could not be tried is reported as skipped, never as stopped.
// ATTACK-3  An aborted run ends with a failure: attacks that were not tried never count as stopped.

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

/** Yields each attack when it ends. An unknown id or group is refused before the first attack. */
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
      throw new SysError("EINTR", `aborted after ${index} of ${rows.length} attacks`, {
        hint: "the remaining attacks were not tried; run the command again",
      });
    yield { attack: await attempt(row, source), number: index + 1, of: rows.length };
  }
}

/** ATTACK-1, ATTACK-2. `weak` lists the deliberate weaknesses of the range. */
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
    return skipped(`the attack could not be tried: ${(error as Error).message}`);
  }
}

function chosen(only: readonly string[] | undefined): readonly AttackRow[] {
  if (only === undefined || only.length === 0) return attackRows;
  const isMeant = ({ id }: AttackRow, one: string) => id === one || id.replace(/\d+$/, "") === one;
  const unknown = only.find((one) => !attackRows.some((row) => isMeant(row, one)));
  if (unknown !== undefined)
    throw new SysError("EINVAL", `no attack or group is called "${unknown}"`, {
      hint: `groups: ${attackGroups.map(({ letter, name }) => `${letter} ${name}`).join("; ")}`,
    });
  return attackRows.filter((row) => only.some((one) => isMeant(row, one)));
}

/** Why an attack cannot be tried here, or undefined. */
async function missingFor(need: Need, source: RangeSource): Promise<string | undefined> {
  switch (need) {
    case "links":
      return process.platform === "win32" ? "this platform has no symbolic links" : undefined;
    case "proc":
      return process.platform === "linux" ? undefined : "this platform has no /proc";
    case "a name of the loopback":
      return (await loopbackName()) === undefined
        ? "only localhost resolves to loopback on this machine"
        : undefined;
    case "small limits":
      return hasSmallLimits(source)
        ? undefined
        : "the configured limits are above what the attack tries";
  }
}

/** Without small limits an attack would have to fill the machine to reach one. */
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
