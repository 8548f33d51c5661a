// Queue: what is open, as people see it: questions that one answer settles are one line.

import { visibleText, type ProcessId, type Question, type QuestionAbout } from "@aos/protocol";
import type { Store } from "../store/contract.ts";
import type { QuestionRow, VoteRow } from "../store/rows.ts";
import type { Channels } from "./channels.ts";
import { isOpen } from "./outcome.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

export async function openQueue(
  store: Store,
  channels: Channels,
  nowMs: number,
): Promise<Question[]> {
  const open = (await store.openQuestions()).filter((row) => isOpen(row, nowMs));
  const batches = Map.groupBy(open, ({ batch, id }) => batch ?? id);
  const questions: Question[] = [];
  for (const rows of batches.values()) {
    const votes: VoteRow[] = [];
    for (const { id } of rows) votes.push(...(await store.votes(id)));
    questions.push(questionOf(rows, votes, channels));
  }
  return questions;
}

function questionOf(
  rows: readonly QuestionRow[],
  votes: readonly VoteRow[],
  channels: Channels,
): Question {
  const first = rows.reduce((oldest, row) => (row.askedAt < oldest.askedAt ? row : oldest));
  const byPerson = new Map(votes.map((vote) => [vote.person, vote]));
  return {
    id: first.id,
    pid: first.pid as ProcessId,
    kind: first.kind,
    question: visibleText(first.question),
    choices: first.choices.map(visibleText),
    digest: first.digest,
    askedAt: iso(first.askedAt),
    expiresAt: first.expiresAt === null ? null : iso(first.expiresAt),
    channel: first.channel,
    people: channels.people(first.channel),
    quorum: first.quorum,
    votes: [...byPerson.values()].map(({ person, choice, at }) => ({
      person,
      choice,
      at: iso(at),
    })),
    count: rows.length,
    pids: [...new Set(rows.map(({ pid }) => pid as ProcessId))],
    about: shownOf(first.about as unknown as QuestionAbout | null),
  };
}

/** What was asked before it was escaped when it is asked. */
const shownOf = (about: QuestionAbout | null): QuestionAbout | null =>
  about && {
    ...about,
    agent: visibleText(about.agent),
    args: visibleText(about.args),
    touches: about.touches.map(visibleText),
  };
