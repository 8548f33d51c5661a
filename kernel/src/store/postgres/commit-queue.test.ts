// Commit queue: what the server is asked, and in which order. What it then does is the contract's matter.

import { expect, test } from "vitest";
import type { Extension, Write } from "../contract.ts";
import type { CommitPipeline } from "./commit-pipeline.ts";
import { CommitQueue } from "./commit-queue.ts";
import type { Clients } from "./connection.ts";

const extensionOf = (process: number, more: Partial<Extension> = {}): Extension => ({
  process,
  tenant: 1,
  pid: `agt_${process}`,
  epoch: 1,
  at: 0,
  firstSeq: 0,
  records: [{ text: "{}", hash: new Uint8Array(32) }],
  writes: [],
  spend: [],
  microUsd: 0,
  tokens: 0,
  toolCalls: 0,
  overMicroUsd: 0,
  overTokens: 0,
  ...more,
});
const many = [1, 2, 3].map((process) => extensionOf(process));
const taking: Write = { op: "signal.take", key: 1 };

/** A server that answers when it is told to; each thing that it is asked is noted. */
function server({ isInTurn = true } = {}) {
  const asked: string[] = [];
  const answers: ((answer: boolean | Error) => void)[] = [];
  const ask = (what: string) => {
    asked.push(what);
    return new Promise<boolean>((resolve, reject) =>
      answers.push((answer) => (answer instanceof Error ? reject(answer) : resolve(answer))),
    );
  };
  const pipeline = {
    isInTurn,
    send: ({ name }: { name: string }) => ask(name),
    close: async () => {},
  };
  const clients = {
    transaction: async () => (await ask("transaction"), { fenced: [2] }),
  };
  const queue = new CommitQueue(
    clients as unknown as Clients,
    pipeline as unknown as CommitPipeline,
  );
  /** Answers the next that is asked, and waits until all that follows from it has happened. */
  const answer = async (said: boolean | Error, { nth = 0 } = {}) => {
    answers.splice(nth, 1)[0]!(said);
    await new Promise(setImmediate);
  };
  return { asked, answer, queue, pipeline };
}

test("records alone are one statement, whatever their number; a lone one has its own", async () => {
  const { asked, queue } = server();

  void queue.commit(many, []);
  void queue.commit([extensionOf(4)], []);

  expect(asked).toEqual(["aos_commit", "aos_lone_record"]);
});

test("a chain that is extended twice, and writes beside records, are a transaction", async () => {
  const batches: [Extension[], Write[]][] = [
    [[extensionOf(1), extensionOf(1, { firstSeq: 1 })], []],
    [[extensionOf(1, { writes: [taking] })], []],
    [[extensionOf(1)], [taking]],
    [[extensionOf(1, { records: [] })], []],
  ];

  for (const [extensions, writes] of batches) {
    const { asked, queue } = server();
    void queue.commit(extensions, writes);
    await new Promise(setImmediate);
    expect(asked).toEqual(["transaction"]);
  }
});

test("a commit is answered only after those that were given before it", async () => {
  const { answer, queue } = server();
  const done: number[] = [];
  void queue.commit(many, []).then(() => done.push(1));
  void queue.commit(many, []).then(() => done.push(2));

  await answer(true, { nth: 1 });
  expect(done).toEqual([]);
  await answer(true);

  expect(done).toEqual([1, 2]);
});

test("a transaction waits for those before it, and those behind it wait for it", async () => {
  const { asked, answer, queue } = server();
  void queue.commit(many, []);
  void queue.commit([extensionOf(1)], [taking]);
  void queue.commit(many, []);

  await new Promise(setImmediate);
  expect(asked).toEqual(["aos_commit"]);
  await answer(true);
  expect(asked).toEqual(["aos_commit", "transaction"]);
  await answer(true);
  expect(asked).toEqual(["aos_commit", "transaction", "aos_commit"]);
});

test("COMMIT-QUEUE-1: what is refused is made as a transaction, and after it what was refused behind it", async () => {
  const { asked, answer, queue, pipeline } = server();
  const first = queue.commit(many, []);
  void queue.commit(many, []);

  pipeline.isInTurn = false;
  await answer(false);
  await answer(false);
  expect(asked).toEqual(["aos_commit", "aos_commit", "transaction"]);
  void queue.commit(many, []);
  await answer(true);

  expect(await first).toEqual({ fenced: [2] });
  expect(asked).toEqual(["aos_commit", "aos_commit", "transaction", "transaction"]);
  await answer(true);
  expect(asked.at(-1)).toBe("aos_commit");
});

test("what is given while a connection is made waits for the one that makes it", async () => {
  const { asked, answer, queue, pipeline } = server({ isInTurn: false });
  void queue.commit(many, []);
  void queue.commit(many, []);
  await new Promise(setImmediate);
  expect(asked).toEqual(["aos_commit"]);

  pipeline.isInTurn = true;
  await answer(true);

  expect(asked).toEqual(["aos_commit", "aos_commit"]);
});

test("COMMIT-QUEUE-2: what is behind one that fails, fails with it and is not made; what comes later is made", async () => {
  const { asked, answer, queue } = server();
  const failing = Promise.allSettled([
    queue.commit(many, []),
    queue.commit(many, []),
    queue.commit([extensionOf(1)], [taking]),
  ]);

  await answer(new Error("cut"));
  await answer(false);

  expect((await failing).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(asked).toEqual(["aos_commit", "aos_commit"]);
  void queue.commit(many, []);
  expect(asked).toEqual(["aos_commit", "aos_commit", "aos_commit"]);
});
