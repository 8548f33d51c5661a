// People: where a call needs a person's word before it goes on.

import { SysError } from "@aos/protocol";
import { Questions } from "../approval/questions.ts";
import type { Platform } from "../platform/clock.ts";
import type { Call, Process } from "../process/process.ts";
import type { QuestionRow } from "../store/rows.ts";
import { digestOfAction, type Action } from "./action.ts";
import type { Answered } from "./answer.ts";
import type { Begin } from "./waiting.ts";

interface Asking {
  readonly kind: QuestionRow["kind"];
  readonly question: string;
  readonly choices: readonly string[];
  readonly digest: string;
  /** Counts the times that the same call had to be asked about. */
  readonly attempt: number;
}

interface Parts {
  readonly questions: Questions;
  readonly platform: Platform;
  readonly wait: (process: Process, call: Call, begin: Begin) => Promise<Answered>;
}

export class People {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the digest that the yes is bound to; a no is EDENIED. */
  async approve(process: Process, call: Call, action: Action): Promise<string> {
    const digest = digestOfAction(action, process.pid);
    const question = `${process.row.agent} wants to ${action.call} ${JSON.stringify(action.args)}`;
    const choices = ["approve", "deny"];
    const { answer, reason } = await this.#ask(process, call, {
      kind: "policy",
      question,
      choices,
      digest,
      attempt: 0,
    });
    if (answer === "approve") return digest;
    throw new SysError(
      "EDENIED",
      `a person said no to ${action.call}${reason === null ? "" : `: ${reason}`}`,
    );
  }

  /** What to do about an effect of which a crash hid whether it happened. */
  async resolveDoubt(process: Process, call: Call): Promise<"retry" | "done"> {
    const { onDoubt = "ask" } = call.args as { onDoubt?: "fail" | "retry" | "ask" };
    const what = `${call.name} ${call.text}`.slice(0, 1000);
    const inDoubt = new SysError("EINDOUBT", `a crash hid whether this happened: ${what}`, {
      hint: "onDoubt: retry runs it again, ask lets a person say",
    });
    if (onDoubt === "retry") return "retry";
    if (onDoubt === "fail") throw inDoubt;
    const { answer } = await this.#ask(process, call, {
      kind: "doubt",
      question: `A crash hid whether this happened: ${what}. Run it again, take it as done, or as failed?`,
      choices: ["retry", "done", "fail"],
      digest: digestOfAction({ call: call.name, args: call.args }, process.pid),
      attempt: call.intent!.attempt,
    });
    if (answer === "retry" || answer === "done") return answer;
    throw inDoubt;
  }

  async #ask(
    process: Process,
    call: Call,
    asking: Asking,
  ): Promise<{ answer: string; reason: string | null }> {
    const { attempt, ...asked } = asking;
    const id = Questions.id(process.pid, call.n, asking.kind, attempt);
    const answered = await this.#parts.wait(process, call, (answer, leave) => {
      const row: QuestionRow = {
        ...asked,
        id,
        tenant: process.tenant,
        process: process.key,
        pid: process.pid,
        n: call.n,
        askedAt: this.#parts.platform.now(),
        expiresAt: null,
        answer: null,
        reason: null,
        answeredBy: null,
        answeredAt: null,
      };
      this.#parts.questions
        .ask(process, row, (known) =>
          answer({ value: { answer: known.answer, reason: known.reason } }),
        )
        .then(leave, answer);
      return () => this.#parts.questions.forget(id);
    });
    return answered.value as { answer: string; reason: string | null };
  }
}
