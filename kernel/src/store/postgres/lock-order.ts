// Lock order: every node writes the rows of a batch in the same order, by table and key, so that two of
// them never wait for each other. Writes of different rows do not see each other, so they may change
// places; those of one row, and those that depend on it, keep theirs (STORE-3).

import type { Write } from "../contract.ts";
import { fleetChangeOf, fleetOf } from "../fleet-rows.ts";
import { changeOf, type ScheduleChange } from "../schedule-rows.ts";

type RowNames = { readonly [Op in Write["op"]]: (write: Extract<Write, { op: Op }>) => string };

const rowNames: RowNames = {
  "process.add": ({ row }) => `process ${row.key}`,
  "process.patch": ({ key }) => `process ${key}`,
  "message.add": ({ row }) => `message ${row.key}`,
  "message.take": ({ key }) => `message ${key}`,
  "request.open": ({ row }) => `request ${row.id}`,
  "request.close": ({ id }) => `request ${id}`,
  "request.drop": ({ process }) => `request of ${process}`,
  "letter.bury": ({ row }) => `dead_letter ${row.tenant} ${row.key}`,
  "letter.redrive": ({ letter, row }) => `dead_letter ${row.tenant} key ${letter}`,
  "durable.put": ({ row }) => `message ~ durable ${row.key}`, // after all messages that it may move
  "topic.put": ({ tenant, topic }) => `topic ${tenant} ${topic}`,
  "subscription.add": ({ tenant, topic, process }) => `subscription ${tenant} ${topic} ${process}`,
  "signal.add": ({ row }) => `signal ${row.key}`,
  "signal.take": ({ key }) => `signal ${key}`,
  "file.put": ({ row }) => `file ${row.tenant} ${row.space} ${row.path}`,
  "file.remove": ({ tenant, space, path }) => `file ${tenant} ${space} ${path}`,
  "embedding.put": ({ row }) => `embedding ${row.tenant} ${row.model} ${row.digest}`,
  "question.put": ({ row }) => `question ${row.id}`,
  "question.answer": ({ id }) => `question ${id}`,
  "vote.add": ({ row }) => `question ${row.question}`,
  "holding.add": ({ row, ifSettled }) =>
    ifSettled === undefined ? `holding ${row.handle}` : `question ${ifSettled.question}`,
  "holding.set": ({ handle }) => `holding ${handle}`,
  "revoked.add": ({ id }) => `revoked ${id}`,
  "label.put": ({ tenant, resource }) => `resource_label ${tenant} ${resource}`,
  "secret.put": ({ row }) => `secret ${row.tenant} ${row.name}`,
  "secret.remove": ({ tenant, name }) => `secret ${tenant} ${name}`,
  "ledger.add": ({ row }) => `ledger ${row.node} ${row.seq}`,
  "blob.put": ({ tenant, digest }) => `blob ${tenant} ${digest}`,
  "manifest.put": ({ tenant, hash }) => `manifest ${tenant} ${hash}`,
  "block.put": ({ id }) => `block ${id}`,
  "tenant.set": ({ row }) => `tenant ${row.key}`,
  schedule: (write) => `schedule ${keyOf(changeOf(write)!)}`,
  fleet: (write) => `fleet ${fleetOf(fleetChangeOf(write)!)}`,
  "core.put": ({ process }) => `core ${process}`,
};

const keyOf = (change: ScheduleChange): number => {
  if (change.op === "schedule.put" || change.op === "tick.put")
    return change.op === "tick.put" ? change.row.schedule : change.row.key;
  return "key" in change ? change.key : change.schedule;
};

export function inLockOrder(writes: readonly Write[]): Write[] {
  const named = writes.map((write) => ({
    write,
    row: (rowNames[write.op] as (write: Write) => string)(write),
  }));
  named.sort((one, two) => (one.row < two.row ? -1 : Number(one.row > two.row)));
  return named.map(({ write }) => write);
}
