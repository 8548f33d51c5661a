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
import type { QuestionRow } from "../store/rows.ts";

type Heard = (answered: QuestionRow) => void;

export class Questions {
  readonly #journal: Journal;
  readonly #listeners = new Map<string, Heard>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  static id(pid: string, n: number, kind: QuestionRow["kind"], attempt = 0): string {
    return `ask_${pid.slice(4)}.${n}.${kind}${attempt === 0 ? "" : `.${attempt}`}`;
  }

  /** Asks, and calls back when the answer is there; at once when it is there already. */
  async ask(end: ChainEnd, question: QuestionRow, heard: Heard): Promise<void> {
    const known = await this.#journal.store.question(question.id);
    if (known !== undefined && known.answer !== null) return heard(known);
    this.#listeners.set(question.id, heard);
    if (known === undefined) this.#journal.amend(end, { op: "question.put", row: question });
    this.#journal.whenDurable(() => {}); // people are outside: they see it once it is on the disk
  }

  forget(id: string): void {
    this.#listeners.delete(id);
  }

  async answer(id: string, by: string, answer: string, atMs: number): Promise<QuestionRow> {
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
    this.#journal.write({ op: "question.answer", id, answer, by, at: atMs });
    await this.#journal.durable();
    const answered = { ...question, answer, answeredBy: by, answeredAt: atMs };
    const heard = this.#listeners.get(id);
    this.#listeners.delete(id);
    heard?.(answered);
    return answered;
  }
}
