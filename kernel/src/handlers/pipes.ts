// Pipes: the items that a stage gives and takes while it runs.
//
//   write("/ipc/pipes/out", item)    to the next stage; waits while that one has too many
//   read("/ipc/pipes/in")            { item }, or { end } when the stage before has ended and all are taken
//
// PIPES-1  An item passes only if it fits the check of the edge, which the kernel has kept since the stage began.
// PIPES-2  An item is a message: stored with the record that gives it, removed with the record that takes it. So a kill
//     loses none and repeats none, and a replay has them all.
// PIPES-3  The end is read after every item, whichever of them this node hears of first.

import {
  bodyMismatch,
  SysError,
  type Json,
  type Label,
  type PipeEdge,
  type PipeRead,
} from "@aos/protocol";
import { streamOf } from "../bus/mailbox.ts";
import { endorse, schemaMismatch } from "../label/endorsement.ts";
import { isAtMost, labelText, readLabel } from "../label/label.ts";
import type { Process } from "../process/process.ts";
import type { MessageRow, ProcessRow } from "../store/rows.ts";
import type { CallContext, SyscallHandler, SyscallResult } from "../syscall/syscall-handler.ts";
import type { BeginCall } from "../syscall/waiting.ts";
import { letterTo } from "./messages.ts";
import { knownEnd, PIPE_STREAM, rememberEnd } from "./pipe-end.ts";
import type { MessageServices } from "./services.ts";
import { absentFile } from "./virtual-files.ts";

const ITEM = "item";
const FIRST_RETRY_MS = 20;
const MOST_RETRY_MS = 1000;

export const giveItem: SyscallHandler<"write", MessageServices> = async (
  services,
  { path, data },
  asked,
) => {
  const { process } = asked;
  const out = process.row.spec.pipe?.out;
  if (out === undefined) throw absentFile(path!, "/ipc");
  const item = data ?? null;
  const label = labelToPass(process, out, item);
  const give = async (): Promise<SyscallResult> => {
    const target = await living(services, out);
    await services.mustFit(target, item);
    const letter = { body: item, type: ITEM, stream: { id: PIPE_STREAM }, label };
    const { write, after } = await letterTo(services, out.key, letter, asked);
    return { value: null, writes: [write], after };
  };
  return give().catch((error: unknown) => {
    if (!isFull(error)) throw error;
    return asked.waitFor("message", undefined, again(give), false);
  });
};

const isFull = (error: unknown): boolean => error instanceof SysError && error.code === "EAGAIN";

/** Until the next stage has taken some. */
const again =
  (give: () => Promise<SyscallResult>): BeginCall =>
  (answer) => {
    let waitMs = FIRST_RETRY_MS;
    let timer: NodeJS.Timeout;
    const wait = () => {
      timer = setTimeout(() => {
        give().then(answer, (error: Error) => {
          if (!isFull(error)) return answer(error);
          waitMs = Math.min(waitMs * 2, MOST_RETRY_MS);
          wait();
        });
      }, waitMs);
    };
    wait();
    return () => clearTimeout(timer);
  };

async function living(
  { table, journal }: MessageServices,
  { key, to }: { readonly key: number; readonly to: string },
): Promise<ProcessRow> {
  const row = table.get(key)?.row ?? (await journal.store.processByKey(key));
  if (row !== undefined && row.endedAt === null) return row;
  throw new SysError("ESTATE", `the next stage of the pipe (${to}) has ended`);
}

/** PIPES-1. */
function labelToPass(process: Process, edge: PipeEdge, item: Json): Label {
  const { schema, label: most } = edge;
  if (edge.endorse === true) return endorsed(process, schema!, item);
  const problem = schema === undefined ? undefined : bodyMismatch(schema, item, "the item");
  if (problem !== undefined) throw new SysError("EINVAL", `it does not pass: ${problem}`);
  const { label } = process;
  if (most !== undefined && !isAtMost(label, readLabel(most)))
    throw new SysError(
      "EPOLICY",
      `it does not pass: it is ${labelText(label)}, and at most ${most} may`,
    );
  return label;
}

/** As the value of a child without power (processes.ts). */
function endorsed({ holdings, pid, label }: Process, schema: Json, item: Json): Label {
  const powers = [...holdings].flatMap(({ block }) => block.caps);
  if (powers.some(({ kind }) => kind !== "model"))
    throw new SysError("EACCES", `${pid} holds more than models: its items are not endorsed`);
  const problem = schemaMismatch(schema, item);
  if (problem !== undefined) throw new SysError("EINVAL", `it does not pass: ${problem}`);
  return endorse(label);
}

export const takeItem: SyscallHandler<"read", MessageServices> = async (
  services,
  { path },
  asked,
) => {
  const { process } = asked;
  if (process.row.spec.pipe?.in !== true) throw absentFile(path!, "/ipc");
  const known = knownEnd(process);
  if (known !== undefined) return { value: known as unknown as Json };
  const { mailbox } = process;
  const begin: BeginCall = (answer) => {
    const take = (message: MessageRow) => {
      if (streamOf(message)!.end !== true) answer(taken(message, itemIn(message)));
      else atTheEnd(services, asked, message).then(answer, answer);
    };
    mailbox.next({ stream: PIPE_STREAM }, take);
    return () => mailbox.forget(take);
  };
  return asked.waitFor("message", undefined, begin);
};

const itemIn = ({ body }: MessageRow): PipeRead => ({ item: JSON.parse(body) as Json });

const taken = (message: MessageRow, answer: PipeRead): SyscallResult => ({
  value: answer as unknown as Json,
  writes: [{ op: "message.take", key: message.key }],
  label: readLabel(message.label),
  cause: message.cause,
});

/** PIPES-3. The end was said when all items were stored: they are looked for there. */
async function atTheEnd(
  { journal }: MessageServices,
  { process }: CallContext,
  end: MessageRow,
): Promise<SyscallResult> {
  const { mailbox, key } = process;
  mailbox.fill([end]); // it stays until nothing is before it, also where this call is given up
  await journal.durable();
  for (const message of await journal.store.messages(key)) mailbox.add(message);
  const next = nextNow(process, ITEM) ?? nextNow(process);
  if (next === undefined) throw new SysError("EINTR", "the item was taken by another call");
  if (streamOf(next)!.end !== true) return taken(next, itemIn(next));
  const answer = { end: JSON.parse(next.body) } as PipeRead;
  rememberEnd(process, answer as unknown as Json);
  return taken(next, answer);
}

function nextNow({ mailbox }: Process, type?: string): MessageRow | undefined {
  let found: MessageRow | undefined;
  const take = (message: MessageRow) => {
    found = message;
  };
  mailbox.next({ stream: PIPE_STREAM, type }, take);
  if (found === undefined) mailbox.forget(take);
  return found;
}
