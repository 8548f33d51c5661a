// Replies: answers to requests of other processes, and the failure of requests that can no longer be answered.
//
// REPLIES-1  A reply goes to its request, once, and does not count against the mailbox. A reply without an open
//     request is a dead letter, and its record says so.
// REPLIES-2  A request to a process that ends without an answer fails with the ending: in memory or not, on any node,
//     before or after a restart.

import { newId, SysError, type Json } from "@aos/protocol";
import { REPLY } from "../bus/mailbox.ts";
import { labelText, readLabel } from "../label/label.ts";
import { openRequest, receivesReplies } from "../process/requests.ts";
import type { MessageRow, ProcessRow } from "../store/rows.ts";
import type { SyscallResult, CallContext } from "../syscall/syscall-handler.ts";
import type { MessageServices } from "./services.ts";
import type { BeginCall } from "../syscall/waiting.ts";

interface Reply {
  readonly body: Json;
  readonly replyTo: string | undefined;
}

/** REPLIES-1. */
export async function reply(
  services: MessageServices,
  { body, replyTo }: Reply,
  asked: CallContext,
): Promise<SyscallResult> {
  const { process } = asked;
  const target = asked.action.target!;
  const expected = await isExpected(services, target, replyTo, asked);
  const now = services.platform.now();
  const message: MessageRow = {
    key: await services.keys.take(),
    tenant: process.tenant,
    process: target.key,
    id: newId("msg", now, services.platform.bytes(10)),
    from: process.pid,
    type: REPLY,
    topic: null,
    replyTo: replyTo ?? null,
    body: JSON.stringify(body ?? null),
    cause: `${process.pid}#${process.seq + 1}`,
    sentAt: now,
    label: labelText(process.label),
  };
  if (!expected) {
    const reason =
      replyTo === undefined
        ? "a reply must name the request that it answers"
        : "no request to its sender is open under this id";
    const verdict = `dead letter: ${reason}`;
    return { value: message.id, writes: [services.deadLetters.write(message, reason)], verdict };
  }
  return {
    value: message.id,
    writes: [
      { op: "message.add", row: message },
      ...(replyTo === undefined ? [] : [{ op: "request.close", id: replyTo } as const]),
    ],
    after: () => services.post(target.key, message),
  };
}

/** Does a call of the target wait for it? The first to answer is the only one. */
async function isExpected(
  services: MessageServices,
  target: ProcessRow,
  replyTo: string | undefined,
  { process }: CallContext,
): Promise<boolean> {
  const loaded = services.table.whole(target.key);
  // While its program is started again, what waits is known by rows alone.
  if (loaded !== undefined && loaded.replay === null && loaded.program !== null) {
    const call = openRequest(loaded, replyTo ?? null, process.pid);
    if (call === undefined) return receivesReplies(loaded);
    if (call.isReplied === true) return false;
    call.isReplied = true;
    return true;
  }
  const { store } = services.journal;
  const row = replyTo === undefined ? undefined : await store.request(replyTo);
  if (row !== undefined) return row.process === target.key && row.target === process.key;
  // One that was asked before there were rows of requests: whoever loads the target knows. They are few.
  return replyTo !== undefined && target.state === "waiting" && (await isOld(services, target));
}

/** Its mailbox has room, so that what is only believed is bounded too. */
async function isOld({ journal, limits }: MessageServices, target: ProcessRow): Promise<boolean> {
  const waiting = await journal.store.messages(target.key);
  return (
    target.waitingOn !== "approval" &&
    waiting.filter(({ type }) => type === REPLY).length < Math.min(limits.pendingCalls, 10)
  );
}

/** Why a request cannot be answered, from the row of its receiver. */
export function noReplyFailure(row: ProcessRow, isBegun: boolean): SysError {
  const how = `${row.state} with exit code ${row.exitCode ?? "?"}`;
  const why = row.error === null ? "" : `: ${row.error.code} ${row.error.message}`;
  return isBegun
    ? new SysError("EUPSTREAM", `${row.pid} ended without an answer (${how})${why}`)
    : new SysError("ENOENT", `${row.pid} has ended (${how})`);
}

/** REPLIES-2. Beside the wait for the answer itself. */
export function replyOrEnd(
  services: MessageServices,
  asked: CallContext,
  begin: BeginCall,
): BeginCall {
  const { process, call, action } = asked;
  const target = action.target!;
  const { store } = services.journal;
  return (answer, leave) => {
    const stopWaiting = begin(answer, leave);
    const ended = async () => {
      call.dormant = false; // it is here that the end was told: who left now would not be woken again
      // What it sent before its end goes first, although another node may have told of the end earlier.
      for (const message of await store.messages(process.key)) process.mailbox.add(message);
      const row = (await store.processByKey(target.key))!;
      if (row.label !== null) call.failureLabel = readLabel(row.label);
      stopWaiting();
      answer(noReplyFailure(row, true));
    };
    const stopListening = services.endings.whenEnded(target.key, () => void ended().catch(answer));
    // It may have ended between the look-up and now. One that is here is told of.
    if (services.table.get(target.key)?.ended !== false)
      store.processByKey(target.key).then((row) => {
        if (row !== undefined && row.endedAt !== null) services.endings.tell(target.key);
      }, answer);
    return () => {
      stopListening();
      stopWaiting();
    };
  };
}
