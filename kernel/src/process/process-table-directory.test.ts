import { expect, test } from "vitest";
import type { Process } from "./process.ts";
import { Directory, ProcessTable } from "./process-table.ts";
import type { Store } from "../store/contract.ts";
import type { ProcessRow } from "../store/rows.ts";

const rowOf = (from: string) => ({ key: 2, pid: "agt_2", tenant: 1, root: 2, from });
const asker = { tenant: 1 } as Process;

function directoryWith(more: Partial<Process>, kind: Store["kind"] = "sqlite"): Directory {
  const table = new ProcessTable();
  table.add({
    key: 2,
    pid: "agt_2",
    row: rowOf("memory") as unknown as ProcessRow,
    ended: false,
    asleep: false,
    isWhole: true,
    replay: null,
    program: {},
    ...more,
  } as Process);
  const store = { kind, process: async () => rowOf("store") } as unknown as Store;
  return new Directory(store, table);
}

const sourceOf = async (directory: Directory): Promise<string> =>
  ((await directory.findFor(asker, "agt_2")) as unknown as { from: string }).from;

test("of a process whose program runs here nothing is read", async () => {
  expect(await sourceOf(directoryWith({}))).toBe("memory");
});

test.each([
  ["has ended", { ended: true }],
  ["is asleep", { asleep: true }],
  ["is being loaded", { isWhole: false }],
  ["lives its journal again", { replay: {} as never }],
  ["has no program", { program: null }],
])("one that %s is read from the store", async (_what, more) => {
  expect(await sourceOf(directoryWith(more))).toBe("store");
});

test("where nodes share a store, another may have taken it over: it is read", async () => {
  expect(await sourceOf(directoryWith({}, "postgres"))).toBe("store");
});

test("one of another tenant is not there, in memory or not", async () => {
  const stranger = { tenant: 9 } as Process;

  for (const directory of [directoryWith({}), directoryWith({ ended: true })])
    await expect(directory.findFor(stranger, "agt_2")).rejects.toMatchObject({ code: "ENOENT" });
});
