// TestPerson: who answers in a test what is asked of people.
//
// TESTING-PERSON-1  Without a word it is no. What the agent asks in its own words is withdrawn, unless
//     the test says what the person answers.
// TESTING-PERSON-2  Of several answers that fit, the first that is left is given.

import type { Kernel } from "@aos/kernel";
import type { Question } from "@aos/protocol";
import type { AgentTest, PersonRule } from "./test-schema.ts";

const NAME = "the person of the test";

export interface AnsweredQuestion {
  readonly question: Question;
  /** null: withdrawn. */
  readonly answer: string | null;
}

type QuestionApi = Pick<Kernel, "questions" | "answer" | "cancelQuestion">;

export class TestPerson {
  readonly #kernel: QuestionApi;
  readonly #approvals: AgentTest["approvals"];
  readonly #used = new Map<PersonRule, number>();
  readonly answered: AnsweredQuestion[] = [];

  constructor(kernel: QuestionApi, approvals: AgentTest["approvals"]) {
    this.#kernel = kernel;
    this.#approvals = approvals;
  }

  async answerAll(): Promise<void> {
    for (const question of await this.#kernel.questions()) await this.#answer(question);
  }

  /** The rule that a call was asked about under, where it was. */
  ruleOf(pid: string, n: number): string | null {
    const begin = `ask_${pid.slice("agt_".length)}.${n}.`;
    const found = this.answered.find(({ question }) => question.id.startsWith(begin));
    return found?.question.about?.rule ?? null;
  }

  async #answer(question: Question): Promise<void> {
    const answer = this.#choiceOf(question);
    this.answered.push({ question, answer });
    if (answer === null) {
      await this.#kernel.cancelQuestion(question.id, { by: NAME });
      return;
    }
    // A channel may want several people, and takes only its own.
    for (const by of question.people ?? [NAME]) {
      const { settled } = await this.#kernel.answer(question.id, { by, choice: answer });
      if (settled) return;
    }
  }

  /** TESTING-PERSON-1. */
  #choiceOf(question: Question): string | null {
    const isDecision = question.kind === "policy" || question.kind === "proposal";
    const said = this.#wordFor(question);
    if (!isDecision) {
      const isChoice = question.choices.length === 0 || question.choices.includes(said ?? "");
      return said !== undefined && isChoice ? said : null;
    }
    return said === "allow" ? "approve" : "deny";
  }

  /** TESTING-PERSON-2. */
  #wordFor(question: Question): string | undefined {
    if (typeof this.#approvals === "string") return this.#approvals;
    const request = this.#approvals.find(
      (one) => (this.#used.get(one) ?? 0) < (one.times ?? Infinity) && fits(one, question),
    );
    if (request === undefined) return undefined;
    this.#used.set(request, (this.#used.get(request) ?? 0) + 1);
    return request.answer;
  }
}

function fits(
  { tool, call, rule, question: words }: PersonRule,
  { question, about }: Question,
): boolean {
  return (
    (tool === undefined || about?.tool === tool) &&
    (call === undefined || about?.call === call) &&
    (rule === undefined || isRule(about?.rule ?? null, rule)) &&
    (words === undefined || question.includes(words))
  );
}

/** `red-egress` and `kernel/red-egress`; where several rules ask, one of them. */
export const isRule = (known: string | null, wanted: string): boolean =>
  (known ?? "").split(", ").some((rule) => rule === wanted || rule.endsWith(`/${wanted}`));
