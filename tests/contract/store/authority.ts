// Authority: what the store keeps of power and people: questions and votes, what processes hold, what is
// revoked, labels of resources, secrets, the ledger.

import { expect, test } from "vitest";
import type {
  OpenedStore,
  Write,
  HoldingRow,
  LedgerRow,
  QuestionRow,
  VoteRow,
} from "@aos/kernel/store";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, hashOf, hex, processRow, questionRow } from "./rows.ts";

const put = (id: string, process: number, more: Partial<QuestionRow> = {}): Write => ({
  op: "question.put",
  row: { ...questionRow(id, process), ...more },
});

const voteRow = (question: string, person: string, more: Partial<VoteRow> = {}): VoteRow => ({
  question,
  person,
  tenant: 1,
  process: 1,
  choice: "approve",
  reason: null,
  at: 3000,
  signature: null,
  ...more,
});

const vote = (
  needed: number,
  question: string,
  person: string,
  more?: Partial<VoteRow>,
): Write => ({
  op: "vote.add",
  row: voteRow(question, person, more),
  needed,
});

const holdingRow = (handle: string, more: Partial<HoldingRow> = {}): HoldingRow => ({
  handle,
  tenant: 1,
  process: 1,
  agent: "tester",
  state: "new",
  blocks: [{ id: "b1", holder: "agt_0001", mintedAt: 5, capabilities: ["tool:x:call"] }],
  givenBy: "ann",
  givenAt: 2000,
  expiresAt: null,
  reason: null,
  ...more,
});

const ledgerRow = (node: string, seq: number, at: number): LedgerRow => ({
  node,
  seq,
  at,
  tenant: 0,
  entry: `{"seq":${seq}}`,
  hash: hashOf(`${node} ${seq}`),
});

const plain = ({ hash, ...row }: LedgerRow) => ({ ...row, hash: hex(hash) });

export function authoritySuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);
  const write = (...writes: Write[]) => here.store.commit([], writes);
  const answerOf = async (id: string) => (await here.store.question(id))?.answer;

  test("a question keeps its channel, quorum, batch and what it is about", async () => {
    const more = {
      channel: "treasury",
      quorum: 3,
      batch: "b",
      joined: true,
      expiresAt: 1_900_000_000_123,
      kind: "policy" as const,
      about: { cover: ["tool:x:call"], label: "trusted/public", nothing: null },
    };

    await write(born(1), put("q1", 1, more), put("q2", 1));

    expect(await here.store.question("q1")).toEqual({ ...questionRow("q1", 1), ...more });
    expect(await here.store.question("q2")).toEqual(questionRow("q2", 1));
  });

  test("a vote settles a question when enough have made its choice, and not before", async () => {
    await write(born(1), put("q1", 1, { quorum: 2 }));

    await write(vote(2, "q1", "ann"));
    expect(await answerOf("q1")).toBeNull();
    await write(vote(2, "q1", "bob", { choice: "deny", at: 3001 }));
    expect(await answerOf("q1")).toBeNull();
    await write(vote(2, "q1", "cem", { reason: "fine", at: 3002 }));

    expect(await here.store.question("q1")).toMatchObject({
      answer: "approve",
      reason: "fine",
      answeredBy: "cem",
      answeredAt: 3002,
    });
    const votes = await here.store.votes("q1");
    expect(votes.map(({ person, choice }) => `${person} ${choice}`)).toEqual([
      "ann approve",
      "bob deny",
      "cem approve",
    ]);
  });

  test("a person votes once, and what is settled stays", async () => {
    await write(born(1), put("q1", 1, { quorum: 2 }), put("q2", 1));

    await write(vote(2, "q1", "ann"), vote(2, "q1", "ann", { at: 3001 }));
    expect(await answerOf("q1")).toBeNull();
    await write(vote(1, "q2", "ann"), vote(1, "q2", "bob", { choice: "deny" }));

    expect(await answerOf("q2")).toBe("approve");
    expect(await here.store.votes("q1")).toEqual([voteRow("q1", "ann")]);
    expect((await here.store.votes("q2")).length).toBe(2);
    expect((await here.store.allVotes()).map(({ question }) => question)).toEqual([
      "q1",
      "q2",
      "q2",
    ]);
  });

  test("votes that are given at once, by several connections, all count", async () => {
    const stores: OpenedStore[] = [here.store];
    if (here.store.kind === "postgres") stores.push(await here.open(), await here.open());
    const ids = Array.from({ length: 20 }, (_, n) => `q${n}`);
    await write(born(1), ...ids.map((id) => put(id, 1, { quorum: 3 })));

    await Promise.all(
      ["ann", "bob", "cem"].flatMap((person, nth) =>
        ids.map((id) => stores[nth % stores.length]!.commit([], [vote(3, id, person)])),
      ),
    );

    for (const id of ids) expect([id, await answerOf(id)]).toEqual([id, "approve"]);
  });

  test("a withdrawn question has no answer, and is not open", async () => {
    const withdraw = { reason: "no need", by: "ann", at: 3000, answer: null };
    await write(born(1), put("q1", 1, { batch: "b" }));

    await write({ op: "question.answer", id: "q1", ...withdraw });
    await write(vote(1, "q1", "bob"));

    expect(await here.store.question("q1")).toMatchObject({
      answer: null,
      reason: "no need",
      answeredBy: "ann",
      answeredAt: 3000,
    });
    expect(await here.store.openQuestions()).toEqual([]);
    expect(await here.store.openInBatch("b")).toEqual([]);
    expect((await here.store.settledQuestions()).map(({ id }) => id)).toEqual(["q1"]);
  });

  test("a batch has what is open in it and asked by the living", async () => {
    await write(
      born(1),
      born(2),
      born(3),
      ...["q3", "q1"].map((id) => put(id, 1, { batch: "b" })),
      put("q2", 2, { batch: "b" }),
      put("q4", 3, { batch: "b" }),
      put("q5", 1, { batch: "other" }),
      vote(1, "q3", "ann"),
      ended(3),
    );

    expect((await here.store.openInBatch("b")).map(({ id }) => id)).toEqual(["q1", "q2"]);
    expect((await here.store.openQuestions()).map(({ id }) => id)).toEqual(["q1", "q2", "q5"]);
  });

  test("questions are counted by what was new to people, for each tenant, from a time on", async () => {
    await write(
      born(1),
      put("old", 1, { askedAt: 1000 }),
      put("q1", 1, { askedAt: 1001, batch: "b" }),
      put("q2", 1, { askedAt: 1002, batch: "b", joined: true }),
      put("q3", 1, { askedAt: 1003, batch: "b" }),
      put("q4", 1, { askedAt: 1004, kind: "doubt" }),
      put("q5", 1, { askedAt: 1005, tenant: 2 }),
    );

    const times = async (tenant: number, sinceMs: number) =>
      (await here.store.askedSince(tenant, sinceMs)).map(({ at }) => at);
    expect(await times(1, 1000)).toEqual([1001, 1003]);
    expect(await times(2, 0)).toEqual([1005]);
    expect(await times(1, 5000)).toEqual([]);
  });

  test("whose question it is: the tree, the agents' names and who started it", async () => {
    const spec = { ...processRow(1).spec, startedBy: "token:t" };
    await write(
      born(1, { agent: "top", spec }),
      born(2, { agent: "below", parent: 1, root: 1 }),
      put("q1", 2, { askedAt: 1001 }),
    );

    const asker = { root: 1, agents: ["below", "top"], starter: "token:t" };
    expect(await here.store.asker(2)).toEqual(asker);
    expect(await here.store.askedSince(1, 0)).toEqual([{ at: 1001, ...asker }]);
  });

  test("a node that boots loads who was answered or withdrawn, not who still waits", async () => {
    const asleep = { state: "waiting", waitingOn: "approval" } as const;
    await write(
      born(1, asleep),
      born(2, asleep),
      born(3, asleep),
      put("q1", 1),
      put("q2", 2),
      put("q3", 3),
      vote(1, "q1", "ann"),
      { op: "question.answer", id: "q2", answer: null, reason: null, by: "ann", at: 3000 },
    );

    expect((await here.store.claim("b", 9000)).sort()).toEqual([1, 2]);
  });

  test("votes go with the history of the run that asked", async () => {
    await write(born(1), born(2), put("q1", 1), put("q2", 2), ended(1), ended(2));
    await write(vote(1, "q1", "ann"), vote(1, "q2", "ann", { process: 2 }));

    await here.store.compact([1]);

    expect((await here.store.allVotes()).map(({ question }) => question)).toEqual(["q2"]);
    expect(await here.store.question("q1")).toBeUndefined();
  });

  test("holdings are found by handle, by holder, and by the agent they stand for", async () => {
    const rows = [
      holdingRow("cap_b", { expiresAt: 1_900_000_000_123, reason: "q1" }),
      holdingRow("cap_a", { givenAt: 2001 }),
      holdingRow("cap_c", { process: 2 }),
      holdingRow("cap_d", { process: 0, state: "held" }),
      holdingRow("cap_e", { process: 0, agent: "other" }),
      holdingRow("cap_f", { process: 0, tenant: 2 }),
    ];

    await write(...rows.map((row): Write => ({ op: "holding.add", row })));

    expect(await here.store.holding("cap_b")).toEqual(rows[0]);
    expect(await here.store.holding("cap_x")).toBeUndefined();
    expect(await here.store.holdingsOf(1)).toEqual([rows[0], rows[1]]);
    expect(await here.store.standing(1, "tester")).toEqual([rows[3]]);
    expect(await here.store.standing(1)).toEqual([rows[3], rows[4]]);
    expect(await here.store.standing(2, "tester")).toEqual([rows[5]]);
  });

  test("a handle is given once, and what is revoked stays so", async () => {
    const set = (state: HoldingRow["state"]): Write => ({
      op: "holding.set",
      handle: "cap_a",
      state,
    });
    await write({ op: "holding.add", row: holdingRow("cap_a") });

    await write(set("held"));
    expect((await here.store.holding("cap_a"))?.state).toBe("held");
    await write(set("revoked"), set("held"));

    expect((await here.store.holding("cap_a"))?.state).toBe("revoked");
    await expect(write({ op: "holding.add", row: holdingRow("cap_a") })).rejects.toThrow();
  });

  test("what a yes gives is there only if that yes settled the question", async () => {
    const gift = (handle: string, question: string, by: string, at = 3000): Write => ({
      op: "holding.add",
      row: holdingRow(handle),
      ifSettled: { question, by, at },
    });
    await write(born(1), put("q1", 1, { quorum: 2 }), put("q2", 1, { quorum: 2 }));

    await write(vote(2, "q1", "ann"), gift("cap_ann", "q1", "ann"));
    await write(vote(2, "q1", "bob"), gift("cap_bob", "q1", "bob"));
    await write(vote(2, "q1", "cem"), gift("cap_cem", "q1", "cem"));
    await write(vote(1, "q2", "ann", { choice: "deny" }), gift("cap_no", "q2", "ann"));

    expect((await here.store.holdingsOf(1)).map(({ handle }) => handle)).toEqual(["cap_bob"]);
  });

  test("a revoked id is kept once", async () => {
    const revoke = (id: string, at: number): Write => ({
      op: "revoked.add",
      id,
      tenant: 1,
      at,
      by: "ann",
    });

    await write(revoke("r1", 1), revoke("r2", 2), revoke("r1", 3));

    expect((await here.store.revokedIds()).sort()).toEqual(["r1", "r2"]);
  });

  test("the label of a resource is the last that was put, for each tenant", async () => {
    const label = (tenant: number, resource: string, text: string): Write => ({
      op: "label.put",
      tenant,
      resource,
      label: text,
    });

    await write(label(1, "file:/a", "trusted/public"), label(2, "file:/a", "trusted/secret"));
    await write(label(1, "file:/a", "untrusted/public#mail"));

    expect(await here.store.resourceLabel(1, "file:/a")).toBe("untrusted/public#mail");
    expect(await here.store.resourceLabel(2, "file:/a")).toBe("trusted/secret");
    expect(await here.store.resourceLabel(1, "file:/b")).toBeUndefined();
  });

  test("blocks are found by how their id begins, by code point", async () => {
    const ids = ["rate:a/1", "rate:a/2", "rate:b/1", "rate:a", "Rate:a/3", "rate:a/é"];

    await write(...ids.map((id): Write => ({ op: "block.put", tenant: 1, id, state: id })));

    expect((await here.store.blocksWith("rate:a/")).map(({ state }) => state).sort()).toEqual(
      ["rate:a/1", "rate:a/2", "rate:a/é"].sort(),
    );
  });

  test("a secret is replaced by the next of its name and tenant, and gone when removed", async () => {
    const secret = (tenant: number, name: string, sealed: string, updatedAt = 1): Write => ({
      op: "secret.put",
      row: { tenant, name, sealed, updatedAt },
    });

    await write(secret(1, "B", "b"), secret(1, "A", "a"), secret(2, "A", "other"));
    await write(secret(1, "A", "newer", 2), { op: "secret.remove", tenant: 1, name: "B" });

    expect(await here.store.secrets()).toEqual([
      { tenant: 1, name: "A", sealed: "newer", updatedAt: 2 },
      { tenant: 2, name: "A", sealed: "other", updatedAt: 1 },
    ]);
  });

  test("the ledger keeps each node's entries in order, and knows their ends", async () => {
    const rows = [
      ledgerRow("a", 0, 100),
      ledgerRow("a", 1, 200),
      ledgerRow("b", 0, 150),
      ledgerRow("a", 2, 300),
    ];

    await write(...rows.map((row): Write => ({ op: "ledger.add", row })));

    const [a0, a1, b0, a2] = rows.map(plain);
    expect((await here.store.ledger()).map(plain)).toEqual([a0, a1, a2, b0]);
    expect((await here.store.ledgerTail(2)).map(plain)).toEqual([a2, a1]);
    expect((await here.store.ledgerTail(9)).map(plain)).toEqual([a2, a1, b0, a0]);
    expect(plain((await here.store.ledgerEnd("a"))!)).toEqual(a2);
    expect(await here.store.ledgerEnd("c")).toBeUndefined();
    expect((await here.store.ledgersGrownSince(151)).map(plain)).toEqual([a2]);
    expect((await here.store.ledgersGrownSince(150)).map(plain)).toEqual([a2, b0]);
  });

  test("a place in the ledger is taken once", async () => {
    await write({ op: "ledger.add", row: ledgerRow("a", 0, 100) });

    await expect(write({ op: "ledger.add", row: ledgerRow("a", 0, 200) })).rejects.toThrow();
    expect((await here.store.ledger()).length).toBe(1);
  });
}
