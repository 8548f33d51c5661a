import { expect, test } from "vitest";
import { LiveFeed } from "../bus/live-feed.ts";
import { attach } from "./attach.ts";

type Watching = (records: readonly { text: string }[]) => void;

const row = (seq: number) => ({ text: JSON.stringify({ kind: "call", seq }) });

/** A process whose journal is written by the test. */
function worldOf() {
  const stored = [row(0), row(1)];
  const watching = new Set<Watching>();
  const live = new LiveFeed();
  let state = "running";
  const write = (seq: number) => {
    for (const tell of watching) tell([row(seq)]);
  };
  const machine = {
    live,
    journal: {
      watch: (_key: number, tell: Watching) => {
        watching.add(tell);
        return () => watching.delete(tell);
      },
    },
    store: {
      records: async (_key: number, { after }: { after: number }) => {
        write(1); // what becomes durable while the store is read is told twice
        return stored.slice(after + 1);
      },
      processByKey: async () => ({ state }),
    },
  };
  const end = () => (state = "completed");
  return { machine: machine as never, live, watching, write, end };
}

test("ATTACH-1: a record that both the store and the journal tell of is told once", async () => {
  const { machine, write, end } = worldOf();
  const seen: number[] = [];

  for await (const happening of attach(machine, 7, {})) {
    if ("record" in happening) seen.push(happening.record.seq);
    if (seen.length === 2) {
      write(2);
      end();
    }
  }

  expect(seen).toEqual([0, 1, 2]);
});

test("who leaves is not told any more, and nothing is said for nobody", async () => {
  const { machine, live, watching } = worldOf();
  const attached = attach(machine, 7, {});
  await attached.next();
  expect([watching.size, live.isHeard(7)]).toEqual([1, true]);

  await attached.return(undefined);

  expect([watching.size, live.isHeard(7)]).toEqual([0, false]);
});

test("who wants only records makes nobody speak", async () => {
  const { machine, live } = worldOf();

  const attached = attach(machine, 7, { isQuiet: true });
  await attached.next();

  expect(live.isHeard(7)).toBe(false);
  await attached.return(undefined);
});
