import { expect, test } from "vitest";
import type { Store } from "../store/contract.ts";
import type { FileRow } from "../store/rows.ts";
import { MemorySegments } from "./memory-segments.ts";

/** Memories of some agents; `read` has those that were read from the store, in order. */
function memories(files: Readonly<Record<string, number>>, mostBytes: number) {
  const read: string[] = [];
  const store = {
    kind: "sqlite",
    files: async ({ under }: { under: string }): Promise<FileRow[]> => {
      const agent = under.split("/")[3]!;
      read.push(agent);
      return Array.from({ length: files[agent]! }, (_, n) => ({
        tenant: 1,
        space: 0,
        path: `${under}/${n}`,
        data: JSON.stringify(`fact ${n} of ${agent}, with some more words to take room`),
        writer: "agt_1",
        label: "trusted/public",
        writtenAt: 1,
      }));
    },
  } as unknown as Store;
  const segments = new MemorySegments(store, mostBytes);
  const search = async (agent: string) => {
    const mount = `/mem/agents/${agent}/semantic`;
    const place = { tenant: 1, space: 0, mount, under: mount };
    const loaded = await segments.load(place, () => new Map());
    return loaded.current().reduce((bytes, one) => bytes + one.bytes, 0);
  };
  return { search, read };
}

test("a large memory evicts no small one, and goes first itself (MEMORY-SEGMENTS-3)", async () => {
  const small = await memories({ a: 2 }, Infinity).search("a");
  const { search, read } = memories({ a: 2, b: 2, flood: 150 }, 4 * small);

  for (const agent of ["a", "b", "flood", "a", "b", "flood"]) await search(agent);

  expect(read).toEqual(["a", "b", "flood", "flood"]);
});

test("among memories within their share the one searched least recently goes (MEMORY-SEGMENTS-3)", async () => {
  const small = await memories({ a: 2 }, Infinity).search("a");
  const { search, read } = memories({ a: 2, b: 2, c: 2 }, 2.5 * small);

  for (const agent of ["a", "b", "a", "c", "a"]) await search(agent);

  expect(read).toEqual(["a", "b", "c"]);
});
