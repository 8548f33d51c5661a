// Questions: questions to people from the side of the waiting process. They are stored, so that an answer may come
// after restarts.
//
//   ask(end, draft, on)     asks, or finds the earlier question; calls back when it is settled
//
// QUESTIONS-1  A question is bound to the digest of its action: its answer is valid for no other.
// QUESTIONS-2  The id follows from the process and the call, so asking again after a restart finds the same question
//     with the same expiry. If the rule, the label or the code has changed, it is a new question, and the old one is
//     withdrawn.
// QUESTIONS-3  A question above a limit (question-limits.ts) is refused before it exists.
// QUESTIONS-5  An answer that is in the row and not in the ledger does not count: the call is refused.
// QUESTIONS-4  An expired question is reported to its process, in memory or woken for it, on any node and after any
//     crash.

import { SysError } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { ChainEnd } from "../journal/group-commit.ts";
import type { Approvals } from "../options.ts";
import { MAX_TIMER_MS, type Platform } from "../platform/clock.ts";
import type { ProcessKey, QuestionRow, TenantKey } from "../store/rows.ts";
import type { Channels } from "./channels.ts";
import { limitQuestions } from "./question-limits.ts";
import { isOpen } from "./outcome.ts";

const TRY_AGAIN_MS = 1000;

/** A question that is to be asked. `id` is the first that it may have. */
export type QuestionDraft = Pick<
  QuestionRow,
  | "id"
  | "tenant"
  | "process"
  | "pid"
  | "n"
  | "kind"
  | "question"
  | "choices"
  | "digest"
  | "askedAt"
  | "expiresAt"
  | "channel"
  | "quorum"
  | "batch"
  | "about"
>;

export interface QuestionListener {
  /** It is in the store, or about to be, and not settled. */
  readonly asked: (row: QuestionRow) => void;
  /** It is settled, or its time is over. */
  readonly heard: (row: QuestionRow) => void;
  readonly failed: (error: Error) => void;
}

interface Listener {
  readonly process: ProcessKey;
  /** Once it is known. */
  id: string | undefined;
  readonly heard: QuestionListener["heard"];
  readonly failed: QuestionListener["failed"];
  timer: NodeJS.Timeout | undefined;
  isOver: boolean;
}

interface Parts {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly channels: Channels;
  readonly limits: Approvals;
  /** Withdraws a question in whose place another is asked. */
  readonly supersede: (row: QuestionRow, by: string) => void;
  /** Why a settled row is not to be believed; undefined where it is. */
  readonly problemOf: (row: QuestionRow) => Promise<string | undefined>;
}

/** Who withdraws what is asked anew; no person has this name. */
export const SUPERSEDED = "kernel";

export class Questions {
  readonly channels: Channels;
  readonly limits: Approvals;
  readonly #journal: Journal;
  readonly #platform: Platform;
  readonly #supersede: Parts["supersede"];
  readonly #listeners = new Map<string, Listener>();
  /** Those of a tenant are admitted one after another, each with the last one counted. */
  readonly #turns = new Map<TenantKey, Promise<unknown>>();

  readonly #problemOf: Parts["problemOf"];

  constructor({ journal, platform, channels, limits, supersede, problemOf }: Parts) {
    this.#supersede = supersede;
    this.#problemOf = problemOf;
    this.#journal = journal;
    this.#platform = platform;
    this.channels = channels;
    this.limits = limits;
  }

  static id(pid: string, n: number, kind: QuestionRow["kind"], attempt = 0): string {
    return `ask_${pid.slice(4)}.${n}.${kind}${attempt === 0 ? "" : `.${attempt}`}`;
  }

  /** Returns how to stop listening. */
  ask(end: ChainEnd, draft: QuestionDraft, { asked, heard, failed }: QuestionListener): () => void {
    const listener: Listener = {
      process: end.key,
      id: undefined,
      heard,
      failed,
      timer: undefined,
      isOver: false,
    };
    this.#ask(end, draft, listener).then(
      (row) => void (row !== undefined && asked(row)),
      (error: Error) => {
        if (!listener.isOver) failed(error);
      },
    );
    return () => this.#drop(listener);
  }

  /** Looks for answers that were given on another node. */
  async recheck(process: ProcessKey): Promise<void> {
    for (const [id, listener] of this.#listeners)
      if (listener.process === process) await this.#look(id);
  }

  /** It is settled, and on the disk: whoever waits for it here goes on, if it was answered by people (QUESTIONS-5). */
  async hear(settled: QuestionRow): Promise<void> {
    if (!this.#listeners.has(settled.id)) return;
    const problem = settled.answer === null ? undefined : await this.#problemOf(settled);
    const listener = this.#listeners.get(settled.id);
    if (listener === undefined) return;
    this.#drop(listener);
    if (problem === undefined) listener.heard(settled);
    else
      listener.failed(
        new SysError("EPOLICY", `${problem}; the kernel ignores it`, {
          hint: "the database was changed outside Agent OS: run `aos audit verify`",
        }),
      );
  }

  async #ask(
    end: ChainEnd,
    draft: QuestionDraft,
    listener: Listener,
  ): Promise<QuestionRow | undefined> {
    const { known, id, others } = await this.#find(draft);
    for (const other of others) this.#supersede(other, SUPERSEDED);
    if (known === undefined) return this.#put(end, { ...draft, id }, listener);
    if (listener.isOver) return undefined;
    this.#listen(id, listener); // first, so that no answer is missed
    await this.#look(id);
    if (listener.isOver) return undefined; // told already: there is nothing to wait for
    this.#arm(id, known, listener);
    return known;
  }

  /** QUESTIONS-2. Of several about one call the last counts: an answer to one before is not taken up again. */
  async #find(draft: QuestionDraft): Promise<{
    known: QuestionRow | undefined;
    id: string;
    others: readonly QuestionRow[];
  }> {
    const before: QuestionRow[] = [];
    for (let nth = 0; ; nth++) {
      const id = nth === 0 ? draft.id : `${draft.id}.${nth}`;
      const row = await this.#journal.store.question(id);
      if (row !== undefined) {
        if (row.channel === draft.channel) before.push(row);
        continue;
      }
      const last = before.at(-1);
      const known = last !== undefined && isSame(last, draft) ? last : undefined;
      const now = this.#platform.now();
      const others = before.filter((one) => one !== known && isOpen(one, now));
      return { known, id: known?.id ?? id, others };
    }
  }

  /** QUESTIONS-3. */
  async #put(
    end: ChainEnd,
    draft: QuestionDraft,
    listener: Listener,
  ): Promise<QuestionRow | undefined> {
    return this.#inTurn(draft.tenant, async () => {
      await this.#journal.durable(); // so that the one before is counted
      const now = this.#platform.now();
      const { joined } = await limitQuestions(this.#journal.store, this.limits, draft, now);
      if (listener.isOver) return undefined;
      const row: QuestionRow = {
        ...draft,
        joined,
        answer: null,
        reason: null,
        answeredBy: null,
        answeredAt: null,
      };
      this.#listen(row.id, listener);
      this.#journal.amend(end, { op: "question.put", row });
      this.#journal.whenDurable(() => {}); // people are outside: they see it once it is on the disk
      this.#arm(row.id, row, listener);
      return row;
    });
  }

  #inTurn<T>(tenant: TenantKey, work: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(tenant) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.#turns.set(tenant, mine);
    const leave = () => {
      if (this.#turns.get(tenant) === mine) this.#turns.delete(tenant);
    };
    mine.then(leave, leave);
    return mine;
  }

  /** Tells who listens when the store says that it is settled, or that its time is over (QUESTIONS-4). */
  async #look(id: string): Promise<void> {
    const row = await this.#journal.store.question(id);
    if (row !== undefined && !isOpen(row, this.#platform.now())) await this.hear(row);
  }

  #arm(id: string, { expiresAt }: QuestionRow, listener: Listener): void {
    if (expiresAt === null) return;
    const ring = () => {
      const leftMs = expiresAt - this.#platform.now();
      if (leftMs > 0) listener.timer = setTimeout(ring, Math.min(leftMs, MAX_TIMER_MS));
      else this.#expire(id, ring, listener);
    };
    ring();
  }

  /** An answer that was in time may be on its way to the disk. */
  #expire(id: string, again: () => void, listener: Listener): void {
    this.#journal
      .durable()
      .then(() => this.#look(id))
      .catch(() => {
        if (!listener.isOver) listener.timer = setTimeout(again, TRY_AGAIN_MS);
      });
  }

  #listen(id: string, listener: Listener): void {
    listener.id = id;
    this.#listeners.set(id, listener);
  }

  #drop(listener: Listener): void {
    listener.isOver = true;
    clearTimeout(listener.timer);
    if (listener.id !== undefined && this.#listeners.get(listener.id) === listener)
      this.#listeners.delete(listener.id);
  }
}

/** QUESTIONS-1, QUESTIONS-2. Only what a rule asks can change between two times: a program's own words are its call's. */
const isSame = (known: QuestionRow, { kind, digest, batch }: QuestionDraft): boolean =>
  known.digest === digest &&
  !(known.answer === null && known.answeredBy === SUPERSEDED) &&
  (kind !== "policy" || known.batch === null || known.batch === batch);
