// Erase: what an erasure removes from a PostgreSQL database (erasure.ts).

import { DROP_IF_UNUSED } from "../compaction.ts";
import {
  DROP_STATE_USES,
  erasureObstacles,
  erasureStatements,
  type ErasureBatch,
} from "../erasure.ts";
import type { RunStatement } from "./connection.ts";
import { locks } from "./locks.ts";

const LOCK = "select key from process where key = any(?::bigint[]) order by key for update";

/** False, and nothing is done, where something that goes on needs a part of it. */
export async function erasePostgres(run: RunStatement, batch: ErasureBatch): Promise<boolean> {
  // Nobody starts to use a value, and no fork to share a record, between the look and the end.
  await run("select pg_advisory_xact_lock(?)", [locks.blobs]);
  const owners = batch.records.map(({ process }) => process);
  await run(LOCK, [[...new Set([...owners, ...batch.states])]]);
  for (const [sql, values] of erasureObstacles(batch))
    if ((await run(sql, values)).length > 0) return false;
  for (const { process, seq, text } of batch.records)
    await run("update journal set record = ? where process = ? and seq = ?", [text, process, seq]);
  for (const process of batch.states)
    for (const { tenant, digest } of await run(DROP_STATE_USES, [process]))
      await run(DROP_IF_UNUSED, [tenant!, digest!]);
  for (const [sql, values] of erasureStatements(batch)) await run(sql, values);
  return true;
}
