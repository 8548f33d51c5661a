// The reference notices a verdict in a journal that is another than the gate gave: refusals that are made
// to deeds, deeds to refusals, an approval that nobody gave, one use more than a limit allows.

import type { KernelOptions, Kernel } from "@aos/kernel";
import type { JournalRecord, Json, ModelDriver } from "@aos/protocol";
import { expect, test } from "vitest";
import { bootForTest, codeOf, TOOLS } from "../../helpers/kernel.ts";
import { allowBut, layer } from "../../helpers/policy.ts";
import { reignOf } from "../../helpers/reference.ts";
import type { Books } from "../../reference/history.ts";
import { compareWithReference, type Comparison } from "../../reference/reference.ts";

type Step = readonly [tool: string, args: Json];

const model: ModelDriver = {
  provider: "dear",
  egress: false,
  worstCase: () => ({ usd: 0.4, tokens: 10 }),
  infer: async () => ({
    text: "yes",
    toolCalls: [],
    finish: "stop",
    usage: { inputTokens: 1, outputTokens: 1 },
    usd: 0.4,
  }),
};

/** A kernel in which somebody has done these steps; and what the reference says of it, or of what it is made to be. */
async function ran(
  steps: readonly Step[],
  options: Pick<KernelOptions, "policy"> & { readonly capabilities?: readonly string[] } = {},
) {
  const { capabilities = TOOLS, ...more } = options;
  const { kernel, ...booted } = await bootForTest({
    ...more,
    models: [model],
    programs: {
      doer: async (sys) => {
        const codes = [];
        for (const [tool, args] of steps)
          codes.push(
            await codeOf(
              tool === "model"
                ? sys.infer({ model: "dear/1", messages: [] })
                : sys.exec(tool, args),
            ),
          );
        return codes;
      },
    },
  });
  const { output } = await kernel.wait(await kernel.spawn({ agent: "doer", capabilities }));
  const tools = ["look", "set", "pay"].map((name) => ({
    name,
    version: "1",
    description: "",
    input: {},
    effect: ({ look: "read", set: "idempotent", pay: "external" } as const)[name as "look"],
    touches: () => [],
    run: async () => null,
  }));
  const compare = (
    change: (record: JournalRecord) => JournalRecord = (record) => record,
    policy = options.policy,
  ): Promise<Comparison> =>
    compareWithReference(changed(kernel, change), [reignOf({ tools, models: [model], policy })]);
  return { kernel, codes: output as string[], compare, ...booted };
}

const changed = (kernel: Kernel, change: (record: JournalRecord) => JournalRecord): Books => ({
  list: (filter) => kernel.list(filter),
  show: (pid) => kernel.show(pid),
  power: (of) => kernel.power(of),
  journal: async (pid) => (await kernel.journal(pid)).map(change),
  pastRun: (pid) => kernel.pastRun(pid),
});

const LOOK: Step = ["look", {}];
const PAY: Step = ["pay", {}];

const isOf = (record: JournalRecord, tool: string): boolean =>
  record.kind === "call" && (record.args as { tool?: string }).tool === tool;

/** The record of this tool, as if it had come to something else. */
const madeTo = (tool: string, came: object) => (record: JournalRecord) => {
  if (!isOf(record, tool)) return record;
  const { err: _err, ok: _ok, ...rest } = record as never as Record<string, Json>;
  return { ...rest, ...came } as never as JournalRecord;
};
const done = (tool: string) => madeTo(tool, { ok: "done" });
const refused = (tool: string, code: string, detail: object) =>
  madeTo(tool, { err: { code, message: "no", detail } });

const touchOf = (tool: string) => ({ kind: "tool", resource: tool, verb: "call" });

test.each<[string, readonly Step[], object, (record: JournalRecord) => JournalRecord, RegExp]>([
  [
    "a deed that no capability allows",
    [LOOK, ["set", {}]],
    { capabilities: ["tool:look:call"] },
    done("set"),
    /was done; the reference: no capability/,
  ],
  [
    "a refusal that a capability forbids",
    [LOOK],
    {},
    refused("look", "EACCES", { check: "capability", touch: touchOf("look") }),
    /was EACCES; the reference: a capability allows it/,
  ],
  [
    "a deed that a rule denies",
    [LOOK],
    { policy: allowBut({ id: "no-look", deny: "tool:look" }) },
    done("look"),
    /was done; the reference: the policy says deny/,
  ],
  [
    "a person's word that nobody asked for",
    [LOOK],
    {},
    madeTo("look", { ok: "done", verdict: "approved by ann (ask_1, kernel/red-egress)" }),
    /was done; the reference: the policy says allow/,
  ],
  [
    "a rate that is said to be used up",
    [LOOK],
    { policy: allowBut({ id: "few", allow: "tool:look", rate: "2/h" }) },
    refused("look", "EAGAIN", { check: "policy", rule: "test/few" }),
    /was EAGAIN; the reference: no rate is used up/,
  ],
  [
    "one use more than a rate allows",
    [LOOK, LOOK, LOOK],
    { policy: allowBut({ id: "few", allow: "tool:look", rate: "2/h" }) },
    done("look"),
    /^the rate of test\/few for .*: too often$/,
  ],
  [
    "one use more than `max` allows",
    [LOOK, LOOK, LOOK],
    { capabilities: ["tool:look:call{max:2}"] },
    done("look"),
    /max:2.*: 3 uses$/,
  ],
  [
    "a counter that is said to be used up",
    [LOOK],
    { capabilities: ["tool:look:call{max:2}"] },
    refused("look", "EACCES", { check: "capability", touch: touchOf("look") }),
    /was EACCES; the reference: no counter is used up/,
  ],
  [
    "one use more than a capability's rate allows",
    [LOOK, LOOK, LOOK],
    { capabilities: ["tool:look:call{rate:2/h}"] },
    done("look"),
    /rate:2\/h.*: too often$/,
  ],
])("%s is a disagreement, and what really was is none", async (_, steps, options, change, said) => {
  const { compare } = await ran(steps, options);

  expect(await compare()).toMatchObject({ disagreements: [], agreed: steps.length });
  expect((await compare(change)).disagreements).toContainEqual(expect.stringMatching(said));
});

test("dollars beyond what a capability allows are a disagreement", async () => {
  const options = { capabilities: ["model:*:infer{usd:0.8}"] };
  const { codes, compare } = await ran(Array<Step>(3).fill(["model", {}]), options);
  const paid = (record: JournalRecord) =>
    record.kind === "call" && record.call === "infer"
      ? paidAs(record, { ok: "yes", usd: 0.4 })
      : record;

  expect(codes).toEqual(["ok", "ok", "EACCES"]);
  expect(await compare()).toMatchObject({ disagreements: [], agreed: 3 });
  expect((await compare(paid)).disagreements).toEqual([
    expect.stringMatching(/: 1\.2\d* dollars$/),
  ]);
});

const paidAs = (record: JournalRecord, came: object): JournalRecord => {
  const { err: _err, ...rest } = record as never as Record<string, Json>;
  return { ...rest, ...came } as never as JournalRecord;
};

const security = (mode: string, ...policies: readonly object[]) => [
  layer("kernel", { id: "all", allow: "*" }),
  {
    layer: "organisation",
    origin: "security.md",
    format: "security.md" as const,
    document: { kernel: { version: "1.0", mode }, signals: [], policies },
  },
];

test.each(["strict", "permissive", "audit"])("security.md is judged in %s mode", async (mode) => {
  const policy = security(
    mode,
    { action: "look", effect: "allow", rate_limit: "9/hour" },
    { action: "set", effect: "allow", mode: "read_only" },
  );
  const { codes, compare } = await ran([LOOK, LOOK, ["set", {}], PAY], { policy });
  const lenient = security("audit", { action: "*", effect: "allow" });
  const strict = security("strict", { action: "look", effect: "allow", rate_limit: "1/hour" });
  const asks = security("strict", { action: "*", effect: "allow", requires_approval: true });

  const calls = mode === "strict" ? 2 : 5; // it is killed at the third, which has no record
  expect(codes ?? "killed").toEqual(mode === "strict" ? "killed" : ["ok", "ok", "ok", "ok"]);
  expect(await compare()).toMatchObject({ disagreements: [], agreed: Math.min(calls, 4) });
  expect((await compare(undefined, lenient)).disagreements).toEqual([]);
  expect((await compare(undefined, asks)).disagreements.length).toBe(Math.min(calls, 4));
  expect((await compare(undefined, strict)).disagreements).toContainEqual(
    expect.stringMatching(/^the rate of organisation\/look for .*: too often$/),
  );
});

test.each<[string, string, boolean]>([
  ["time", "time.ms > 0", true],
  ["a time that is over", "time.date < '2020-01-01'", false],
  ["money", "spent.toolCalls == 1", true],
  ["cost", "cost.toolCalls > 1", false],
])("a condition on %s is judged", async (_, when, denies) => {
  const policy = allowBut({ id: "then", deny: "tool:pay", when });
  const { codes, compare } = await ran([LOOK, PAY], { policy });

  const { disagreements, agreed, tally } = await compare();

  expect(codes).toEqual(["ok", denies ? "EPOLICY" : "ok"]);
  expect({ disagreements, agreed, tally: [...tally] }).toEqual({
    disagreements: [],
    agreed: 2,
    tally: [],
  });
  const reverse = allowBut({ id: "then", deny: "tool:pay", when: `!(${when})` });
  expect((await compare(undefined, reverse)).disagreements.length).toBe(1);
});
