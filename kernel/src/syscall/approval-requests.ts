// ApprovalRequests: asks people before a call continues.
//
// SYSCALL-PEOPLE-1  An answer is for the digest of one action, for one call, and for what was shown: if the process
//     has read something worse since, or something else would run, a person is asked again (permit-issuer.ts).
// SYSCALL-PEOPLE-2  A process that waits for a person may leave memory; the expiry of the question wakes it.
// SYSCALL-PEOPLE-3  Where several channels are asked, each must agree.
// SYSCALL-PEOPLE-4  A call that is too long to be shown whole is refused.

import {
  SysError,
  visibleText,
  type Json,
  type PersonQuestion,
  type QuestionAbout,
} from "@aos/protocol";
import {
  aboutOf,
  truncate,
  refuseUnshowable,
  shownArgs,
  type QuestionSubject,
} from "../approval/question-about.ts";
import { batchOf } from "../approval/batch.ts";
import { unansweredFailure, questionOutcome, type QuestionOutcome } from "../approval/outcome.ts";
import { Questions, type QuestionDraft } from "../approval/questions.ts";
import { cover, formatCapability } from "../capability/index.ts";
import type { Platform } from "../platform/clock.ts";
import type { ApprovalDemand } from "../policy/index.ts";
import type { PendingCall, Process } from "../process/process.ts";
import type { QuestionRow } from "../store/rows.ts";
import { digestOfAction, type Action } from "./action.ts";
import type { SyscallResult } from "./syscall-handler.ts";
import { argsOf } from "./subject.ts";
import type { BeginCall } from "./waiting.ts";

const MAX_QUESTION = 1000;
/** What somebody else asks may be longer: its schema is part of it. */
const MAX_INQUIRY = 8000;
const DECISIONS = ["approve", "deny"];

interface Parts {
  readonly questions: Questions;
  readonly platform: Platform;
  readonly scrub: (text: string) => string;
  readonly journal: {
    readonly store: { votes(id: string): Promise<{ person: string; choice: string }[]> };
  };
  readonly wait: (process: Process, call: PendingCall, begin: BeginCall) => Promise<SyscallResult>;
}

interface Asking {
  readonly process: Process;
  readonly call: PendingCall;
  readonly action: Action;
  readonly ask: ApprovalDemand;
  readonly say: string | undefined;
}

export interface Approval {
  /** What the yes is bound to. */
  readonly digest: string;
  readonly by: readonly string[];
  /** The questions that were answered, with a comma between them. */
  readonly question: string;
}

export class ApprovalRequests {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Everybody who said yes; a no, and no answer at all, is EDENIED. */
  async approve(
    process: Process,
    call: PendingCall,
    action: Action,
    { ask, say }: { readonly ask: ApprovalDemand; readonly say: string | undefined },
  ): Promise<Approval> {
    const digest = digestOfAction(action, process.pid);
    const { channels } = ask;
    const approved: { by: string[]; questions: string[] } = { by: [], questions: [] };
    for (const channel of channels.length === 0 ? [null] : channels) {
      const row = await this.#approvedBy({ process, call, action, ask, say }, channel);
      const votes = await this.#parts.journal.store.votes(row.id);
      const people = votes.filter(({ choice }) => choice === "approve").map(({ person }) => person);
      approved.by.push(...people.filter((person) => !approved.by.includes(person)));
      approved.questions.push(row.id);
    }
    return { digest, by: approved.by, question: approved.questions.join(", ") };
  }

  /** What to do about an effect of which a crash hid whether it happened. */
  async resolveDoubt(
    process: Process,
    call: PendingCall,
    identified: () => Promise<Action>,
  ): Promise<"retry" | "done"> {
    const { onDoubt = "ask" } = call.args as { onDoubt?: "fail" | "retry" | "ask" };
    const what = visibleText(`${call.name} ${JSON.stringify(shownArgs(call.args))}`).slice(
      0,
      MAX_QUESTION,
    );
    const inDoubt = new SysError("EINDOUBT", `a crash hid whether this happened: ${what}`, {
      hint: "onDoubt: retry runs it again, ask lets a person decide",
    });
    if (onDoubt === "retry") return "retry";
    if (onDoubt === "fail") throw inDoubt;
    const id = Questions.id(process.pid, call.n, "doubt", call.intent!.attempt);
    for (;;) {
      const action = await identified();
      const digest = digestOfAction(action, process.pid);
      const row = await this.#ask(process, call, {
        ...this.#draft(process, call, id),
        kind: "doubt",
        question: `A crash hid whether this happened: ${what}. Run it again, take it as done, or as failed?`,
        choices: ["retry", "done", "fail"],
        digest,
        about: asJson(
          this.#about({
            ...matterOf(process),
            call: call.name,
            args: call.args,
            tool: action.tool?.name,
            runs: action.runs?.shown,
          }),
        ),
      });
      if (row.answer === "done") return row.answer;
      if (row.answer !== "retry") throw inDoubt;
      // A yes to what would run: if that has changed since, it is asked again.
      if (digestOfAction(await identified(), process.pid) === digest) return row.answer;
    }
  }

  /**
   * Something that turned up while a tool runs. The process stays: what runs cannot be left. The answer is
   * bound to the call, not to the text, which may be anybody's words.
   */
  async inquire(
    process: Process,
    call: PendingCall,
    action: Action,
    { text, schema }: PersonQuestion,
  ): Promise<Json> {
    const { questions, scrub, platform } = this.#parts;
    call.inquiries += 1;
    const id = Questions.id(process.pid, call.n, "question", call.inquiries);
    const shown =
      schema === undefined ? text : `${text}\nAnswer with JSON: ${JSON.stringify(schema)}`;
    const draft = {
      ...this.#draft(process, call, id),
      kind: "question" as const,
      question: visibleText(scrub(truncate(shown, MAX_INQUIRY))),
      choices: schema === undefined ? ["yes", "no"] : [],
      digest: digestOfAction(action, process.pid),
      expiresAt: platform.now() + questions.limits.expiresMs,
      about: asJson(
        this.#about({
          ...matterOf(process),
          call: action.call,
          args: action.args,
          tool: action.tool?.name,
        }),
      ),
    };
    const row = await new Promise<QuestionRow>((resolve, reject) => {
      const stop = questions.ask(process, draft, {
        asked: () => {},
        heard: resolve,
        failed: reject,
      });
      call.stopInquiry = (reason) => {
        stop();
        reject(reason);
      };
    });
    call.stopInquiry = undefined;
    const outcome = questionOutcome(row);
    if (outcome.kind !== "answered") throw unansweredFailure(outcome, action.call);
    if (schema === undefined && outcome.answer !== "yes") throw saidNo(action.call, outcome);
    return outcome.answer;
  }

  /** SYSCALL-PEOPLE-1. A label only ever rises, so that this comes to an end. */
  async #approvedBy(asking: Asking, channel: string | null): Promise<QuestionRow> {
    const { process, call, action } = asking;
    for (;;) {
      const draft = this.#policy(asking, channel);
      const row = await this.#ask(process, call, draft);
      const outcome = questionOutcome(row);
      if (outcome.kind !== "answered") throw unansweredFailure(outcome, action.call);
      if (outcome.answer !== "approve") throw saidNo(action.call, outcome);
      if (this.#policy(asking, channel).batch === draft.batch) return row;
    }
  }

  #policy({ process, call, action, ask, say }: Asking, channel: string | null): QuestionDraft {
    const { questions, scrub } = this.#parts;
    const quorum = questions.channels.quorumOf(channel, ask.quorum);
    const about = this.#about({
      ...matterOf(process),
      call: action.call,
      args: action.args,
      tool: action.tool?.name,
      touches: action.touches,
      effect: action.effect,
      sinks: action.sinks,
      rule: ask.rule,
      everyTime: ask.everyTime || ask.channels.length > 1,
      cover: coverOf(action),
      runs: action.runs?.shown,
    });
    refuseUnshowable(about);
    const request = `${about.agent} wants to ${action.call} ${truncate(about.args, MAX_QUESTION)}`;
    const draft = this.#draft(process, call, Questions.id(process.pid, call.n, "policy"));
    return {
      ...draft,
      kind: "policy",
      question: say === undefined ? request : `${visibleText(scrub(say))} (${request})`,
      choices: DECISIONS,
      digest: digestOfAction(action, process.pid),
      expiresAt: draft.askedAt + (ask.expiresMs ?? questions.limits.expiresMs),
      channel,
      quorum,
      batch: batchOf({
        tenant: process.tenant,
        agent: about.agent,
        call: action.call,
        args: action.args,
        rule: ask.rule,
        label: about.label,
        channel,
        quorum,
        cover: about.cover,
        runs: action.runs?.digest ?? "",
      }),
      about: asJson(about),
    };
  }

  #about(matter: QuestionSubject): QuestionAbout {
    return aboutOf(matter, this.#parts.scrub);
  }

  #draft(process: Process, call: PendingCall, id: string) {
    const { tenant, key, pid } = process;
    const askedAt = this.#parts.platform.now();
    const anybody = { expiresAt: null, channel: null, quorum: 1 };
    return { id, tenant, process: key, pid, n: call.n, askedAt, ...anybody, batch: id };
  }

  /** The question as it is when it is settled, or when its time is over. */
  async #ask(process: Process, call: PendingCall, draft: QuestionDraft): Promise<QuestionRow> {
    let settled: QuestionRow | undefined;
    await this.#parts.wait(process, call, (answer, leave) =>
      listenForAnswer(
        this.#parts.questions,
        { process, call, draft },
        {
          heard: (row) => {
            settled = row;
            answer({ value: null });
          },
          failed: answer,
          leave,
        },
      ),
    );
    return settled!;
  }
}

/** The narrowest capabilities that allow this and nothing else; none where nothing does. */
function coverOf(action: Action): string[] {
  const covered = cover({ touches: action.touches, args: argsOf(action) }, { hold: "use" });
  return covered.ok ? covered.capabilities.map(formatCapability) : [];
}

const asJson = (about: QuestionAbout): Json => about as unknown as Json;

const matterOf = (process: Process) => ({ agent: process.row.agent, label: process.label });

function saidNo(
  call: string,
  { reason }: Extract<QuestionOutcome, { kind: "answered" }>,
): SysError {
  return new SysError(
    "EDENIED",
    `a person said no to ${call}${reason === null ? "" : `: ${reason}`}`,
  );
}

/** SYSCALL-PEOPLE-2. For a wait that begins: asks, and lets the process leave once the store knows what it waits for. */
export function listenForAnswer(
  questions: Questions,
  { process, call, draft }: { process: Process; call: PendingCall; draft: QuestionDraft },
  on: { heard: (row: QuestionRow) => void; failed: (error: Error) => void; leave: () => void },
): () => void {
  return questions.ask(process, draft, {
    asked: (row) => {
      call.until = row.expiresAt ?? undefined;
      on.leave();
    },
    heard: (row) => {
      call.dormant = false; // it is here that it was told: who left now would not be woken again
      on.heard(row);
    },
    failed: on.failed,
  });
}
