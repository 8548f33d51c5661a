// Question limits: limits on asking, because people who are asked too often approve everything.
//
//   limitQuestions(draft)     whether the question joins an open one; throws EAGAIN above a limit
//
// QUESTION-LIMITS-1  A tenant has at most `perHour` new questions in any hour. A question that joins an open batch
//     does not count.
// QUESTION-LIMITS-2  A process has at most `openPerProcess` questions open at once.
// QUESTION-LIMITS-3  An effect in doubt is always asked about; a refusal would hide it.
// QUESTION-LIMITS-4  A process tree that has asked before may ask again only while it has had less than half of what
//     is left of the hour: the first tree gets a third, the next a third of the rest, and so on. A tree that has not
//     asked yet is refused last.
// QUESTION-LIMITS-5  The last quarter of an hour's questions is closed to an agent, under any trees, that has had
//     more than half of what is left; the last eighth, in the same way, to the starter of the trees (a token, a
//     person). A restarted agent leaves questions for other agents of its tenant, and a caller that invents agents
//     leaves some for other callers.

import { SysError } from "@aos/protocol";
import type { Approvals } from "../options.ts";
import type { QuestionSource, QuestionTime, BaseStore } from "../store/base-contract.ts";
import type { QuestionRow } from "../store/rows.ts";
import { isOpen } from "./outcome.ts";

const HOUR_MS = 3_600_000;
/** When one of a process's own questions may be settled is anybody's guess. */
const LOOK_AGAIN_MS = 60_000;

type Limits = Pick<Approvals, "perHour" | "openPerProcess">;

export async function limitQuestions(
  store: BaseStore,
  limits: Limits,
  { kind, tenant, process, batch }: Pick<QuestionRow, "kind" | "tenant" | "process" | "batch">,
  nowMs: number,
): Promise<{ joined: boolean }> {
  if (kind === "doubt") return { joined: false };

  const own = (await store.openQuestions({ process })).filter((row) => isOpen(row, nowMs));
  if (own.length >= limits.openPerProcess)
    throw new SysError(
      "EAGAIN",
      `this process has ${own.length} open questions; the limit is ${limits.openPerProcess}`,
      { retryAfter: LOOK_AGAIN_MS, hint: "wait until one of them is answered" },
    );

  const alike = batch === null ? [] : await store.openQuestions({ batch });
  if (alike.some((row) => isOpen(row, nowMs))) return { joined: true };

  const asked = await store.askedSince(tenant, nowMs - HOUR_MS);
  if (asked.length >= limits.perHour)
    throw new SysError(
      "EAGAIN",
      `agents asked people ${asked.length} questions in the last hour; the limit is ${limits.perHour}`,
      {
        retryAfter: untilOut(asked, nowMs),
        hint: "the operator can raise approvals.perHour, or answer with `aos approve --always`",
      },
    );
  const asker = await store.asker(process);
  for (const share of shares) {
    const theirs = asked.filter((one) => share.isOf(one, asker));
    const left = limits.perHour - asked.length;
    const isScarce = left <= Math.floor(limits.perHour * share.scarceAt);
    if (theirs.length === 0 || !isScarce || theirs.length * 2 < left) continue;
    throw new SysError(
      "EAGAIN",
      `${share.who(asker)} asked people ${theirs.length} questions in the last hour; the remaining ${left} are reserved for others`,
      { retryAfter: untilOut(theirs, nowMs), hint: share.hint },
    );
  }
  return { joined: false };
}

interface Share {
  readonly isOf: (one: QuestionSource, asker: QuestionSource) => boolean;
  /** From what part of the hour's questions on it is held to its share. */
  readonly scarceAt: number;
  readonly who: (asker: QuestionSource) => string;
  readonly hint: string;
}

const RAISE = "the operator can raise approvals.perHour, or answer with `aos approve --always`";

const shares: readonly Share[] = [
  {
    // QUESTION-LIMITS-4
    isOf: (one, { root }) => one.root === root,
    scarceAt: 1,
    who: () => "these processes have",
    hint: `one process tree may use a third of approvals.perHour; ${RAISE}`,
  },
  {
    // QUESTION-LIMITS-5
    isOf: (one, { agents }) => one.agents.some((agent) => agents.includes(agent)),
    scarceAt: 1 / 4,
    who: ({ agents }) => `processes of ${[...new Set(agents)].join(" and ")} have`,
    hint: `a quarter of approvals.perHour is reserved for agents that have asked less; ${RAISE}`,
  },
  {
    // QUESTION-LIMITS-5
    isOf: (one, { starter }) => one.starter === starter,
    scarceAt: 1 / 8,
    who: ({ starter }) => `what ${starter ?? "this program"} started has`,
    hint: `an eighth of approvals.perHour is reserved for processes that others start; ${RAISE}`,
  },
];

/** When the first of them is an hour old. */
const untilOut = (asked: readonly QuestionTime[], nowMs: number): number =>
  Math.max(1, (asked[0]?.at ?? nowMs) + HOUR_MS - nowMs);
