// A page of questions, limited in number and in characters. Questions are never cut, because a person must see all of
// what is approved.
//
// QUESTION-PAGE-1  A page ends at `limit`, or once its questions have MOST_PAGE_CHARACTERS together; it has at least
//                  one question if there is any.

import type { Question } from "./operations/question.ts";

/** How many are listed where nothing is said, and at most. */
export const USUAL_QUESTIONS = 100;
export const MOST_QUESTIONS = 1000;

const MOST_PAGE_CHARACTERS = 2_000_000;

export interface QuestionFilter {
  readonly tenant?: string | undefined;
  /** What this run, or one that it started, waits for. */
  readonly pid?: string | undefined;
  /** This one, or those whose ids begin so. */
  readonly id?: string | undefined;
  /** Those whose ids come after this one. */
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}

/** Whether nothing more fits on a page: then there may be another one. */
export const isFullPage = (page: readonly Question[], limit: number = USUAL_QUESTIONS): boolean =>
  page.length >= limit || page.reduce((all, one) => all + sizeOf(one), 0) >= MOST_PAGE_CHARACTERS;

function sizeOf({ question, choices, pids, about }: Question): number {
  const texts = [question, ...choices, ...pids, about?.args ?? "", ...(about?.touches ?? [])];
  return texts.reduce((all, text) => all + text.length, 0);
}
