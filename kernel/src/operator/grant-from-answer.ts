// The grant of an answer: to every process of the agent, or to the asking process. The asker wrote the text of the
// grant, so it has the asker's label.

import type { QuestionAbout } from "@aos/protocol";
import { readLabel } from "../label/label.ts";
import type { Store } from "../store/contract.ts";
import type { HoldingRow, QuestionRow } from "../store/rows.ts";
import type { StandingRule } from "../approval/approval-grant.ts";
import type { Grants } from "./grants.ts";

export async function grantFromAnswer(
  { store }: { readonly store: Store },
  grants: Grants,
  { process, tenant, id, about }: QuestionRow,
  capabilities: readonly string[],
  { by, standing }: { readonly by: string; readonly standing?: StandingRule },
): Promise<HoldingRow> {
  const asker = (await store.processByKey(process))!;
  return grants.prepare({
    tenant,
    to: standing === undefined ? asker : null,
    agent: asker.agent,
    capabilities,
    by,
    reason: id,
    standing: standing?.rule,
    runs: standing?.runs,
    label: about === null ? undefined : readLabel((about as unknown as QuestionAbout).label),
  });
}
