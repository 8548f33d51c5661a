// Audit of holdings: the row of a grant matches its record.

import type { GrantRecord, JournalRecord } from "@aos/protocol";
import type { HoldingRow } from "../store/rows.ts";

/** A grant is recorded with the first commit after it arrived; before, nobody can use it. */
export function holdingProblems(
  rows: readonly HoldingRow[],
  records: readonly JournalRecord[],
): { seq: number; problem: string }[] {
  const grants = new Map(
    records.flatMap((record) => (record.kind === "grant" ? [[record.handle, record]] : [])),
  );
  const end = records.length - 1;
  return rows.flatMap((row) => {
    const grant = grants.get(row.handle);
    if (grant === undefined)
      return row.state === "new" || row.state === "revoking"
        ? []
        : [{ seq: end, problem: "it holds a grant that is not recorded" }];
    return isSameGrant(row, grant)
      ? []
      : [{ seq: grant.seq, problem: "what it was granted is not what is recorded" }];
  });
}

export function isSameGrant(
  { blocks, givenBy, expiresAt }: HoldingRow,
  grant: GrantRecord,
): boolean {
  const { capabilities, standing, runs, label, expiresAt: ends } = blocks.at(-1)!;
  return (
    JSON.stringify(capabilities) === JSON.stringify(grant.capabilities) &&
    givenBy === grant.by &&
    standing === grant.standing &&
    runs === grant.runs &&
    label === grant.words &&
    ends === grant.expiresAt &&
    (expiresAt ?? undefined) === grant.expiresAt
  );
}
