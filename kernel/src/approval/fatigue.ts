// Fatigue: people who are asked too much say yes to everything. So asking is itself limited.
//
//   admit(draft)     says whether the question joins an open one, or throws EAGAIN
//
// F1  New questions of a tenant in any hour are at most `perHour`. One that joins an open batch is
//     nothing new to look at, and does not count.
// F2  A process has at most `openPerProcess` questions open at once.
// F3  What a crash left in doubt is always asked: to refuse would hide it.
// F4  A tree of processes that has asked before asks again only while it has had less than half of what is
//     left of the hour: one tree gets a third of it, the next a third of what that leaves, and so on. However
//     many are noisy, one that has not asked yet is the last to be refused.

import { SysError } from "@aos/protocol";
import type { Approvals } from "../options.ts";
import type { Store } from "../store/contract.ts";
import type { QuestionRow } from "../store/rows.ts";
import { isOpen } from "./outcome.ts";

const HOUR_MS = 3_600_000;
/** When one of a process's own questions may be settled is anybody's guess. */
const LOOK_AGAIN_MS = 60_000;

type Limits = Pick<Approvals, "perHour" | "openPerProcess">;

export async function admit(
  store: Store,
  limits: Limits,
  { kind, tenant, process, batch }: Pick<QuestionRow, "kind" | "tenant" | "process" | "batch">,
  nowMs: number,
): Promise<{ joined: boolean }> {
  if (kind === "doubt") return { joined: false };

  const own = (await store.questionsOf(process)).filter((row) => isOpen(row, nowMs));
  if (own.length >= limits.openPerProcess)
    throw new SysError(
      "EAGAIN",
      `this process has ${own.length} questions open, and may have ${limits.openPerProcess}`,
      { retryAfter: LOOK_AGAIN_MS, hint: "wait for the answers to those" },
    );

  const alike = batch === null ? [] : await store.openInBatch(batch);
  if (alike.some((row) => isOpen(row, nowMs))) return { joined: true };

  const { count, firstAt } = await store.countQuestions(tenant, nowMs - HOUR_MS);
  if (count >= limits.perHour)
    throw new SysError(
      "EAGAIN",
      `people were asked ${count} times within the last hour, and may be asked ${limits.perHour} times`,
      {
        retryAfter: Math.max(1, (firstAt ?? nowMs) + HOUR_MS - nowMs),
        hint: "the operator can raise approvals.perHour, or answer with a standing grant",
      },
    );
  const tree = await store.countQuestions(tenant, nowMs - HOUR_MS, process);
  if (tree.count > 0 && tree.count * 2 >= limits.perHour - count)
    throw new SysError(
      "EAGAIN",
      `these processes have asked people ${tree.count} times within the last hour, and the rest is for others`,
      {
        retryAfter: Math.max(1, (tree.firstAt ?? nowMs) + HOUR_MS - nowMs),
        hint: "a tree of processes has a third of approvals.perHour; the operator can raise it, or answer with a standing grant",
      },
    );
  return { joined: false };
}
