// RunQuestions: what a run asks a person while `aos run` waits for it.
//
//   at a terminal    each question inline, one after the other
//   elsewhere        a note with the commands that answer it
//   --no-ask         the run is ended with SIGTERM
//
// RUN-QUESTIONS-1  A question is shown once. One that is put off stays open for `aos approve`.
// RUN-QUESTIONS-3  To look for questions starts no daemon: one that was stopped stays down.
// RUN-QUESTIONS-2  With --no-ask, no run waits for a person: its first question ends it.

import { setTimeout as sleep } from "node:timers/promises";
import type { Question } from "@aos/protocol/words";
import { isAtTerminal } from "../is-at-terminal.ts";
import type { CommandCall } from "../command.ts";
import { connectTo } from "../connection.ts";
import { questionSentence } from "./question-text.ts";

const LOOK_MS = 500;

export interface RunQuestionsOptions {
  readonly pid: string;
  readonly mode: "inline" | "note" | "refuse";
  /** Nothing else is written to the terminal between these two. */
  readonly pause: () => void;
  readonly resume: () => void;
  readonly interrupt: () => void;
}

export interface RunQuestions {
  /** Whether --no-ask ended the run. */
  readonly isRefused: () => boolean;
  /** When the run has ended. */
  stop(): Promise<void>;
}

/** Where a person can read and type. */
export const questionMode = (isRefused: boolean): RunQuestionsOptions["mode"] => {
  if (isRefused) return "refuse";
  return isAtTerminal() ? "inline" : "note";
};

export function watchQuestions(call: CommandCall, options: RunQuestionsOptions): RunQuestions {
  const client = connectTo(call.endpoint, { startsDaemon: false, note: () => {} }); // RUN-QUESTIONS-3
  const { pid, mode } = options;
  const over = new AbortController();
  const seen = new Set<string>();
  let isRefused = false;

  const take = async (question: Question): Promise<void> => {
    if (mode === "note") return noteQuestion(call, question);
    if (mode === "refuse") {
      isRefused = true;
      call.out.note(`${question.pid} asks a person, and --no-ask was given: the run is ended`);
      call.out.note(questionSentence(question));
      await client.signal({ pid, signal: "SIGTERM" });
      return over.abort();
    }
    const { askInline } = await import("./ask-inline.ts"); // most runs ask nobody
    options.pause();
    try {
      const gone = new AbortController();
      const looking = untilGone(
        client,
        question,
        AbortSignal.any([gone.signal, over.signal]),
        gone,
      );
      const result = await askInline(call, question, AbortSignal.any([gone.signal, over.signal]));
      gone.abort();
      await looking;
      if (result === "gone") call.out.note(`${question.id} is no longer open`);
      if (result === "later") noteQuestion(call, question);
      if (result === "interrupted") options.interrupt();
    } finally {
      options.resume();
    }
  };

  const watching = (async () => {
    while (!over.signal.aborted) {
      const open = await client.questions({ pid }).catch(() => []); // the one who waits for the end reports failures
      for (const question of open) {
        if (over.signal.aborted || seen.has(question.id)) continue;
        seen.add(question.id); // RUN-QUESTIONS-1
        await take(question);
      }
      await sleep(LOOK_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  })();
  return {
    isRefused: () => isRefused,
    async stop() {
      over.abort();
      await watching;
    },
  };
}

/** For who only looks: each question of a run and of what it started is said, with the commands that answer it. */
export const noteQuestions = (call: CommandCall, pid: string): RunQuestions =>
  watchQuestions(call, {
    pid,
    mode: "note",
    pause: () => {},
    resume: () => {},
    interrupt: () => {},
  });

/** Aborts `gone` when the question is no longer open. */
async function untilGone(
  client: CommandCall["client"],
  { id }: Question,
  done: AbortSignal,
  gone: AbortController,
): Promise<void> {
  while (!done.aborted) {
    await sleep(LOOK_MS, undefined, { signal: done }).catch(() => {});
    if (done.aborted) return;
    const open = await client.questions({ id }).catch(() => undefined);
    if (open !== undefined && !open.some((question) => question.id === id)) gone.abort();
  }
}

function noteQuestion({ out }: CommandCall, question: Question): void {
  out.note(`waiting for a person: ${questionSentence(question)}`);
  out.note(`answer with: aos approve ${question.id}, or aos deny ${question.id}`);
}
