// Evaluations on a test kernel: the program and its tool, agents with a model that has a price, and their reports.

import type { Kernel } from "@aos/kernel";
import type { EvalCell, EvalInput, ModelDriver, ProcessId, Program, SysError } from "@aos/protocol";
import { createEvalRunTool, evalInputOf, evalRequestOf, evalStateOf } from "@aos/daemon/parts";
import { programs } from "@aos/userland";
import { stringify } from "yaml";
import { type Booted, bootForTest, sleepMs } from "../../helpers/kernel.ts";

/** Half a cent a request, and a cent at most. It says what it was last told. */
export const priced = (asked: string[], answer: (text: string) => string): ModelDriver => ({
  provider: "fake",
  egress: true,
  worstCase: () => ({ usd: 0.01, tokens: 100 }),
  infer: async ({ messages, model }, { signal }) => {
    const text = messages.at(-1)?.content ?? "";
    asked.push(`${model} ${text}`);
    const said = answer(text);
    if (said === "hang")
      await new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
      });
    return {
      text: said,
      toolCalls: [],
      finish: "stop",
      usage: { inputTokens: 20, outputTokens: 30 },
      usd: 0.005,
    };
  },
});

export interface EvalRig {
  booted: Booted;
  /** What the model was asked, in all boots. */
  readonly asked: string[];
  start(definition: object): Promise<ProcessId>;
  resume(pid: ProcessId, more: Partial<EvalInput>): Promise<ProcessId>;
  cells(pid: string): Promise<readonly EvalCell[]>;
  crash(): Promise<void>;
}

export async function openEvalRig(answer: (text: string) => string = echoed): Promise<EvalRig> {
  const asked: string[] = [];
  let kernel: Kernel;
  const booted = await bootForTest({
    programs: { agent: programs["agent"]!.run, eval: programs["eval"]!.run, thief },
    models: [priced(asked, answer)],
    tools: [createEvalRunTool({ kernel: () => kernel })],
    tenants: { closed: {} },
  });
  kernel = booted.kernel;
  const rig: EvalRig = {
    booted,
    asked,
    start: (definition) => kernel.spawn(evalRequestOf(inputOf(definition))),
    async resume(pid, more) {
      const { input } = evalStateOf(await kernel.pastRun(pid), (await kernel.show(pid)).output);
      return kernel.spawn(evalRequestOf({ ...input, ...more }));
    },
    async cells(pid) {
      const { output } = await kernel.show(pid);
      return evalStateOf(await kernel.pastRun(pid), output).results;
    },
    async crash() {
      await kernel.enter("crash", "test", null); // what was recorded until now is on the disk
      rig.booted = await rig.booted.crash();
      kernel = rig.booted.kernel;
    },
  };
  return rig;
}

/** Calls the tool itself, or has a child that is an evaluation. */
const thief: Program = async (sys, input) => {
  if (input === null)
    return sys.exec("eval.run", { cell: 0 }).catch(({ code }: SysError) => ({ code }));
  const child = { apiVersion: "aos/v1", kind: "Agent", name: "child", program: "eval" } as const;
  const manifest = { ...child, capabilities: ["tool:eval.run:call"] };
  return (await sys.wait(await sys.spawn({ manifest }, input))) as never;
};

const echoed = (text: string): string => text;

export const agent = (name: string, more: object = {}) => ({
  name,
  manifest: {
    apiVersion: "aos/v1",
    kind: "Agent",
    name,
    model: "fake/one",
    capabilities: ["model:fake/one:infer"],
    ...more,
  },
});

export const definition = (more: object = {}) => ({
  apiVersion: "aos/v1",
  kind: "Eval",
  name: "echoes",
  agents: [agent("parrot")],
  data: ["one", "two", "three", "four"].map((input) => ({ id: input, input, expected: input })),
  scorers: [{ type: "exact" }],
  ...more,
});

export const inputOf = (given: object): EvalInput =>
  evalInputOf({} as never, { file: { file: "test.eval.yaml", text: stringify(given) } });

export async function whenAsked(asked: readonly string[], count: number): Promise<void> {
  for (const since = Date.now(); asked.length < count; await sleepMs(5))
    if (Date.now() - since > 120_000) throw new Error(`${asked.length} requests, not ${count}`);
}

export const states = (cells: readonly EvalCell[]): string[] =>
  cells.map((cell) => `${cell.case} ${cell.state}`);
