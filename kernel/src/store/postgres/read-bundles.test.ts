import { expect, test } from "vitest";
import type { Pool } from "pg";
import { ReadBundles } from "./read-bundles.ts";

type Answer = (error: Error | null, result?: { rows: unknown[] }) => void;

/** A pool whose clients answer each statement with its text; those that are told to fail, fail. */
function pool({ isClosed = false } = {}) {
  const clients: { asked: string[]; released: unknown[] }[] = [];
  const connect = async () => {
    if (isClosed) throw new Error("closed");
    const client = { asked: [] as string[], released: [] as unknown[] };
    clients.push(client);
    return {
      query: ({ text }: { text: string }, answer: Answer) => {
        client.asked.push(text);
        setImmediate(() =>
          text === "fail" ? answer(new Error("refused")) : answer(null, { rows: [{ text }] }),
        );
      },
      release: (isSpoilt: unknown) => client.released.push(isSpoilt),
    };
  };
  return { clients, bundles: new ReadBundles({ connect } as unknown as Pool) };
}

const ask = (bundles: ReadBundles, texts: readonly string[]) =>
  Promise.allSettled(texts.map((text) => bundles.ask({ text })));

test("what is asked for at once goes down one connection; what comes later does not wait for it", async () => {
  const { clients, bundles } = pool();

  const first = ask(bundles, ["a", "b"]);
  await new Promise((resolve) => process.nextTick(resolve));
  await Promise.all([first, ask(bundles, ["c"])]);

  expect(clients.map(({ asked }) => asked)).toEqual([["a", "b"], ["c"]]);
  expect(clients.map(({ released }) => released)).toEqual([[false], [false]]);
});

test("READ-BUNDLES-1: one that is refused fails alone, and its connection is not used again", async () => {
  const { clients, bundles } = pool();

  const answers = await ask(bundles, ["a", "fail", "b"]);

  expect(answers.map((one) => (one.status === "fulfilled" ? one.value : one.status))).toEqual([
    [{ text: "a" }],
    "rejected",
    [{ text: "b" }],
  ]);
  expect(clients[0]!.released).toEqual([true]);
});

test("READ-BUNDLES-2: many are several bundles", async () => {
  const { clients, bundles } = pool();

  await ask(
    bundles,
    Array.from({ length: 120 }, (_, nth) => `${nth}`),
  );

  expect(clients.map(({ asked }) => asked.length)).toEqual([50, 50, 20]);
});

test("where there is no connection, each is told", async () => {
  const { bundles } = pool({ isClosed: true });

  const answers = await ask(bundles, ["a", "b"]);

  expect(answers.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
