// From runs: a data set from recorded runs: what they were given, and what they came to.
//
// FROM-RUNS-1  Secrets were taken out when the runs were recorded; what users wrote is there, with its label.
// FROM-RUNS-2  Runs whose records were compacted or erased are left out, and counted.

import { type Kernel, labelText } from "@aos/kernel";
import {
  isEnded,
  type Json,
  type OperationAnswer,
  type OperationArgs,
  type ProcessInfo,
  SysError,
} from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import { EVAL_PROGRAM } from "./run-tool.ts";

const USUAL = 200;
const MOST_LOOKED = 10_000;

type DataSet = OperationAnswer<"evalDataset">;

export async function casesFromRuns(
  kernel: Pick<Kernel, "list" | "show" | "pastRun" | "cost">,
  { agent, since, outcome, limit = USUAL, tenant }: OperationArgs<"evalDataset">,
): Promise<DataSet> {
  const found = await kernel.list({
    ...omitUndefined({ tenant, startedSince: since }),
    ...(outcome === undefined ? {} : { states: [outcome] }),
    limit: MOST_LOOKED,
  });
  const wanted = found.filter(
    (info) =>
      info.parent === null && isEnded(info.state) && (agent === undefined || info.agent === agent),
  );
  const cases: DataSet["cases"][number][] = [];
  let left = 0;
  for (const info of wanted) {
    if (cases.length >= limit) break;
    const made = await caseOf(kernel, info);
    if (made === "other") continue;
    if (made === "gone") left += 1;
    else cases.push(made);
  }
  return { cases, left };
}

/** FROM-RUNS-2. */
async function caseOf(
  kernel: Pick<Kernel, "show" | "pastRun" | "cost">,
  { pid }: ProcessInfo,
): Promise<DataSet["cases"][number] | "gone" | "other"> {
  const shown = await kernel.show(pid);
  if (shown.program === EVAL_PROGRAM) return "other";
  if (shown.compacted) return "gone";
  let run;
  try {
    run = await kernel.pastRun(pid);
  } catch (error) {
    if (error instanceof SysError && ["EERASED", "ESTATE", "ECORRUPT"].includes(error.code))
      return "gone";
    throw error;
  }
  const { total } = await kernel.cost({ pid, by: "tree" });
  const [first] = run.records as unknown as readonly { readonly input?: Json }[];
  return {
    id: pid,
    input: first?.input ?? null,
    expected: shown.output,
    label: labelText(run.label),
    metadata: {
      pid: shown.pid,
      agent: shown.agent,
      state: shown.state,
      exitCode: shown.exitCode,
      outputLabel: labelText(shown.labels),
      usd: total.usd,
    },
  };
}
