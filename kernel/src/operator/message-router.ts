// MessageRouter: delivers messages, signals and results to processes: in memory, unloaded, or on another node.

import {
  isEnded,
  newId,
  SysError,
  type Json,
  type Label,
  type SignalName,
  type Urgency,
} from "@aos/protocol";
import { urgencyOf } from "../handlers/messages.ts";
import { REPLY } from "../bus/mailbox.ts";
import { MailboxReservations } from "../bus/mailbox-reservations.ts";
import type { Questions } from "../approval/questions.ts";
import type { Journal } from "../journal/journal.ts";
import { labelText } from "../label/label.ts";
import type { Limits } from "../options.ts";
import type { Platform } from "../platform/clock.ts";
import type { DeadLetters } from "../process/dead-letters.ts";
import type { RowKeys } from "../process/row-keys.ts";
import type { Process } from "../process/process.ts";
import type { ProcessTable } from "../process/process-table.ts";
import type { Boundary } from "../scheduler/boundary.ts";
import type { Dormancy } from "../scheduler/dormancy.ts";
import type { ProcessEndings } from "../scheduler/endings.ts";
import type { Write, Store } from "../store/contract.ts";
import type { MessageRow, ProcessKey, ProcessRow, SignalRow } from "../store/rows.ts";

interface Parts {
  readonly journal: Journal<Store>;
  readonly platform: Platform;
  readonly table: ProcessTable;
  readonly keys: RowKeys;
  readonly limits: Limits;
  readonly boundary: Boundary;
  readonly endings: ProcessEndings;
  readonly questions: Questions;
  readonly deadLetters: DeadLetters;
  readonly dormancy: () => Dormancy;
  /** Records what was given to a process that is in memory. */
  readonly settle: (process: Process) => Promise<void>;
  readonly scrub: (text: string) => string;
  /** A durable subscription that no process has has got a message. */
  readonly onBacklog: (durable: number) => void;
  readonly trouble: (what: string, error: unknown) => void;
}

export class MessageRouter {
  readonly #parts: Parts;
  readonly #room = new MailboxReservations();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * A place in a mailbox for a message that is about to be sent. Returns how to give it back when the
   * message is in. With the next commit it is given back in any case: then the store counts it, or
   * nothing came of it.
   */
  async takePlace(key: ProcessKey): Promise<() => void> {
    const { journal, table, limits } = this.#parts;
    const loaded = table.get(key);
    if (loaded !== undefined) this.#parts.deadLetters.buryExpired(loaded);
    const depth =
      loaded?.mailbox.depth ?? (await journal.store.countMessages(key, this.#parts.platform.now()));
    const giveBack = this.#room.take(key, depth, limits.mailboxDepth);
    journal.afterNextCommit(giveBack);
    return giveBack;
  }

  /** A message that the journal has, or is about to have. */
  post(key: ProcessKey, message: MessageRow): void {
    const loaded = this.#parts.table.get(key);
    if (loaded === undefined) return this.call(key);
    loaded.mailbox.add(message);
    // Its sender may have known by rows alone what the process waited for.
    if (message.type === REPLY) this.#parts.deadLetters.bury(loaded);
  }

  /** A signal: what to write, and what to do once that is written. */
  async signalTo(
    row: Pick<ProcessRow, "key" | "tenant">,
    signal: SignalName,
    cause: string,
  ): Promise<{ writes: Write[]; after: () => void }> {
    const { keys, platform, table, boundary } = this.#parts;
    const key = await keys.take();
    const waiting: SignalRow = {
      key,
      tenant: row.tenant,
      process: row.key,
      signal,
      cause,
      sentAt: platform.now(),
    };
    const after = () => {
      const loaded = table.get(row.key);
      if (loaded === undefined) this.call(row.key);
      else boundary.arrive(loaded, waiting);
    };
    return { writes: [{ op: "signal.add", row: waiting }], after };
  }

  /** A signal from the kernel or the operator, under way at once. */
  async signal(
    row: Pick<ProcessRow, "key" | "tenant">,
    signal: SignalName,
    cause: string,
  ): Promise<void> {
    const { writes, after } = await this.signalTo(row, signal, cause);
    this.#parts.journal.write(...writes);
    after();
  }

  /** The same, without waiting for the delivery. */
  signalLater(
    row: Pick<ProcessRow, "key" | "tenant" | "pid">,
    signal: SignalName,
    cause: string,
  ): void {
    const { trouble } = this.#parts;
    this.signal(row, signal, cause).catch((error: unknown) =>
      trouble(`${row.pid} could not be sent ${signal}`, error),
    );
  }

  async sendFromOperator(
    row: Pick<ProcessRow, "key" | "tenant">,
    body: Json,
    {
      type,
      label,
      id,
      topic = null,
      durable,
      place,
      ...urgency
    }: Urgency & {
      type: string;
      label: Label;
      id?: string;
      topic?: string | null;
      /** The durable subscription that it goes out by. */
      durable?: number;
      /** The place that was taken for it, where one was (takePlace). */
      place?: () => void;
    },
  ): Promise<string> {
    const { journal, platform, table, keys } = this.#parts;
    if (type === REPLY)
      throw new SysError("EINVAL", `a message of type ${REPLY} answers a request of its receiver`, {
        hint: "an operator cannot send replies: omit the type, or choose another",
      });
    const giveBack = place ?? (await this.takePlace(row.key));
    const now = platform.now();
    const message: MessageRow = {
      id: id ?? newId("msg", now, platform.bytes(10)),
      type,
      key: await keys.take(),
      tenant: row.tenant,
      process: row.key,
      from: "operator",
      topic,
      replyTo: null,
      body: this.#parts.scrub(JSON.stringify(body)),
      cause: "operator",
      sentAt: now,
      label: labelText(label),
      ...urgencyOf(urgency, now),
      ...(durable === undefined ? {} : { subscription: durable }),
    };
    journal.write({ op: "message.add", row: message });
    if (table.get(row.key) !== undefined) giveBack();
    if (row.key > 0) this.post(row.key, message);
    if (durable !== undefined) this.followDurable(durable, row.key);
    await journal.durable();
    return message.id;
  }

  /**
   * What came by a durable subscription, and was sent to `sentTo`, is with the process that has the subscription now:
   * whichever of the two was durable first.
   */
  followDurable(durable: number, sentTo: number): void {
    const { journal, trouble } = this.#parts;
    journal.whenDurable((failed) => {
      if (failed !== undefined) return;
      this.#moveBacklog(durable, sentTo).catch((error: unknown) =>
        trouble("a durable subscription could not be followed", error),
      );
    });
  }

  async #moveBacklog(durable: number, sentTo: number): Promise<void> {
    const { journal } = this.#parts;
    const row = await journal.store.durableByKey(durable);
    if (row?.process === -durable) this.#parts.onBacklog(durable);
    if (row === undefined || row.process === sentTo) return;
    const holder = await journal.store.processByKey(row.process);
    if (holder === undefined || holder.endedAt !== null) return; // it stays in the backlog
    journal.write({ op: "durable.put", row });
    await journal.durable();
    await this.arrived(row.process);
  }

  /** The store has something for a process: in memory here, or not. */
  async arrived(key: ProcessKey): Promise<void> {
    const loaded = this.#parts.table.get(key);
    if (loaded === undefined || !(await this.#refresh(loaded))) this.call(key);
  }

  /** Something is there for a process that is not in memory: loads it, or tells the node that has it. */
  call(key: ProcessKey): void {
    const { journal, dormancy, trouble } = this.#parts;
    dormancy().wakeLater(key);
    if (journal.store.kind === "sqlite") return;
    journal.whenDurable((failed) => {
      if (failed !== undefined) return;
      journal.store
        .notify([key])
        .catch((error: unknown) => trouble("another node could not be told", error));
    });
  }

  /** Those who wait for the end of a process on another node, and may not have been told. */
  async lookForEnds(): Promise<void> {
    const { journal, table, endings } = this.#parts;
    for (const key of endings.awaited) {
      if (table.get(key) !== undefined) continue;
      const row = await journal.store.processByKey(key);
      if (row !== undefined && isEnded(row.state)) endings.tell(key);
    }
  }

  /** Another node has something for these. */
  async onNotified(keys: readonly ProcessKey[]): Promise<void> {
    const { journal, table, endings, dormancy } = this.#parts;
    for (const key of keys) {
      let loaded = table.get(key);
      // It may leave memory while the store is read: then what came is for whoever loads it again.
      while (loaded !== undefined && !(await this.#refresh(loaded))) loaded = table.get(key);
      if (loaded !== undefined) continue;
      if (endings.isAwaited(key)) {
        const row = await journal.store.processByKey(key);
        if (row !== undefined && isEnded(row.state)) endings.tell(key);
      }
      dormancy().wakeLater(key);
    }
  }

  /** Gives a process what the store has for it; false where it has left memory meanwhile. */
  async #refresh(process: Process): Promise<boolean> {
    const { journal, table, boundary, questions, deadLetters } = this.#parts;
    const { key, row } = process;
    const lane = (await journal.store.processByKey(key))?.lane ?? null;
    const messages = await journal.store.messages(key);
    const signals = await journal.store.signals(key);
    if (table.get(key) !== process) return false;
    row.lane = lane;
    for (const message of messages) process.mailbox.add(message);
    deadLetters.bury(process);
    for (const signal of signals) boundary.arrive(process, signal);
    await this.#parts.settle(process);
    await questions.recheck(key);
    return true;
  }
}
