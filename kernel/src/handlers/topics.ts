// publish, subscribe: events of topics.
//
// TOPICS-1  An event reaches the subscribers of its tenant only: of its topic, and of every pattern that matches it
//     and whose subscriber the gate would let subscribe to that very topic.
// TOPICS-2  A body that does not fit the schema of its topic is refused at the publisher (EINVAL).
// TOPICS-3  A durable subscription keeps its events while no process has it; the next process of the same agent that
//     subscribes under its name receives them. A backlog that is full gives dead letters, and stops no publisher.

import {
  bodyMismatch,
  isTopicPattern,
  newId,
  SysError,
  topicMatches,
  topicPatternFlaw,
  type Json,
  type SyscallArgs,
} from "@aos/protocol";
import { labelText } from "../label/label.ts";
import type { Write } from "../store/contract.ts";
import type { Subscriber } from "../store/queries.ts";
import type { DurableRow, MessageRow } from "../store/rows.ts";
import type { CallContext, SyscallHandler, SyscallResult } from "../syscall/syscall-handler.ts";
import { letterTo, urgencyOf } from "./messages.ts";
import type { MessageServices } from "./services.ts";

export const publish: SyscallHandler<"publish", MessageServices> = async (
  services,
  args,
  asked,
) => {
  const { topic, body } = args;
  await services.journal.durable(); // so that whoever subscribed before is known
  const found = await services.journal.store.subscribers(asked.process.tenant, topic);
  mustFitTopic(found.schema, topic, body);
  const wanted = await reachable(services, found.subscribers, topic);
  const letters = await Promise.all(wanted.map((one) => eventTo(services, one, args, asked)));
  return {
    value: letters.length,
    writes: letters.map((letter) => letter.write),
    after: () => letters.forEach((letter) => letter.after()),
  };
};

/** TOPICS-2. */
export function mustFitTopic(schema: string | null, topic: string, body: Json): void {
  const problem = schema === null ? undefined : bodyMismatch(JSON.parse(schema) as Json, body);
  if (problem === undefined) return;
  throw new SysError("EINVAL", `the topic ${topic} has a schema: ${problem}`, {
    hint: "`aos msg topics -o json` shows the schemas",
  });
}

/** TOPICS-1. Each process once, however many of its subscriptions match. */
export async function reachable(
  services: Pick<MessageServices, "maySubscribe">,
  found: readonly Subscriber[],
  topic: string,
): Promise<Subscriber[]> {
  const wanted: Subscriber[] = [];
  const isKnown = (one: Subscriber) =>
    wanted.some(
      ({ process, durable }) =>
        (one.isLiving && process === one.process) || (durable !== null && durable === one.durable),
    );
  for (const one of found) {
    if (isKnown(one)) continue;
    if (one.isPattern && !topicMatches(one.topic, topic)) continue;
    if (one.isPattern && one.isLiving && !(await services.maySubscribe(one.process, topic)))
      continue;
    wanted.push(one);
  }
  return wanted;
}

type Event = SyscallArgs<"publish">;

async function eventTo(
  services: MessageServices,
  subscriber: Subscriber,
  { topic, body, lane, ttlMs }: Event,
  asked: CallContext,
): Promise<{ write: Write; after: () => void }> {
  const letter = { body, type: "event", topic, lane, ttlMs };
  const { process, durable, isLiving } = subscriber;
  if (durable === null) return letterTo(services, process, letter, asked);
  const holder = isLiving ? process : -durable;
  const kept = { ...letter, subscription: durable };
  try {
    const { write, after } = await letterTo(services, holder, kept, asked);
    return {
      write,
      after: () => {
        if (isLiving) after();
        services.followDurable(durable, holder);
      },
    };
  } catch (error) {
    if (isLiving || !(error instanceof SysError) || error.code !== "EAGAIN") throw error;
    return { write: overflow(services, -durable, await rowOf(services, kept, asked)), after() {} };
  }
}

/** TOPICS-3. */
const overflow = ({ deadLetters }: MessageServices, process: number, row: MessageRow): Write =>
  deadLetters.write({ ...row, process }, "the backlog of its durable subscription is full");

async function rowOf(
  { keys, platform }: MessageServices,
  { body, type, topic, lane, ttlMs }: Event & { type: string },
  { process }: CallContext,
): Promise<MessageRow> {
  const now = platform.now();
  return {
    key: await keys.take(),
    tenant: process.tenant,
    process: 0,
    id: newId("msg", now, platform.bytes(10)),
    from: process.pid,
    type,
    topic,
    replyTo: null,
    body: JSON.stringify(body ?? null),
    cause: `${process.pid}#${process.seq + 1}`,
    sentAt: now,
    label: labelText(process.label),
    ...urgencyOf({ lane, ttlMs }, now),
  };
}

export const subscribe: SyscallHandler<"subscribe", MessageServices> = async (
  services,
  { topic, durable },
  { process },
) => {
  const flaw = topicPatternFlaw(topic);
  if (flaw !== undefined) throw new SysError("EINVAL", `subscribe: topic: ${topic} ${flaw}`);
  const { tenant, key } = process;
  const isPattern = isTopicPattern(topic);
  if (durable !== undefined)
    return takeDurable(services, { topic, isPattern, name: durable }, process);
  return {
    value: null,
    writes: [{ op: "subscription.add", tenant, process: key, topic, isPattern }],
  };
};

/** TOPICS-3. */
async function takeDurable(
  services: MessageServices,
  wanted: Pick<DurableRow, "topic" | "isPattern" | "name">,
  process: CallContext["process"],
): Promise<SyscallResult> {
  const { journal, keys } = services;
  const { tenant, row } = process;
  await journal.durable();
  const known = await journal.store.durableSubscription(tenant, row.agent, wanted.name);
  if (known !== undefined && known.process !== process.key) {
    const holder = await journal.store.processByKey(known.process);
    if (holder !== undefined && holder.endedAt === null)
      throw new SysError("ESTATE", `${holder.pid} has the durable subscription ${wanted.name}`, {
        hint: "one process at a time has it: end that one, or choose another name",
      });
  }
  const key = known?.key ?? (await keys.take());
  const taken: DurableRow = { key, tenant, agent: row.agent, ...wanted, process: process.key };
  return {
    value: null,
    writes: [...(await refused(services, key, process)), { op: "durable.put", row: taken }],
    after: () => services.followDurable(key, -key),
  };
}

/** What is in the backlog of a pattern, and this process may not subscribe to by name (TOPICS-1). */
async function refused(
  { journal, deadLetters, maySubscribe }: MessageServices,
  durable: number,
  { key }: CallContext["process"],
): Promise<Write[]> {
  const backlog = await journal.store.messages(-durable);
  const answers = new Map<string, boolean>();
  const writes: Write[] = [];
  for (const message of backlog) {
    const topic = message.topic!;
    const isAllowed = answers.get(topic) ?? (await maySubscribe(key, topic));
    answers.set(topic, isAllowed);
    if (isAllowed) continue;
    writes.push({ op: "message.take", key: message.key });
    writes.push(deadLetters.write(message, "its receiver may not subscribe to its topic"));
  }
  return writes;
}
