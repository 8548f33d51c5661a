// Attacks: progress and result of `aos doctor --attack`.
//
// ATTACKS-1  Attacks that got through are listed first, then those that were not tried, with the reason.
// ATTACKS-2  An aborted run is a failure, whatever was stopped before.

import { type Attack, type AttemptedAttack, SysError } from "@aos/protocol/words";
import { colors } from "./colors.ts";
import type { Output } from "./output.ts";
import { startProgress } from "./progress.ts";
import { table } from "./table.ts";

/** ATTACKS-2. On a terminal one line says where it is; elsewhere each group that is over has one. */
export async function collectAttacks(
  tried: AsyncIterable<AttemptedAttack>,
  { format, note }: Pick<Output, "format" | "note">,
): Promise<readonly Attack[]> {
  const attacks: Attack[] = [];
  const progress = startProgress({ format }, "attacks", { unit: "attacks" });
  let total = 0;
  const noteGroup = () => {
    const group = attacks.at(-1)?.group;
    if (group !== undefined && !process.stderr.isTTY)
      note(`${attacks.length} of ${total} attacks: ${group}`);
  };
  try {
    for await (const { attack, number, of } of tried) {
      if (attack.group !== attacks.at(-1)?.group) noteGroup();
      total = of;
      attacks.push(attack);
      progress.at(number, of, `${attack.id} ${attack.name}`);
    }
  } finally {
    progress.stop();
  }
  noteGroup();
  if (attacks.length < total || total === 0)
    throw new SysError("EINTR", `the daemon stopped after ${attacks.length} of ${total} attacks`);
  return attacks;
}

/** ATTACKS-1. Those that were stopped have a line each only when `isWhole`, and are counted otherwise. */
export function attackText(attacks: readonly Attack[], isWhole: boolean): string {
  const of = (wanted: Attack["outcome"]) => attacks.filter(({ outcome }) => outcome === wanted);
  const stopped = of("stopped");
  const listed = [...of("got-through"), ...of("skipped"), ...(isWhole ? stopped : [])];
  const parts = [
    ...(listed.length === 0 ? [] : [listText(listed)]),
    ...(isWhole ? [] : [countText(attacks, stopped)]),
  ];
  return parts.join("\n\n");
}

const listText = (listed: readonly Attack[]): string =>
  table(
    ["OUTCOME", "ID", "GROUP", "ATTACK", "DETAIL"],
    listed.map(({ outcome, id, group, name, detail }) => [
      outcome === "got-through" ? colors.red(outcome) : outcome,
      id,
      group,
      name,
      detail,
    ]),
  );

function countText(attacks: readonly Attack[], stopped: readonly Attack[]): string {
  const groups = [...new Set(attacks.map(({ group }) => group))];
  const countOf = (some: readonly Attack[], group: string) =>
    some.filter((attack) => attack.group === group).length;
  return table(
    ["GROUP", "STOPPED"],
    groups.map((group) => [group, `${countOf(stopped, group)} of ${countOf(attacks, group)}`]),
  );
}
