// read and list below /ipc: the messages that wait for the process, and those that it has sent. Nothing is taken.
//
//   /ipc/inbox/ID     a waiting message, with its body and its label
//   /ipc/outbox/SEQ   a message that it sent, by the record that sent it
//   /ipc/pipes/in     for others: the items that wait for this stage (it itself takes one, pipes.ts)
//   /ipc/pipes/out    where its items go, and what they have to be
//
// MESSAGE-FILES-1  To look at a message does not take it: `receive` does.

import { PIPE_IN, PIPE_OUT, PIPES, type CallRecord, type Json } from "@aos/protocol";
import { argumentsOf } from "../journal/codec.ts";
import { parseRecord } from "../journal/record-text.ts";
import { join, labelText, readLabel } from "../label/label.ts";
import type { Process } from "../process/process.ts";
import type { MessageRow } from "../store/rows.ts";
import { isItem } from "./pipe-end.ts";
import type { FileServices } from "./services.ts";
import { absentFile, wholeOrPiece, type VirtualFiles } from "./virtual-files.ts";

const IPC = "/ipc";
const INBOX = "/ipc/inbox";
const OUTBOX = "/ipc/outbox";
/** The newest: a journal may have many. */
const MOST_SENT = 1000;

export const messageFiles: VirtualFiles = {
  async list(services, process, path) {
    const { pipe } = process.row.spec;
    if (path === IPC) return { value: [INBOX, OUTBOX, ...(pipe === undefined ? [] : [PIPES])] };
    if (path === PIPES && pipe !== undefined)
      return {
        value: [
          ...(pipe.in === undefined ? [] : [PIPE_IN]),
          ...(pipe.out === undefined ? [] : [PIPE_OUT]),
        ],
      };
    if (path === OUTBOX)
      return { value: (await sentBy(services, process)).map(({ seq }) => `${OUTBOX}/${seq}`) };
    if (path !== INBOX) throw absentFile(path, IPC);
    return { value: (await waitingFor(services, process)).map(({ id }) => `${INBOX}/${id}`) };
  },
  async read(services, process, path, piece) {
    if (path.startsWith(`${OUTBOX}/`)) {
      const name = path.slice(OUTBOX.length + 1);
      const sent = (await sentBy(services, process)).find(({ seq }) => String(seq) === name);
      if (sent === undefined) throw absentFile(path, OUTBOX);
      return { value: wholeOrPiece(await sentMessage(services, process, sent), piece) };
    }
    if (path === PIPE_OUT && process.row.spec.pipe?.out !== undefined) {
      const { key: _, ...edge } = process.row.spec.pipe.out;
      return { value: wholeOrPiece(edge as unknown as Json, piece) };
    }
    const waiting = await waitingFor(services, process);
    if (path === PIPE_IN && process.row.spec.pipe?.in !== undefined) {
      const items = waiting.filter(isItem);
      return {
        value: wholeOrPiece({ items: items.map(({ body }) => JSON.parse(body) as Json) }, piece),
        label: items.map(({ label }) => readLabel(label)).reduce(join, process.label),
      };
    }
    const message = waiting.find(({ id }) => path === `${INBOX}/${id}`);
    if (message === undefined) throw absentFile(path, INBOX);
    return {
      value: wholeOrPiece(shown(message), piece),
      label: join(process.label, readLabel(message.label)),
    };
  },
};

async function waitingFor({ journal }: FileServices, { key }: Process): Promise<MessageRow[]> {
  await journal.durable();
  return journal.store.messages(key);
}

const shown = (message: MessageRow): Json => ({
  id: message.id,
  from: message.from,
  type: message.type,
  topic: message.topic,
  replyTo: message.replyTo,
  sentAt: message.sentAt,
  label: labelText(readLabel(message.label)),
  body: JSON.parse(message.body) as Json,
});

const SENDING = /"call":"(?:send|request|publish)"/;

async function sentBy({ journal }: FileServices, { key }: Process): Promise<CallRecord[]> {
  await journal.durable();
  const rows = await journal.store.records(key);
  return rows
    .filter(({ text }) => SENDING.test(text))
    .map(({ text }) => parseRecord(text))
    .filter((record) => record.kind === "call" && record.err === undefined)
    .slice(-MOST_SENT) as CallRecord[];
}

async function sentMessage(
  { journal: { store } }: FileServices,
  { tenant }: Process,
  record: CallRecord,
): Promise<Json> {
  const args = await argumentsOf(record, (digest) => store.blob(tenant, digest));
  return { seq: record.seq, at: record.at, call: record.call, ...(args as object) };
}
