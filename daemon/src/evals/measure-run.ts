// Measure run: what a finished run came to: output, costs of its tree, time, requests to models and calls of tools.

import type { Kernel } from "@aos/kernel";
import { labelText } from "@aos/kernel";
import type { EvalRun, JournalRecord } from "@aos/protocol";
import { callsMade } from "../testing/made-calls.ts";

type Source = Pick<Kernel, "show" | "cost" | "list" | "pastRun">;

const MOST_CHILDREN = 1000;
const DEEPEST = 64;

export async function measureRun(kernel: Source, pid: string): Promise<EvalRun> {
  const shown = await kernel.show(pid);
  const journals = await journalsOf(kernel, pid, 0);
  const { total } = await kernel.cost({ pid, by: "tree" });
  const made = callsMade(journals);
  const { startedAt, endedAt, error } = shown;
  return {
    pid: shown.pid,
    state: shown.state,
    exitCode: shown.exitCode,
    output: shown.output,
    error: error === null ? null : { code: error.code, message: error.message },
    label: labelText(shown.labels),
    usd: total.usd,
    tokens: total.tokens,
    latencyMs: endedAt === null ? 0 : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt)),
    steps: made.filter(({ call }) => call === "infer").length,
    calls: made.flatMap(({ tool, outcome }) => (tool === null ? [] : [{ tool, outcome }])),
  };
}

/** Of a process and all below it. */
async function journalsOf(
  kernel: Source,
  pid: string,
  depth: number,
): Promise<(readonly [string, readonly JournalRecord[]])[]> {
  const own = [pid, (await kernel.pastRun(pid)).records] as const;
  if (depth > DEEPEST) return [own];
  const children = await kernel.list({ parent: pid as never, limit: MOST_CHILDREN });
  const below = [];
  for (const child of children) below.push(...(await journalsOf(kernel, child.pid, depth + 1)));
  return [own, ...below];
}
