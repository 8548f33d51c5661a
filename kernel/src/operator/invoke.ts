// Invoke: sends a question to a living agent and waits for its answer.
//
//   The question is one message of type `invoke` with the body {input, context?}. The agent answers by `send` to
//   `operator` with `replyTo`; the record of that call is the answer.
//
// INVOKE-1  The message and its context are taken together or not at all.
// INVOKE-2  The id of the message follows from the pid and the key: one key is one message, however often it is sent
//     and whatever crashes. Its answer stays in the journal.
// INVOKE-3  A caller that stops waiting stops nothing.
// INVOKE-4  An answer of type `failure` is thrown, each time its key is used.

import {
  isEnded,
  isFailureCode,
  newId,
  SysError,
  type InvokeReport,
  type Json,
} from "@aos/protocol";
import type { InvokeRequest } from "../api.ts";
import { decodeArgs, decodeValue, digestOf } from "../journal/codec.ts";
import { parseRecord } from "../journal/record-text.ts";
import { CLEAN } from "../label/label.ts";
import type { ProcessKey, ProcessRow } from "../store/rows.ts";
import type { KernelParts } from "./kernel-parts.ts";
import { holdNode, whenAborted } from "./hold-open.ts";
import { followProcess } from "./watch.ts";

/** Of so many processes it is remembered what they have taken. */
const MOST_READ = 1000;

/** What a program answers an operator with. */
interface Reply {
  readonly to?: Json;
  readonly body?: Json;
  readonly replyTo?: Json;
  readonly type?: Json;
}

export class Invocations {
  readonly #parts: KernelParts;
  /** Those that are being sent: the same one that comes meanwhile waits to see what becomes of it. */
  readonly #sending = new Map<string, Promise<Sent>>();

  /** The messages that the last processes asked have taken, as far as their journals were read. */
  readonly #taken = new Map<ProcessKey, { upTo: number; readonly at: Map<string, number> }>();

  constructor(parts: KernelParts) {
    this.#parts = parts;
  }

  /** Until any of the signals is aborted. */
  async invoke(
    row: ProcessRow,
    request: InvokeRequest,
    signals: readonly (AbortSignal | undefined)[],
  ): Promise<InvokeReport> {
    const { platform } = this.#parts;
    const key = request.key ?? newId("key", platform.now(), platform.bytes(10));
    const id = `msg_${digestOf(JSON.stringify([row.pid, key])).slice(0, 32)}`;
    const { isRepeat, after } = await this.#sendOnce(row, id, request);
    const deadline = new AbortController();
    const timer =
      request.timeoutMs === undefined
        ? undefined
        : setTimeout(() => deadline.abort(), request.timeoutMs);
    const over = new AbortController();
    const stops = [whenAborted([deadline.signal, ...signals], () => over.abort()), holdNode()];
    try {
      const output = await this.#answerTo(row, id, { after, signal: over.signal });
      if (output !== undefined) return { pid: row.pid, id, isRepeat, output: output.body };
    } finally {
      clearTimeout(timer);
      for (const stop of stops) stop();
    }
    const now = await this.#parts.store.processByKey(row.key);
    if (now !== undefined && isEnded(now.state))
      throw new SysError("ESTATE", `${row.pid} ended before it answered`);
    if (!deadline.signal.aborted)
      throw new SysError("EINTR", "no request waits for the answer any more");
    throw new SysError("ETIMEDOUT", `${row.pid} has not answered in time; it keeps running`, {
      hint: `repeat the request with the same key to get the answer: ${key}`,
    });
  }

  /** INVOKE-2. */
  async #sendOnce(row: ProcessRow, id: string, request: InvokeRequest): Promise<Sent> {
    const under = this.#sending.get(id);
    if (under !== undefined) return { ...(await under), isRepeat: true };
    const sending = this.#send(row, id, request).finally(() => this.#sending.delete(id));
    this.#sending.set(id, sending);
    return sending;
  }

  async #send(row: ProcessRow, id: string, request: InvokeRequest): Promise<Sent> {
    const { store, journal, router } = this.#parts;
    const { input = null, context, label = CLEAN } = request;
    await journal.durable();
    const { seq: after } = (await store.chain(row.key))!;
    // The mailbox first: what is taken between the two looks is in the journal at the second.
    if (await store.hasMessage(row.key, id)) return { isRepeat: true, after };
    const taken = request.key === undefined ? undefined : await this.#takenAt(row, id);
    if (taken !== undefined) return { isRepeat: true, after: taken };
    if (isEnded(row.state)) throw new SysError("ESTATE", `${row.pid} has ended`);
    const body = { input, ...(context === undefined ? {} : { context }) } as unknown as Json;
    await router.sendFromOperator(row, body, { type: "invoke", label, id });
    return { isRepeat: false, after };
  }

  /** The record by which it took the message. What was read for an earlier one is not read again. */
  async #takenAt({ key, tenant }: ProcessRow, id: string): Promise<number | undefined> {
    const { store } = this.#parts;
    const known = this.#taken.get(key) ?? { upTo: -1, at: new Map<string, number>() };
    this.#taken.delete(key);
    this.#taken.set(key, known); // the last one asked for is the last one forgotten
    if (this.#taken.size > MOST_READ) this.#taken.delete(this.#taken.keys().next().value!);
    for (const { text, seq } of await store.records(key, { after: known.upTo })) {
      known.upTo = Math.max(known.upTo, seq);
      const record = parseRecord(text);
      if (record.kind !== "call" || record.call !== "receive") continue;
      const message = await decodeValue(record.ok, (digest) => store.blob(tenant, digest));
      const taken = (message as { id?: Json } | null)?.id;
      if (typeof taken === "string") known.at.set(taken, record.seq);
    }
    return known.at.get(id);
  }

  /** What it sends as the answer, once that is durable; undefined when it ended or no caller waits. */
  async #answerTo(
    { key, tenant }: ProcessRow,
    id: string,
    from: { readonly after: number; readonly signal: AbortSignal },
  ): Promise<{ body: Json } | undefined> {
    const { store } = this.#parts;
    for await (const record of followProcess(this.#parts, key, from)) {
      if (record.kind !== "call" || record.call !== "send" || record.err !== undefined) continue;
      const fetch = (digest: string) => store.blob(tenant, digest);
      const { to, replyTo, type, body = null } = (await decodeArgs(record.args, fetch)) as Reply;
      if (to !== "operator" || replyTo !== id) continue;
      if (type === "failure") throw failureIn(body); // INVOKE-4
      return { body };
    }
    return undefined;
  }
}

function failureIn(body: Json): SysError {
  const { error } = (body ?? {}) as { error?: { code?: string; message?: string; hint?: string } };
  const code = error?.code ?? "";
  return new SysError(
    isFailureCode(code) ? code : "EUPSTREAM",
    error?.message ?? JSON.stringify(body),
    { hint: error?.hint },
  );
}

interface Sent {
  readonly isRepeat: boolean;
  /** Its answer is after this record. */
  readonly after: number;
}
