// StandingGrants: grants to an agent instead of one process. A new process holds them from its start (spawner.ts);
// living ones receive them here.
//
//   adopt(process)            grants the standing grants of its agent that it does not hold yet
//   spread(tenant, agent)     the same for all living processes of the agent
//
// STANDING-5  A standing grant reaches the living processes of the agent: those in memory before `spread` returns,
//     those on other nodes when they are notified, unloaded ones when they are loaded.
// STANDING-6  A process holds each standing grant once; it is identified by its block, which all processes share.
// STANDING-7  Grants beyond the limit of a process are left out, and their actions are asked about as before; nothing
//     else fails.
// STANDING-8  An inline agent has none: whoever spawns it chooses its name.

import { isInlineAgent } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Store } from "../store/contract.ts";
import { MOST_GRANTS } from "../process/load.ts";
import type { Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { HoldingRow, ProcessKey, TenantKey } from "../store/rows.ts";
import type { StoredProcess } from "../store/queries.ts";
import type { Grants } from "./grants.ts";

interface Parts {
  readonly journal: Journal<Store>;
  readonly table: ProcessTable;
  readonly node: string;
  readonly grants: Grants;
  /** Of an agent's standing grants, those that a person gave (proof.ts). */
  readonly proven: (standing: readonly HoldingRow[]) => Promise<readonly HoldingRow[]>;
  /** Something is there for whatever is being loaded. */
  readonly isSpread: () => void;
  /** Something is there for a process that is not in memory here. */
  readonly call: (key: number) => void;
  readonly trouble: (what: string, error: unknown) => void;
}

/** What is given to a process and to its agent. */
type Given = Pick<StoredProcess, "holdings" | "standing">;

export class StandingGrants {
  readonly #parts: Parts;
  /** One after another for each process: none is adopted twice (STANDING-6). */
  readonly #turns = new WeakMap<Process, Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** All that came for a process while it was not in memory; `read` where that was read with its rows. */
  async settle(process: Process, read?: Given): Promise<void> {
    await this.#parts.grants.settle(process, read?.holdings);
    if (read === undefined || read.standing.length > 0) await this.adopt(process, read?.standing);
  }

  adopt(process: Process, read?: Given["standing"]): Promise<void> {
    const before = this.#turns.get(process) ?? Promise.resolve();
    const mine = before.then(() => this.#adopt(process, read));
    this.#turns.set(
      process,
      mine.catch(() => {}),
    );
    return mine;
  }

  async #adopt(process: Process, read?: Given["standing"]): Promise<void> {
    const { journal, grants, trouble } = this.#parts;
    const { tenant, row: born } = process;
    if (isInlineAgent(born.agent)) return; // STANDING-8
    const standing = read ?? (await journal.store.standing(tenant, born.agent));
    if (standing.length === 0 || process.ended) return;
    const held = new Set([...process.grants.values()].map(({ blocks }) => blocks.at(-1)!.id));
    const fresh = standing.filter(({ blocks }) => !held.has(blocks.at(-1)!.id));
    const missing = fresh.length === 0 ? [] : await this.#parts.proven(fresh);
    for (const row of grants.standingFor(process, missing)) {
      if (process.holdings.size > MOST_GRANTS) {
        trouble(
          `${process.pid} already holds the maximum number of grants`,
          new Error(row.reason ?? row.handle),
        );
        return;
      }
      journal.write({ op: "holding.add", row });
      await grants.hold(process, row);
      grants.record(process, row);
    }
  }

  /** STANDING-5. */
  async spread(tenant: TenantKey, agent: string): Promise<void> {
    const { journal, table, node, call, trouble } = this.#parts;
    this.#parts.isSpread();
    for (const process of table.all()) {
      if (process.tenant !== tenant || process.row.agent !== agent || process.ended) continue;
      await this.adopt(process).catch((error: unknown) =>
        trouble(`a grant to ${agent} has not reached ${process.pid}`, error),
      );
    }
    for (const key of await journal.store.livingElsewhere(tenant, agent, node)) call(key);
    await journal.durable();
  }

  /** To all of the agent of a process. */
  async spreadFrom(key: ProcessKey): Promise<void> {
    const row = await this.#parts.journal.store.processByKey(key);
    if (row !== undefined) await this.spread(row.tenant, row.agent);
  }
}
