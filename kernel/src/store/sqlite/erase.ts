// Erase: what an erasure removes from a SQLite file (erasure.ts). The records of a process are found by the walk along
// its chain.

import { DROP_IF_UNUSED } from "../compaction.ts";
import {
  DROP_STATE_USES,
  erasureObstacles,
  erasureStatements,
  type ErasureBatch,
} from "../erasure.ts";
import type { ProcessKey } from "../rows.ts";
import type { SqlValue, Statement } from "../writes.ts";
import { WALK, type Prepare } from "./history.ts";

/** False, and nothing is done, where something that goes on needs a part of it. */
export function eraseSqlite(prepare: Prepare, batch: ErasureBatch): boolean {
  const all = ([sql, values]: Statement) => prepare(sql).all(...(values as SqlValue[]));
  if (erasureObstacles(batch).some((statement) => all(statement).length > 0)) return false;
  for (const [process, records] of Map.groupBy(batch.records, (record) => record.process)) {
    const places = placesOf(prepare, process);
    for (const { hash, text } of records) {
      const place = places.get(hash);
      if (place === undefined) return refuse(); // compacted meanwhile
      prepare("update journal set record = ? where pos = ?").run(text, place);
    }
  }
  for (const process of batch.states)
    for (const { tenant, digest } of prepare(DROP_STATE_USES).all(process))
      prepare(DROP_IF_UNUSED).run(tenant!, digest!);
  for (const statement of erasureStatements(batch)) all(statement);
  return true;
}

function placesOf(prepare: Prepare, process: ProcessKey): Map<string, number> {
  const rows = prepare(`${WALK} select pos, hash from walk where process = ?`).all(
    process,
    process,
  );
  return new Map(
    rows.map(({ pos, hash }) => [Buffer.from(hash as Uint8Array).toString("hex"), Number(pos)]),
  );
}

/** Rolls the transaction back. */
function refuse(): never {
  throw new Error("a record that was to be erased is not there");
}
