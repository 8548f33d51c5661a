// Mail: what a message says beside its body, dead letters that are redriven, and durable subscriptions.

import { expect, test } from "vitest";
import { storeForEachTest, type NewDatabase } from "./database.ts";
import { born, ended, messageRow } from "./rows.ts";

export function mailSuite(newDatabase: NewDatabase): void {
  const here = storeForEachTest(newDatabase);

  test("messages have their lane, lifetime, stream and subscription, and are read by lane and key", async () => {
    const rows = [
      messageRow(11, 1, { lane: 4 }),
      messageRow(12, 1, { expiresAt: 50, stream: '{"id":"s"}' }),
      messageRow(13, 1),
      messageRow(14, 1, { lane: 0, subscription: 7 }),
    ];
    await here.store.commit(
      [],
      [born(1), ...rows.map((row) => ({ op: "message.add", row }) as const)],
    );

    const read = await here.store.messages(1);

    expect(read).toEqual([rows[3], rows[1], rows[2], rows[0]]);
    expect([await here.store.countMessages(1, 49), await here.store.countMessages(1, 50)]).toEqual([
      4, 3,
    ]);
    expect(await here.store.expiredMessages("a", 50, 9)).toEqual([rows[1]]);
    expect(await here.store.expiredMessages("b", 50, 9)).toEqual([]);
    expect(await here.store.mailboxes([1, 2])).toMatchObject([{ of: 1, depth: 4 }]);
    expect(await here.store.mailOfTenants()).toMatchObject([{ of: 1, depth: 4 }]);
    expect(await here.store.strandedMessages(9)).toEqual([]);
    await here.store.commit([], [ended(1)]);
    expect((await here.store.strandedMessages(9)).map(({ key }) => key)).toEqual([11, 12, 13]);
  });

  test("a dead letter becomes a message once, however often it is redriven", async () => {
    const { key, tenant, process, id, from, type, topic, replyTo, body, label, sentAt, cause } =
      messageRow(21, 1);
    const letter = {
      key,
      tenant,
      process,
      id,
      from,
      type,
      topic,
      replyTo,
      body,
      label,
      sentAt,
      cause,
    };
    const dead = { isCut: false, lane: 0, diedAt: 5, reason: "late" };
    await here.store.commit(
      [],
      [born(1), { op: "letter.bury", keep: 10, row: { ...letter, ...dead } }],
    );
    const redrive = (to: number) =>
      ({ op: "letter.redrive", letter: 21, row: messageRow(to, 1, { id, lane: 0 }) }) as const;

    expect(await here.store.deadLetter(id, 2)).toBeUndefined();
    expect(await here.store.deadLetter(id, 1)).toMatchObject({
      ...letter,
      ...dead,
      to: "agt_0001",
    });
    await Promise.all([22, 23].map((to) => here.store.commit([], [redrive(to)])));

    expect(await here.store.messages(1)).toMatchObject([{ id, lane: 0 }]);
    expect(await here.store.deadLetter(id)).toBeUndefined();
  });

  test("a durable subscription has a backlog, which the next process that has it takes over", async () => {
    const durable = { key: 70, tenant: 1, agent: "w", name: "jobs", topic: "a.*", isPattern: true };
    const put = (process: number) => ({ op: "durable.put", row: { ...durable, process } }) as const;
    const add = (key: number, process: number) =>
      ({
        op: "message.add",
        row: messageRow(key, process, { topic: "a.b", subscription: 70 }),
      }) as const;
    await here.store.commit([], [born(1), born(2), put(1), add(31, 1), ended(1)]);
    const before = await here.store.subscribers(1, "a.b");
    await here.store.commit([], [add(32, -70)]);

    expect(before).toMatchObject({
      schema: null,
      subscribers: [{ process: 1, durable: 70, isLiving: false, isPattern: true }],
    });
    await here.store.commit([], [put(2), add(33, 2)]);
    expect((await here.store.messages(2)).map(({ key }) => key)).toEqual([31, 32, 33]);
    expect(await here.store.durableSubscription(1, "w", "jobs")).toEqual({
      ...durable,
      process: 2,
    });
    expect(await here.store.durableByKey(70)).toEqual({ ...durable, process: 2 });
    await here.store.commit([], [{ op: "topic.put", tenant: 1, topic: "a.*", schema: "{}" }]);
    expect(await here.store.topics(1)).toEqual([
      { tenant: 1, topic: "a.*", schema: "{}", subscribers: 0, durables: 1, waiting: 3 },
    ]);
    await here.store.commit([], [ended(2)]);
    await here.store.compact([2]);
    expect((await here.store.messages(-70)).map(({ key }) => key)).toEqual([31, 32, 33]);
  });
}
