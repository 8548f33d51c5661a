// Superseded: a question that is replaced because what would run has changed. The kernel withdraws it, and the ledger
// records it.

import type { Journal } from "../journal/journal.ts";
import type { Ledger } from "../journal/ledger.ts";
import type { Platform } from "../platform/clock.ts";
import type { QuestionRow } from "../store/rows.ts";
import { shownDigest } from "../approval/vote.ts";

const REASON = "what would run is not what was asked about; it is asked again";

export function withdrawSuperseded(
  { journal, ledger, platform }: { journal: Journal; ledger: Ledger; platform: Platform },
  row: QuestionRow,
  by: string,
): void {
  const { id, pid, tenant } = row;
  journal.write({
    op: "question.answer",
    id,
    answer: null,
    reason: REASON,
    by,
    at: platform.now(),
  });
  const detail = { question: id, pid, shown: shownDigest(row), reason: REASON };
  ledger.add({ by, what: "question.cancel", detail, tenant });
}
