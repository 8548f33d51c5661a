// nice: sets the lane of a process and of all its living descendants.

import { DEFAULT_LANE, isEnded, SysError, type Lane } from "@aos/protocol";
import type { ListedProcess, ProcessRow } from "../store/rows.ts";
import type { KernelParts } from "./kernel-parts.ts";

type Parts = Pick<KernelParts, "store" | "journal" | "table" | "admission" | "router" | "ledger">;

/** Those that were just born are found where their birth is durable. */
export async function nice(parts: Parts, top: ProcessRow, lane: Lane, by: string): Promise<void> {
  const { journal, table, admission, router, ledger, store } = parts;
  if (isEnded(top.state)) throw new SysError("ESTATE", `${top.pid} has ended`);
  const from = top.lane ?? DEFAULT_LANE;
  const rows = await livingBelow(parts, top);
  for (const row of rows) {
    journal.write({ op: "process.patch", key: row.key, patch: { lane } });
    const loaded = table.get(row.key);
    if (loaded !== undefined) loaded.row.lane = lane;
    admission.move({ ...row, lane });
  }
  const detail = { pid: top.pid, from, lane, processes: rows.length };
  ledger.add({ what: "nice", by, detail, tenant: top.tenant });
  await journal.durable();
  if (store.kind === "postgres") for (const { key } of rows) router.call(key); // another node may have it
}

/** It and its descendants that live. */
async function livingBelow({ store }: Parts, top: ProcessRow): Promise<ListedProcess[]> {
  const found: ListedProcess[] = [top];
  for (const row of found) found.push(...(await store.livingChildren(row.key)));
  return found;
}
