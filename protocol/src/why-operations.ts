// Operations about why something came about: a part of the rows (operations.ts).

import { z } from "zod";
import type { CausesReport, MomentReport } from "./causes.ts";
import { byPid, count } from "./operation-fields.ts";
import { takes } from "./operation-row.ts";

const atRecord = z.strictObject({ seq: count.optional() });

export const whyOperations = {
  causes: takes({ params: byPid, query: atRecord }).answers<CausesReport>(),
  moment: takes({ params: byPid, query: atRecord }).answers<MomentReport>(),
} as const;
