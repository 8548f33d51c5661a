// The tools of a range: one for each kind of effect. Each run is recorded, so that an attack is judged by what a tool
// did and not by what it answered.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Effect, Json, Label, Sink, Tool, Touch } from "@aos/protocol";

export interface ToolRun {
  readonly tool: string;
  readonly args: Json;
  readonly pid: string;
  /** Whether the work is done; false while it runs, and permanently if it was stopped. */
  isDone: boolean;
}

interface RangeToolOptions {
  readonly give?: Json;
  readonly fail?: string;
  readonly ms?: number;
}

interface ToolRow {
  readonly effect: Effect;
  readonly label?: Label;
  readonly sinks?: readonly Sink[];
}

const TRUSTED: Label = { integrity: "trusted", secrecy: "public" };

const rows: Readonly<Record<string, ToolRow>> = {
  /** Sends money: external, therefore egress. */
  "range.pay": { effect: "external", label: TRUSTED },
  "range.wipe": { effect: "idempotent", label: TRUSTED, sinks: ["destructive"] },
  "range.set": { effect: "idempotent", label: TRUSTED },
  "range.look": { effect: "read", label: TRUSTED },
  /** Returns a result without a label. */
  "range.page": { effect: "read" },
  "range.payroll": { effect: "read", label: { integrity: "trusted", secrecy: "confidential" } },
  "range.safe": { effect: "read", label: { integrity: "trusted", secrecy: "secret" } },
};

/** `echoes`: the texts of `range.echo`, by number. */
export function rangeTools(runs: ToolRun[], echoes: readonly string[]): Tool[] {
  const tools = Object.entries(rows).map(([name, row]) => toolOf(name, row, runs, () => []));
  const echo: Tool = {
    ...toolOf("range.echo", { effect: "read" }, runs, () => []),
    run: async (args) => {
      const { echo = -1, fail = -1 } = (args ?? {}) as { echo?: number; fail?: number };
      if (echoes[fail] !== undefined) throw new Error(`no: ${echoes[fail]}`);
      return `it is ${echoes[echo] ?? "unknown"} today`;
    },
  };
  const reach: Tool = {
    ...toolOf("range.reach", { effect: "external", label: TRUSTED }, runs, (args) => [
      (args as unknown as { asked: Touch }).asked,
    ]),
    run: async (args, context) => {
      context.authorize((args as unknown as { next: Touch }).next);
      runs.push({ tool: "range.reach", args, pid: context.pid, isDone: true });
      return "done";
    },
  };
  const script: Tool = {
    ...toolOf("range.run", { effect: "external", label: TRUSTED }, runs, () => []),
    sandbox: "process",
    run: async (args, { pid, workspace }) => {
      const file = join(workspace.folder ?? "", (args as { script: string }).script);
      const text = await readFile(file, "utf8");
      runs.push({ tool: "range.run", args: { text }, pid, isDone: true });
      return "done";
    },
  };
  return [
    ...tools,
    echo,
    reach,
    script,
    toolOf("range.touch", { effect: "read", label: TRUSTED }, runs, (args) => [args as never]),
  ];
}

function toolOf(
  name: string,
  { effect, label, sinks }: ToolRow,
  runs: ToolRun[],
  touches: (args: Json) => Touch[],
): Tool {
  return {
    name,
    version: "1",
    description: "For attacks on the range.",
    input: {},
    effect,
    touches,
    ...(label === undefined ? {} : { label }),
    ...(sinks === undefined ? {} : { sinks: () => sinks }),
    run: async (args, { pid, signal }) => {
      const run = { tool: name, args, pid, isDone: false };
      runs.push(run);
      const { give = "done", fail, ms = 0 } = (args ?? {}) as RangeToolOptions;
      if (ms > 0) await delay(ms, undefined, { signal });
      if (fail !== undefined) throw new Error(fail);
      run.isDone = true;
      return give;
    },
  };
}
