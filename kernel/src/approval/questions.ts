// Questions: what waits for a person. They live in the store, so that an answer may come a week and
// three restarts later.
//
// Q1  A question is bound to the digest of the action it is about: an answer fits no other.
// Q2  Its id comes from the process and the call, so that asking again after a restart is the same
//     question.
// Q3  The first answer stands.

import { SysError } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { ChainEnd } from "../journal/group-commit.ts";
import type { ProcessKey, QuestionRow } from "../store/rows.ts";

type Heard = (answered: QuestionRow) => void;

export class Questions {
  readonly #journal: Journal;
  readonly #listeners = new Map<string, { readonly process: ProcessKey; readonly heard: Heard }>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  static id(pid: string, n: number, kind: QuestionRow["kind"], attempt = 0): string {
    return `ask_${pid.slice(4)}.${n}.${kind}${attempt === 0 ? "" : `.${attempt}`}`;
  }

  /** Asks, and calls back when the answer is there; at once when it is there already. */
  async ask(end: ChainEnd, question: QuestionRow, heard: Heard): Promise<void> {
    this.#listeners.set(question.id, { process: question.process, heard }); // first, so that no answer is missed
    const known = await this.#journal.store.question(question.id);
    if (known !== undefined && known.answer !== null) return this.#tell(known);
    if (known === undefined) this.#journal.amend(end, { op: "question.put", row: question });
    this.#journal.whenDurable(() => {}); // people are outside: they see it once it is on the disk
  }

  /** Looks for answers that were given on another node. */
  async recheck(process: ProcessKey): Promise<void> {
    for (const [id, listener] of this.#listeners) {
      if (listener.process !== process) continue;
      const known = await this.#journal.store.question(id);
      if (known !== undefined && known.answer !== null) this.#tell(known);
    }
  }

  forget(id: string): void {
    this.#listeners.delete(id);
  }

  async answer(
    id: string,
    { by, choice: answer, text = null }: { by: string; choice: string; text?: string | null },
    atMs: number,
  ): Promise<QuestionRow> {
    await this.#journal.durable();
    const question = await this.#journal.store.question(id);
    if (question === undefined)
      throw new SysError("ENOENT", `there is no question ${id}`, {
        hint: "`aos approvals` lists what is open",
      });
    if (question.answer !== null) {
      throw new SysError(
        "ESTATE",
        `${id} was answered already: ${question.answer}, by ${question.answeredBy}`,
      );
    }
    if (question.expiresAt !== null && question.expiresAt <= atMs)
      throw new SysError("ESTATE", `${id} has expired`);
    if (question.choices.length > 0 && !question.choices.includes(answer)) {
      throw new SysError("EINVAL", `${answer} is not one of the choices`, {
        hint: `choices: ${question.choices.join(", ")}`,
      });
    }
    if (by === question.pid) throw new SysError("EACCES", "nobody answers his own question");
    this.#journal.write({ op: "question.answer", id, answer, reason: text, by, at: atMs });
    await this.#journal.durable();
    const answered = { ...question, answer, reason: text, answeredBy: by, answeredAt: atMs };
    this.#tell(answered);
    return answered;
  }

  #tell(answered: QuestionRow): void {
    const listener = this.#listeners.get(answered.id);
    this.#listeners.delete(answered.id);
    listener?.heard(answered);
  }
}
