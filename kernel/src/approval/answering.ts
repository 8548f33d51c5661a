// QuestionAnswering: records the votes of people. A vote is a row of its own; the store settles the question in the
// same transaction once enough people agree, so that two nodes can each take one of its votes.
//
// ANSWERING-1  A process never votes. Each person votes once, only people of the channel vote, and only while the
//     question is open.
// ANSWERING-2  Every vote is signed and in the ledger, with the digest of what the person was shown.
// ANSWERING-3  Settling a question settles all open questions of its batch, with the same votes.
// ANSWERING-4  The grant of a yes is in the transaction of the vote that settles the question, and in no other.

import { SysError, type AnswerReport, type Json } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { Platform } from "../platform/clock.ts";
import type { HoldingRow, ProcessKey, QuestionRow, VoteRow } from "../store/rows.ts";
import { coverOf, standingRule, type IssueGrant, type StandingRule } from "./approval-grant.ts";
import { isOpen } from "./outcome.ts";
import type { Questions } from "./questions.ts";
import { voteDetail, votesNeeded, shownDigest, voteText } from "./vote.ts";

export interface PersonsAnswer {
  readonly by: string;
  readonly choice: string;
  readonly text?: string | undefined;
  /** Gives what `about.cover` says, so that the same is not asked again. */
  readonly always?: boolean | undefined;
}

interface Parts {
  readonly journal: Journal;
  readonly platform: Platform;
  readonly questions: Questions;
  readonly ledger: Ledger;
  readonly sign: (text: string) => string | null;
  /** Something is there for a process that may not be in memory here. */
  readonly wake: (key: ProcessKey) => void;
  readonly give: IssueGrant;
  /** Brings what stands for an agent to its living processes, before those that waited go on. */
  readonly spread: (question: QuestionRow) => Promise<void>;
}

/** One question of the batch, and what is about to be said to it. */
interface Turn {
  readonly row: QuestionRow;
  /** The votes that it does not have yet. */
  readonly fresh: readonly VoteRow[];
  readonly holding: HoldingRow | undefined;
}

export class QuestionAnswering {
  readonly #parts: Parts;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  answer(id: string, word: PersonsAnswer): Promise<AnswerReport> {
    return this.#inTurn(() => this.#answer(id, word));
  }

  /** Withdraws it, and all that are open in its batch. Returns the ids of the others. */
  cancel(id: string, word: { by: string; text?: string | undefined }): Promise<string[]> {
    return this.#inTurn(() => this.#cancel(id, word));
  }

  async #answer(id: string, word: PersonsAnswer): Promise<AnswerReport> {
    const { by, choice, text = null, always = false } = word;
    const row = await this.#find(id);
    this.#parts.questions.channels.refuse(row.channel, by);
    const before = await this.#parts.journal.store.votes(id);
    const mine = before.find(({ person }) => person === by);
    if (mine?.choice === choice && !always) return this.#report(row, choice, []);
    await this.#refuseSettled(row);
    if (mine !== undefined)
      throw new SysError("ESTATE", `${by} has already answered ${mine.choice} to ${id}`);
    refuseChoice(row, choice);
    const standing = always ? standingRule(row, choice) : undefined;

    const targets = await this.#batch(row);
    const said = await this.#votesOn(targets);
    const turns: Turn[] = [];
    for (const target of targets) {
      const votes = this.#votes(target, said, { by, choice, text });
      const holding = await this.#gift(
        target,
        { by, choice },
        target === row ? standing : undefined,
      );
      const has = new Set(said.get(target.id)!.map(({ person }) => person));
      turns.push({ row: target, fresh: votes.filter(({ person }) => !has.has(person)), holding });
    }
    this.#write(turns);
    await this.#parts.journal.durable();

    const settled: string[] = [];
    let given: AnswerReport["given"];
    for (const turn of turns) {
      const now = (await this.#parts.journal.store.question(turn.row.id))!;
      const holding = await this.#given(now, turn, by);
      if (turn.row === row) given = holding;
      if (now.answeredAt !== null) settled.push(now.id);
    }
    // What is given is in the ledger before anybody holds it, and held before anybody is told.
    if (standing !== undefined) await this.#parts.spread(row);
    for (const one of settled) await this.#tell(one);
    const report = await this.#report(await this.#find(id), choice, settled);
    return { ...report, ...(given === undefined ? {} : { given }) };
  }

  async #cancel(id: string, { by, text }: { by: string; text?: string | undefined }) {
    const { journal, platform, questions, ledger } = this.#parts;
    const row = await this.#find(id);
    questions.channels.refuse(null, by);
    await this.#refuseSettled(row);
    const at = platform.now();
    const reason = text ?? null;
    const targets = await this.#batch(row);
    for (const target of targets) {
      const detail = { question: target.id, pid: target.pid, shown: shownDigest(target), reason };
      journal.write({ op: "question.answer", id: target.id, answer: null, reason, by, at });
      ledger.add({ by, what: "question.cancel", detail, tenant: target.tenant });
    }
    await journal.durable();
    for (const target of targets) await this.#tell(target.id);
    return targets.map((target) => target.id).filter((other) => other !== id);
  }

  async #find(id: string): Promise<QuestionRow> {
    const { journal } = this.#parts;
    await journal.durable();
    const row = await journal.store.question(id);
    if (row !== undefined) return row;
    throw new SysError("ENOENT", `unknown question ${id}`, {
      hint: "`aos approvals` lists the pending questions",
    });
  }

  async #refuseSettled({ id, answer, answeredAt, answeredBy, expiresAt, process }: QuestionRow) {
    if (answeredAt !== null)
      throw new SysError(
        "ESTATE",
        answer === null
          ? `${id} was withdrawn by ${answeredBy}`
          : `${id} was already answered ${answer} by ${answeredBy}`,
      );
    if (expiresAt !== null && expiresAt <= this.#parts.platform.now())
      throw new SysError("ESTATE", `${id} has expired`);
    const asker = await this.#parts.journal.store.processByKey(process);
    if (asker === undefined || asker.endedAt !== null)
      throw new SysError("ESTATE", `the process that asked ${id} has ended`);
  }

  /** It, and all that are open and look the same (ANSWERING-3). */
  async #batch(row: QuestionRow): Promise<QuestionRow[]> {
    const { journal, platform } = this.#parts;
    if (row.batch === null) return [row];
    const alike = await journal.store.openInBatch(row.batch);
    const others = alike.filter(({ id }) => id !== row.id);
    return [row, ...others.filter((other) => isOpen(other, platform.now()))];
  }

  async #votesOn(targets: readonly QuestionRow[]): Promise<Map<string, VoteRow[]>> {
    const votes = new Map<string, VoteRow[]>();
    for (const { id } of targets) votes.set(id, await this.#parts.journal.store.votes(id));
    return votes;
  }

  /** All votes on one question of the batch, those on the others among them, signed for this one. */
  #votes(
    row: QuestionRow,
    known: ReadonlyMap<string, readonly VoteRow[]>,
    { by: person, choice, text: reason }: { by: string; choice: string; text: string | null },
  ): VoteRow[] {
    const mine = { person, choice, reason, at: this.#parts.platform.now() };
    const all = [...known.values()].flat().filter((vote) => vote.person !== person);
    const others = new Map(all.map((vote) => [vote.person, vote])).values();
    return [...others, mine].map((said): VoteRow => {
      const vote = {
        question: row.id,
        person: said.person,
        choice: said.choice,
        reason: said.reason,
        at: said.at,
      };
      const signature = this.#parts.sign(voteText(vote, row.digest));
      return { ...vote, tenant: row.tenant, process: row.process, signature };
    });
  }

  /** What this yes gives, should it settle the question (ANSWERING-4). "Always" is given once, for the agent. */
  async #gift(
    row: QuestionRow,
    { by, choice }: { by: string; choice: string },
    standing: StandingRule | undefined,
  ): Promise<HoldingRow | undefined> {
    const { give } = this.#parts;
    if (choice !== "approve") return undefined;
    if (row.kind === "proposal") return give(row, coverOf(row), { by });
    return standing === undefined ? undefined : give(row, coverOf(row), { by, standing });
  }

  /** ANSWERING-2. No await in here: it is one transaction. */
  #write(turns: readonly Turn[]): void {
    const { journal, ledger } = this.#parts;
    for (const { row, fresh, holding } of turns) {
      for (const vote of fresh) {
        journal.write({ op: "vote.add", row: vote, needed: votesNeeded(row, vote.choice) });
        ledger.add({
          by: vote.person,
          what: "question.answer",
          detail: voteDetail(row, vote) as unknown as Json,
          tenant: row.tenant,
        });
      }
      const mine = fresh.at(-1);
      if (holding === undefined || mine === undefined) continue;
      const ifSettled = { question: row.id, by: mine.person, at: mine.at };
      journal.write({ op: "holding.add", row: holding, ifSettled });
    }
  }

  /** What was given, where our word was the one that settled it. */
  async #given({ answer, answeredBy }: QuestionRow, { row, holding }: Turn, by: string) {
    if (holding === undefined || answer !== "approve" || answeredBy !== by) return undefined;
    const { handle, blocks } = holding;
    const given = { handle, capabilities: blocks.at(-1)!.capabilities };
    const detail = { ...given, capabilities: [...given.capabilities], question: row.id };
    this.#parts.ledger.add({ by, what: "grant", detail, tenant: row.tenant });
    await this.#parts.journal.durable();
    return given;
  }

  async #tell(id: string): Promise<void> {
    const row = await this.#parts.journal.store.question(id);
    if (row === undefined || row.answeredAt === null) return;
    await this.#parts.questions.hear(row);
    this.#parts.wake(row.process);
  }

  async #report(row: QuestionRow, choice: string, settled: string[]): Promise<AnswerReport> {
    const votes = await this.#parts.journal.store.votes(row.id);
    return {
      id: row.id,
      settled: row.answeredAt !== null,
      answer: row.answer,
      votes: votes.filter((vote) => vote.choice === choice).length,
      needed: votesNeeded(row, choice),
      alsoAnswered: settled.filter((other) => other !== row.id),
    };
  }

  /** People are slow and few: one after another, so that each counts the one before. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine;
    return mine;
  }
}

function refuseChoice({ choices }: QuestionRow, choice: string): void {
  if (choice === "") throw new SysError("EINVAL", "the answer is empty");
  if (choices.length === 0 || choices.includes(choice)) return;
  throw new SysError("EINVAL", `${choice} is not one of the choices`, {
    hint: `choices: ${choices.join(", ")}`,
  });
}
