import { expect, test } from "vitest";
import { followAll, recorded } from "./feed.ts";

type Tell = (extension: object) => void;

const written = (place: number, process: number, seq: number) => ({
  place,
  process,
  text: JSON.stringify({ kind: "call", seq }),
});

/** Two processes of two trees, whose journal is written by the test. */
function worldOf() {
  const rows = [written(1, 1, 0), written(2, 2, 0), written(3, 1, 1), written(4, 2, 1)];
  const watching = new Set<Tell>();
  const tell = (process: number, firstSeq: number, ...texts: string[]) => {
    const records = texts.map((text) => ({ text }));
    for (const watcher of watching) watcher({ process, pid: `agt_${process}`, firstSeq, records });
  };
  const loaded = new Map<number, { pid: string; tenantName: string; row: { root: number } }>();
  const parts = {
    journal: {
      durable: async () => {},
      watchAll: (watcher: Tell) => {
        watching.add(watcher);
        return () => watching.delete(watcher);
      },
    },
    directory: { find: async (pid: string) => ({ key: Number(pid.slice(4)) }) },
    table: { get: (key: number) => loaded.get(key) },
    store: {
      placeOf: async (key: number, seq: number) =>
        rows.find(({ process, text }) => process === key && text.includes(`"seq":${seq}`))?.place,
      writtenAfter: async (place: number, limit: number) => {
        tell(2, 1, rows[3]!.text); // what becomes durable while the store is read is told twice
        return rows.filter((row) => row.place > place).slice(0, limit);
      },
      processByKey: async (key: number) => ({ pid: `agt_${key}`, tenant: key, root: key }),
      tenantName: async (key: number) => `tenant ${key}`,
    },
  };
  return { parts: parts as never, tell, watching, loaded };
}

const idOf = ({ pid, record }: { pid: string; record: { seq: number } }) => `${pid}:${record.seq}`;

test("FEED-1: what was written after a record is told in that order, whoever's it is", async () => {
  const told: string[] = [];
  for await (const event of recorded(worldOf().parts, { pid: "agt_2", seq: 0 }))
    told.push(`${idOf(event)} of ${event.tenant}`);

  expect(told).toEqual(["agt_1:1 of tenant 1", "agt_2:1 of tenant 2"]);
});

test("FEED-1: a record that both the store and the journal tell of is told once", async () => {
  const { parts, tell, watching } = worldOf();
  const stopping = new AbortController();
  const told: string[] = [];

  const options = { after: { pid: "agt_1", seq: 0 }, signal: stopping.signal };
  for await (const event of followAll(parts, options)) {
    told.push(idOf(event));
    if (told.length === 3) tell(2, 2, '{"kind":"call","seq":2}');
    if (told.length === 4) stopping.abort();
  }

  expect(told).toEqual(["agt_2:0", "agt_1:1", "agt_2:1", "agt_2:2"]);
  expect(watching.size).toBe(0);
});

test("FEED-2: a record that is not kept cannot be gone on from", async () => {
  const following = recorded(worldOf().parts, { pid: "agt_1", seq: 9 });

  await expect(following.next()).rejects.toMatchObject({ code: "ENOENT" });
});

test("whose a record is, is taken from memory while it is there: its tenant and its tree", async () => {
  const { parts, tell, loaded } = worldOf();
  loaded.set(7, { pid: "agt_7", tenantName: "in memory", row: { root: 6 } });
  loaded.set(6, { pid: "agt_6", tenantName: "in memory", row: { root: 6 } });
  const stopping = new AbortController();
  const following = followAll(parts, { signal: stopping.signal });
  const next = following.next();
  tell(7, 0, '{"kind":"start","seq":0}');
  loaded.clear();

  const { value } = await next;
  stopping.abort();
  await following.return(undefined);

  expect(value).toMatchObject({ pid: "agt_7", tenant: "in memory", tree: "agt_6" });
});
