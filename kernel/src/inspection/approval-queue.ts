// Queue: the open questions for people; questions that one answer settles are one line.
//
// QUEUE-1  The content of a question is read only for the lines of the shown page; of others only ids and times.

import {
  isFullPage,
  visibleText,
  type ProcessId,
  type Question,
  type QuestionAbout,
  type QuestionFilter,
} from "@aos/protocol";
import type { Store } from "../store/contract.ts";
import type { ListedQuestion, QuestionQuery } from "../store/base-contract.ts";
import type { QuestionRow, VoteRow } from "../store/rows.ts";
import type { Channels } from "../approval/channels.ts";
import { isOpen } from "../approval/outcome.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/** `of`: the processes that are meant. */
export async function openQueue(
  store: Store,
  channels: Channels,
  nowMs: number,
  { id: begin = "", after = "", limit, ...of }: QueueQuery,
): Promise<Question[]> {
  const lines = (await questionLines(store, nowMs, of))
    .flatMap((line) => namedBy(line, begin))
    .filter(({ first: { id } }) => id > after)
    .sort((a, b) => (a.first.id < b.first.id ? -1 : 1));
  const page: Question[] = [];
  for (const { first, rows } of lines) {
    if (isFullPage(page, limit)) break;
    const row = await store.question(first.id); // QUEUE-1
    if (row === undefined) continue;
    const votes = await (row.batch === null ? store.votes(row.id) : store.votesInBatch(row.batch));
    page.push(questionOf(row, rows, votes, channels));
  }
  return page;
}

export const countQueue = async (store: Store, nowMs: number): Promise<number> =>
  (await questionLines(store, nowMs, {})).length;

type QueueQuery = QuestionQuery & Pick<QuestionFilter, "id" | "after" | "limit">;

interface Line {
  /** The oldest of them, by whose id the line is known. */
  readonly first: ListedQuestion;
  readonly rows: readonly ListedQuestion[];
}

/** Where one of its questions was named so, the line is known by that one. */
function namedBy({ first, rows }: Line, begin: string): Line[] {
  if (first.id.startsWith(begin)) return [{ first, rows }];
  const named = rows.find(({ id }) => id.startsWith(begin));
  return named === undefined ? [] : [{ first: named, rows }];
}

/** A line for every answer that is asked for. */
export async function questionLines(
  store: Store,
  nowMs: number,
  of: QuestionQuery,
): Promise<Line[]> {
  const open = (await store.openQuestions(of)).filter((row) => isOpen(row, nowMs));
  const batches = Map.groupBy(open, ({ batch, id }) => batch ?? id);
  return [...batches.values()].map((rows) => ({
    first: rows.reduce((oldest, row) => (row.askedAt < oldest.askedAt ? row : oldest)),
    rows,
  }));
}

function questionOf(
  first: QuestionRow,
  rows: readonly ListedQuestion[],
  votes: readonly VoteRow[],
  channels: Channels,
): Question {
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
