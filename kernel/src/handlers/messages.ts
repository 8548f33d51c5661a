// send, receive, request: messages between two processes.
//
// MESSAGES-1  A body that does not fit the schema of the receiver's mailbox is refused at its sender (EINVAL).
// MESSAGES-2  A message whose lifetime is over is not received: it becomes a dead letter.

import {
  DEFAULT_LANE,
  lanes,
  newId,
  SysError,
  type Json,
  type Label,
  type Lane,
  type Urgency,
} from "@aos/protocol";
import { REPLY, streamOf, type Filter } from "../bus/mailbox.ts";
import { decodeValue } from "../journal/codec.ts";
import { parseRecord } from "../journal/record-text.ts";
import { labelText, readLabel } from "../label/label.ts";
import type { Process } from "../process/process.ts";
import { isRequestOf, requestId } from "../process/requests.ts";
import type { Write } from "../store/contract.ts";
import type { MessageRow, ProcessKey } from "../store/rows.ts";
import {
  keyOf,
  type SyscallResult,
  type CallContext,
  type SyscallHandler,
} from "../syscall/syscall-handler.ts";
import type { MessageServices } from "./services.ts";
import type { BeginCall } from "../syscall/waiting.ts";
import { PIPE_STREAM, refuseUnlessEnd } from "./pipe-end.ts";
import { noReplyFailure, replyOrEnd, reply } from "./replies.ts";

interface Letter {
  readonly body: Json;
  readonly type: string;
  readonly topic?: string;
  readonly replyTo?: string | undefined;
  readonly stream?: { readonly id: string } | undefined;
  /** The durable subscription that it goes out by. */
  readonly subscription?: number | null;
  readonly lane?: Lane | undefined;
  readonly ttlMs?: number | undefined;
  /** Where it is not its sender's. */
  readonly label?: Label;
}

/** What a row says of urgency; nothing where nothing was said. */
export const urgencyOf = (
  { lane = DEFAULT_LANE, ttlMs }: { [Name in keyof Urgency]?: Urgency[Name] | undefined },
  nowMs: number,
): Pick<MessageRow, "lane" | "expiresAt"> => ({
  ...(lane === DEFAULT_LANE ? {} : { lane: lanes.indexOf(lane) }),
  ...(ttlMs === undefined ? {} : { expiresAt: nowMs + ttlMs }),
});

/** A message to a process: the write, and what to do once it is appended. */
export async function letterTo(
  services: MessageServices,
  key: ProcessKey,
  letter: Letter,
  { process }: CallContext,
): Promise<{ id: string; write: Write; after: () => void }> {
  const giveBack = await services.takePlace(key);
  const now = services.platform.now();
  const row: MessageRow = {
    key: await services.keys.take(),
    tenant: process.tenant,
    process: key,
    id: newId("msg", now, services.platform.bytes(10)),
    from: process.pid,
    type: letter.type,
    topic: letter.topic ?? null,
    replyTo: letter.replyTo ?? null,
    body: JSON.stringify(letter.body ?? null),
    cause: `${process.pid}#${process.seq + 1}`,
    sentAt: now,
    label: labelText(letter.label ?? process.label),
    ...urgencyOf(letter, now),
    ...(letter.stream === undefined ? {} : { stream: JSON.stringify(letter.stream) }),
    ...(letter.subscription === undefined ? {} : { subscription: letter.subscription }),
  };
  const after = () => {
    if (services.table.get(key) !== undefined) giveBack();
    services.post(key, row);
  };
  return { id: row.id, write: { op: "message.add", row }, after };
}

export const send: SyscallHandler<"send", MessageServices> = async (
  services,
  { to, body, type, replyTo, stream, lane, ttlMs },
  asked,
) => {
  if (to === "operator") return answerOperator(services, replyTo, asked);
  const target = asked.action.target!;
  if (stream?.id === PIPE_STREAM) refuseUnlessEnd(asked, stream);
  if (target.endedAt !== null) throw noReplyFailure(target, false);
  const isReply =
    type === REPLY ||
    (replyTo !== undefined && (type === undefined || isRequestOf(target.pid, replyTo)));
  if (isReply) return reply(services, { body, replyTo }, asked);
  const fitting = services.mustFit(target, body);
  if (fitting !== undefined) await fitting;
  const usual = stream === undefined ? "event" : "stream";
  const letter = { body, replyTo, type: type ?? usual, stream, lane, ttlMs };
  const { id, write, after } = await letterTo(services, target.key, letter, asked);
  return { value: id, writes: [write], after };
};

/** The one who asked is told by the record itself: nothing is put anywhere. */
async function answerOperator(
  services: MessageServices,
  replyTo: string | undefined,
  { process }: CallContext,
): Promise<SyscallResult> {
  if (replyTo === undefined || !(await wasAsked(services, process, replyTo)))
    throw new SysError(
      "EINVAL",
      "a process may only answer an operator, and replyTo is no message of an operator",
      {
        hint: "replyTo is the id of a message that this process received from `operator`",
      },
    );
  const now = services.platform.now();
  return { value: newId("msg", now, services.platform.bytes(10)) };
}

/** Whether an operator sent it a message with this id, and it has taken it: now, or before it was last loaded. */
async function wasAsked(
  { journal }: MessageServices,
  process: Process,
  id: string,
): Promise<boolean> {
  if (process.mailbox.heard.has(id)) return true;
  await journal.durable();
  const fetch = (digest: string) => journal.store.blob(process.tenant, digest);
  for (const { text } of (await journal.store.records(process.key)).reverse()) {
    const record = parseRecord(text);
    if (record.kind !== "call" || record.call !== "receive") continue;
    const message = (await decodeValue(record.ok, fetch)) as { id?: Json; from?: Json } | null;
    if (message?.id === id) return message.from === "operator";
  }
  return false;
}

const takenFrom = (message: MessageRow, value: Json): SyscallResult => ({
  value,
  writes: [{ op: "message.take", key: message.key }],
  label: readLabel(message.label),
  cause: message.cause,
});

const delivered = (message: MessageRow): Json => ({
  id: message.id,
  from: message.from,
  type: message.type,
  body: JSON.parse(message.body) as Json,
  ...(message.topic === null ? {} : { topic: message.topic }),
  ...(message.replyTo === null ? {} : { replyTo: message.replyTo }),
  ...(message.lane === undefined || message.lane === null ? {} : { lane: lanes[message.lane]! }),
  ...(message.stream === undefined ? {} : { stream: streamOf(message) as Json }),
});

function nextMessage(
  asked: CallContext,
  filter: Filter,
  until: number | undefined,
  read: (message: MessageRow) => Json,
  beside: (begin: BeginCall) => BeginCall = (begin) => begin,
): Promise<SyscallResult> {
  const { mailbox } = asked.process;
  const begin: BeginCall = (answer) => {
    const take = (message: MessageRow) => answer(takenFrom(message, read(message)));
    mailbox.next(filter, take);
    return () => mailbox.forget(take);
  };
  return asked.waitFor("message", until, beside(begin));
}

export const receive: SyscallHandler<"receive", MessageServices> = (
  services,
  { until, ...filter },
  asked,
) => {
  services.deadLetters.buryExpired(asked.process); // MESSAGES-2
  return nextMessage(asked, filter, until, delivered);
};

/**
 * The question goes out under an id that comes from the call itself, so that a process that was
 * unloaded, or killed, between the question and the answer finds both again.
 */
export const request: SyscallHandler<"request", MessageServices> = async (
  services,
  { body, type = "request", until, lane, ttlMs },
  asked,
) => {
  const target = asked.action.target!;
  const { process, call } = asked;
  const replyTo = requestId(process.pid, call.n);
  const { key: asker, tenant } = process;
  const row = { id: replyTo, tenant, process: asker, target: target.key };
  // A fork has the intent of the process that it was forked from, whose answer is not for it.
  const sentBefore = call.intent?.key === keyOf(asked);
  if (!sentBefore && target.endedAt !== null) throw noReplyFailure(target, false);
  process.hasAsked = true;
  if (!sentBefore) {
    await services.mustFit(target, body);
    const letter = { body, type, replyTo, lane, ttlMs };
    const { write, after } = await letterTo(services, target.key, letter, asked);
    services.intend(asked, [write, { op: "request.open", row }]);
    after();
  } else if (!process.mailbox.hasReplyTo(replyTo)) {
    services.journal.amend(process, { op: "request.open", row }); // it may be from before there were such rows
  }
  return nextMessage(
    asked,
    { replyTo, from: target.pid },
    until,
    (message) => JSON.parse(message.body) as Json,
    (begin) => replyOrEnd(services, asked, begin),
  );
};
