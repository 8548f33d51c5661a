// What arrives for a process while it comes into memory or leaves it.

import { expect, test } from "vitest";
import { Mailbox, REPLY } from "../bus/mailbox.ts";
import type { Process } from "../process/process.ts";
import type { MessageRow } from "../store/rows.ts";
import { MessageRouter } from "./message-router.ts";

const KEY = 7;

/** A courier whose world is one process, in memory or not. */
function courierFor(process: Process | undefined, whileRead: () => void = () => {}) {
  const log: string[] = [];
  const world = { process };
  const store = {
    kind: "sqlite",
    processByKey: async () => (whileRead(), { lane: null, state: "waiting" }),
    messages: async () => [reply()],
    signals: async () => [],
  };
  const parts = {
    journal: { store },
    table: { get: () => world.process },
    deadLetters: { bury: () => log.push("bury") },
    endings: { isAwaited: () => false },
    dormancy: () => ({ wakeLater: () => log.push("wake") }),
    settle: async () => log.push("settle"),
    questions: { recheck: async () => {} },
  };
  return { router: new MessageRouter(parts as never), log, world };
}

const process = (): Process =>
  ({ key: KEY, row: { lane: null }, mailbox: new Mailbox() }) as unknown as Process;

const reply = (type = REPLY): MessageRow =>
  ({ key: 1, process: KEY, type, replyTo: "somebody.1", from: "x" }) as unknown as MessageRow;

test("a reply whose sender went by rows is looked at again by the process that is in memory", () => {
  const loaded = process();
  const { router, log } = courierFor(loaded);

  router.post(KEY, reply());
  expect(log).toEqual(["bury"]);
  expect(loaded.mailbox.hasReplies).toBe(true);

  router.post(KEY, { ...reply("note"), key: 2, replyTo: null });
  expect(log).toEqual(["bury"]);
});

test("a process that leaves memory while the store is read for it is loaded again", async () => {
  const leaving = process();
  const { router, log, world } = courierFor(leaving, () => (world.process = undefined));

  await router.onNotified([KEY]);

  expect(leaving.mailbox.hasReplies).toBe(false);
  expect(log).toEqual(["wake"]);
});

test("one that stays has what the store has", async () => {
  const staying = process();
  const { router, log } = courierFor(staying);

  await router.onNotified([KEY]);

  expect(staying.mailbox.hasReplies).toBe(true);
  expect(log).toEqual(["bury", "settle"]);
});
