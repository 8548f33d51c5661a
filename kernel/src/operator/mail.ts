// Mail: dead letters, and the checks of a message that need more than its sender: the schema of a mailbox, and whether a
// subscriber may have a topic.
//
// MAIL-1  A redriven letter is in one mailbox, and no letter any more: both in one transaction, however many redrive it.
// MAIL-2  A letter goes back to its receiver in the name of its sender only while the gate lets that sender send to it;
//     to anyone else, and where the sender has ended, it comes from the operator. Its label stays.

import { bodyMismatch, isEnded, SysError, type DeadLetter, type Json } from "@aos/protocol";
import type { DeadLetterFilter, RedriveRequest } from "../api.ts";
import { REPLY } from "../bus/mailbox.ts";
import {
  processForQuestions,
  type InspectedProcessParts,
} from "../inspection/inspected-process.ts";
import type { Manifests } from "../process/manifests.ts";
import type { ListedLetter } from "../store/mail-reports.ts";
import type { MessageRow, ProcessKey, ProcessRow } from "../store/rows.ts";
import type { Gate } from "../syscall/gate.ts";
import type { KernelParts } from "./kernel-parts.ts";

const USUAL_LIMIT = 100;

export async function deadLettersOf(
  { store, journal, directory, deadLetters }: KernelParts,
  { pid, tenant, before, limit = USUAL_LIMIT }: DeadLetterFilter,
): Promise<DeadLetter[]> {
  const process = pid === undefined ? {} : { process: (await directory.find(pid)).key };
  const of = tenant === undefined ? {} : { tenant: (await store.findTenant(tenant)) ?? -1 };
  await journal.durable();
  const key = before === undefined ? undefined : await store.deadLetterKey(before);
  if (before !== undefined && key === undefined)
    throw new SysError("ENOENT", `unknown dead letter ${before}`, {
      hint: "it may have been removed: start at the first page",
    });
  return deadLetters.list({ limit, before: key, ...process, ...of });
}

/** Puts a dead letter back into a mailbox. */
export async function redriveLetter(
  parts: KernelParts,
  id: string,
  { to, tenant, by }: RedriveRequest,
): Promise<{ id: string; to: string }> {
  const { store, journal, ledger, keys, platform, router } = parts;
  await journal.durable();
  const of = tenant === undefined ? undefined : ((await store.findTenant(tenant)) ?? -1);
  const letter = await store.deadLetter(id, of);
  if (letter === undefined)
    throw new SysError("ENOENT", `unknown dead letter ${id}`, {
      hint: "`aos msg dlq` lists the dead letters",
    });
  mustBeWhole(letter);
  const target = await receiverOf(parts, letter, to);
  const body = JSON.parse(letter.body) as Json;
  await mustFitMailbox(parts.manifests, target, body);
  const from = await senderOf(parts, letter, target, body);
  await router.takePlace(target.key);
  const { tenant: owner, type, topic, replyTo, label, cause, lane } = letter;
  const row: MessageRow = {
    key: await keys.take(),
    tenant: owner,
    process: target.key,
    id: letter.id,
    from,
    type,
    topic,
    replyTo,
    body: letter.body,
    cause,
    sentAt: platform.now(),
    label,
    lane,
  };
  ledger.add({ what: "message.redrive", by, detail: { id, to: target.pid }, tenant: owner });
  journal.write({ op: "letter.redrive", letter: letter.key, row });
  await journal.durable();
  await router.arrived(target.key);
  return { id: letter.id, to: target.pid };
}

function mustBeWhole({ isCut, type }: ListedLetter): void {
  if (isCut)
    throw new SysError(
      "EINVAL",
      "its body was cut when it became a dead letter: it cannot be redriven",
      {
        hint: "the record that sent it has the whole body: `aos why` finds it",
      },
    );
  if (type === REPLY)
    throw new SysError("ESTATE", "it is a reply, and the request that it answers is over");
}

async function receiverOf(
  { directory }: KernelParts,
  letter: ListedLetter,
  to: string | undefined,
): Promise<ProcessRow> {
  const pid = to ?? letter.to;
  const hint = "name a running process of its tenant with --to";
  if (pid === null) throw new SysError("ENOENT", "its receiver is gone", { hint });
  const row = await directory.find(pid);
  if (row.tenant !== letter.tenant) throw new SysError("ENOENT", `unknown process ${pid}`);
  if (isEnded(row.state)) throw new SysError("ESTATE", `${pid} has ended`, { hint });
  return row;
}

/** MAIL-2. */
async function senderOf(
  parts: KernelParts,
  { from, process }: ListedLetter,
  target: ProcessRow,
  body: Json,
): Promise<string> {
  if (target.key !== process || from === "operator") return "operator";
  const sender = await parts.store.process(from);
  if (sender === undefined || isEnded(sender.state)) return "operator";
  const asked = await processForQuestions(parts, sender);
  const said = await parts.wouldBe(asked, "send", { to: target.pid, body });
  const { allow, reason } = said as unknown as { allow: boolean; reason?: string };
  if (allow) return from;
  throw new SysError(
    "EACCES",
    `${from} may no longer send to ${target.pid}: ${reason ?? "refused"}`,
  );
}

/** EINVAL for a body that the mailbox of a process does not take. */
export function mustFitMailbox(
  manifests: Manifests,
  target: ProcessRow,
  body: Json,
): void | Promise<void> {
  if (target.spec.mailbox !== true) return;
  return manifests.of(target).then(({ mailbox }) => {
    const problem = mailbox && bodyMismatch(mailbox.schema as Json, body);
    if (problem !== undefined)
      throw new SysError("EINVAL", `the mailbox of ${target.pid} has a schema: ${problem}`, {
        hint: `\`aos manifest ${target.pid}\` shows it: mailbox.schema`,
      });
  });
}

export async function maySubscribe(
  parts: InspectedProcessParts,
  gate: Gate,
  key: ProcessKey,
  topic: string,
): Promise<boolean> {
  const row = parts.table.get(key)?.row ?? (await parts.store.processByKey(key));
  if (row === undefined) return false;
  const said = await gate.wouldBe(await processForQuestions(parts, row), "subscribe", { topic });
  return (said as { allow?: Json }).allow === true;
}
