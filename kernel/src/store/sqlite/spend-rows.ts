// SpendRows: adds to the rows of spend in the embedded store. A row that was added to before is found by its
// rowid, which is a third of the work of finding it by its key of five columns.
//
// SPEND-ROWS-1  A remembered rowid is a hint: the update names the whole key as well, and where it
//     changes nothing (the row was removed, or a vacuum gave it another rowid) the row is added to by its
//     key.

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { addSpend, amountsOf } from "../spend.ts";
import { hasNoCost, isSameSpend, type SpendRow } from "../spend-row.ts";
import type { SqlValue } from "../writes.ts";

interface Known {
  readonly row: SpendRow;
  readonly rowid: number;
}

/** Roots whose rows are remembered; a miss costs the look-up by key. */
const MAX_KNOWN_ROOTS = 20_000;

const WHERE = "where rowid = ? and root = ? and hour = ? and tenant = ? and what = ? and agent = ?";
const UPDATE = `
  update spend set micro_usd = micro_usd + ?, tokens = tokens + ?, tool_calls = tool_calls + ?, calls = calls + ?,
      unpriced = unpriced + ?, over_micro_usd = over_micro_usd + ?, over_tokens = over_tokens + ? ${WHERE}`;
/** Of calls that cost nothing: each value that is bound takes its time. */
const UPDATE_UNPAID = `update spend set tool_calls = tool_calls + ?, calls = calls + ? ${WHERE}`;

export class SpendRows {
  readonly #db: DatabaseSync;
  readonly #update: StatementSync;
  readonly #updateUnpaid: StatementSync;
  #upsert: StatementSync | undefined;
  readonly #known = new Map<SpendRow["root"], Known[]>();

  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#update = db.prepare(UPDATE);
    this.#updateUnpaid = db.prepare(UPDATE_UNPAID);
  }

  add(row: SpendRow): void {
    const known = this.#known.get(row.root);
    const found = known?.find((one) => isSameSpend(one.row, row));
    if (found !== undefined && this.#updated(row, found.rowid)) return;
    const [sql, values] = addSpend(row);
    this.#upsert ??= this.#db.prepare(`${sql} returning rowid as place`);
    const rowid = Number(this.#upsert.get(...(values as SqlValue[]))!["place"]);
    this.#remember(row, rowid);
  }

  /** After a rollback: rows that were remembered may never have been there. */
  forget(): void {
    this.#known.clear();
  }

  #updated(row: SpendRow, rowid: number): boolean {
    const { root, hour, tenant, what, agent, toolCalls, calls } = row;
    const of = [rowid, root, hour, tenant, what, agent] as const;
    const { changes } =
      hasNoCost(row) && row.unpriced === 0
        ? this.#updateUnpaid.run(Math.floor(toolCalls), calls, ...of)
        : this.#update.run(...amountsOf(row), ...of);
    return changes === 1;
  }

  /** Of an hour that is over, or under another rowid, nothing is kept. */
  #remember(row: SpendRow, rowid: number): void {
    if (this.#known.size >= MAX_KNOWN_ROOTS) this.#known.clear();
    const others = (this.#known.get(row.root) ?? []).filter(
      (one) => one.row.hour >= row.hour && !isSameSpend(one.row, row),
    );
    this.#known.set(row.root, [...others, { row, rowid }]);
  }
}
