// Commit: how often the server is asked. What it then does is the contract's matter.

import { expect, test } from "vitest";
import type { Extension, Write } from "../contract.ts";
import { commitBatch } from "./commit.ts";
import type { Clients } from "./connection.ts";

const extensionOf = (process: number, writes: Write[] = []): Extension => ({
  process,
  tenant: 1,
  pid: `agt_${process}`,
  epoch: 1,
  at: 0,
  firstSeq: 0,
  records: [{ text: "{}", hash: new Uint8Array(32) }],
  writes,
  spend: [],
  microUsd: 0,
  tokens: 0,
  toolCalls: 0,
  overMicroUsd: 0,
  overTokens: 0,
});

/** Clients that note what they are asked; the function refuses or does not. */
function noting({ refuses = false } = {}) {
  const asked: string[] = [];
  const clients = {
    statement: async (sql: string) => {
      asked.push(sql.trim().split("(")[0]!);
      return !refuses;
    },
    transaction: async () => {
      asked.push("transaction");
      return { fenced: [2] };
    },
  };
  return { asked, clients: clients as unknown as Clients };
}

test("records alone are one statement, whatever their number", async () => {
  const { asked, clients } = noting();

  await commitBatch(clients, [extensionOf(1), extensionOf(2), extensionOf(3)], []);

  expect(asked).toEqual(["select aos_commit_1"]);
});

test("what the function refuses is decided in a transaction", async () => {
  const { asked, clients } = noting({ refuses: true });

  const { fenced } = await commitBatch(clients, [extensionOf(1), extensionOf(2)], []);

  expect(asked).toEqual(["select aos_commit_1", "transaction"]);
  expect(fenced).toEqual([2]);
});

test("a chain that is extended twice, and writes beside records, are decided in a transaction", async () => {
  const twice = [extensionOf(1), { ...extensionOf(1), firstSeq: 1 }];
  const writing = [extensionOf(1, [{ op: "signal.take", key: 1 }])];

  for (const batch of [twice, writing]) {
    const { asked, clients } = noting();
    await commitBatch(clients, batch, []);
    expect(asked).toEqual(["transaction"]);
  }
});
