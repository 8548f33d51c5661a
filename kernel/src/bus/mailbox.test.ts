import { expect, test } from "vitest";
import type { MessageRow } from "../store/rows.ts";
import { Mailbox } from "./mailbox.ts";
import { MailboxReservations } from "./mailbox-reservations.ts";

const message = (key: number, more: Partial<MessageRow> = {}): MessageRow => ({
  key,
  tenant: 1,
  process: 1,
  id: `msg_${key}`,
  from: "agt_a",
  type: "event",
  topic: null,
  replyTo: null,
  body: "1",
  cause: "operator",
  sentAt: 0,
  label: "trusted/public",
  ...more,
});

test("what was taken is not put in again, although the store may still tell of it", () => {
  const mailbox = new Mailbox();
  const taken: number[] = [];
  mailbox.add(message(1));
  mailbox.next({}, ({ key }) => taken.push(key));
  mailbox.next({}, ({ key }) => taken.push(key));

  mailbox.add(message(1));
  mailbox.add(message(2));
  mailbox.add(message(2));

  expect(taken).toEqual([1, 2]);
  expect(mailbox.depth).toBe(0);
});

test("what the store had comes before what came meanwhile, and nothing is doubled", () => {
  const mailbox = new Mailbox();
  mailbox.add(message(3));

  mailbox.fill([message(1), message(2), message(3)]);

  const keys: number[] = [];
  for (let i = 0; i < 3; i++) mailbox.next({}, ({ key }) => keys.push(key));
  expect(keys).toEqual([1, 2, 3]);
});

test("an answer goes to its request, not to whoever takes the next message", () => {
  const mailbox = new Mailbox();
  const got: string[] = [];
  mailbox.next({}, ({ id }) => got.push(`any ${id}`));
  mailbox.next({ replyTo: "agt_b.7", from: "agt_a" }, ({ id }) => got.push(`answer ${id}`));

  mailbox.add(message(1, { type: "response", replyTo: "agt_b.7", from: "agt_x" }));
  mailbox.add(message(2, { type: "response", replyTo: "agt_b.7" }));
  mailbox.add(message(3));

  expect(got).toEqual(["answer msg_2", "any msg_3"]);
});

test("places that are taken count, until they are given back, and are given back once", () => {
  const room = new MailboxReservations();
  const giveBack = room.take(7, 1, 3);
  room.take(7, 1, 3);

  expect(() => room.take(7, 1, 3)).toThrow(expect.objectContaining({ code: "EAGAIN" }));
  giveBack();
  giveBack();

  room.take(7, 1, 3);
  expect(() => room.take(7, 1, 3)).toThrow(expect.objectContaining({ retryAfter: 1000 }));
  room.take(8, 1, 3);
});
