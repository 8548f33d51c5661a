// Policy tests: a file beside the policy (policy.test.yaml) that says what it must decide.
//
//   cases:
//     - name: after the CRM nothing leaves without a person
//       given: { tool: http.post, sinks: [egress], after: [{ tool: crm.read }] }
//       expect: ask
//       rule: after-crm-no-egress
//
// POLICY-TESTS-1  A case is judged by the same decide() as a call. Earlier calls (`after`) are judged too, and set
//     marks and use rates if they pass; a person is assumed to approve.

import { effects as everyEffect } from "../policy/selectors.ts";
import { type Json, sinks as everySink, type Touch } from "@aos/protocol";
import { z } from "zod";
import { readCapability } from "../policy-formats/older-capabilities.ts";
import { join, readLabel } from "../label/label.ts";
import type { Policy } from "../policy/engine.ts";
import { Rates } from "../policy/rates.ts";
import type { Subject, Verdict } from "../policy/subject.ts";

const amount = z.strictObject({
  usd: z.number().nonnegative().optional(),
  tokens: z.number().int().nonnegative().optional(),
  toolCalls: z.number().int().nonnegative().optional(),
});

/** A text that `read` does not refuse. */
const readable = (read: (text: string) => unknown, message: string) =>
  z.string().superRefine((text, context) => {
    try {
      read(text);
    } catch {
      context.addIssue(message);
    }
  });

const label = readable(readLabel, "a label is like untrusted/confidential#crm");
/** `file:/work/a.txt:read`: one resource and one verb. */
const touch = readable(readTouch, "one resource and one verb, like file:/work/a.txt:read");

const given = z.strictObject({
  call: z.string().optional(),
  tool: z.string().optional(),
  model: z.string().optional(),
  args: z.json().optional(),
  agent: z.string().optional(),
  tenant: z.string().optional(),
  pid: z.string().optional(),
  depth: z.number().int().nonnegative().optional(),
  target: z.strictObject({ pid: z.string(), agent: z.string() }).optional(),
  touches: z.array(touch).optional(),
  label: label.optional(),
  effect: z.enum(everyEffect).optional(),
  sinks: z.array(z.enum(everySink)).optional(),
  pinned: z.boolean().optional(),
  morePower: z.boolean().optional(),
  undoable: z.boolean().optional(),
  cost: amount.optional(),
  spent: amount.optional(),
  /** `2027-01-31T09:00:00Z`. */
  at: z.iso.datetime().optional(),
});

const testCase = z.strictObject({
  name: z.string().min(1),
  given: given.extend({ after: z.array(given).optional() }),
  expect: z.enum(["allow", "deny", "ask", "kill"]),
  /** The id of the rule that has to decide it; when several ask, of one of them. */
  rule: z.string().optional(),
  /** The ids of the sequence rules that it has to arm, all of them. */
  tags: z.array(z.string()).optional(),
});

export const policyTestsSchema = z.strictObject({ cases: z.array(testCase).min(1) });

export type PolicyTests = z.infer<typeof policyTestsSchema>;
export type PolicyTestInput = z.infer<typeof given>;

export interface TestResult {
  readonly name: string;
  readonly ok: boolean;
  readonly expected: { readonly effect: string; readonly rule?: string; readonly tags?: string[] };
  readonly got: {
    readonly effect: string;
    readonly rule: string;
    readonly tags: readonly string[];
  };
}

/** What the real tool would do with these arguments; what the case says itself comes first. */
export type DescribeTool = (
  tool: string,
  args: Json,
) => Partial<Pick<Subject, "touches" | "effect" | "sinks" | "undoable">> | undefined;

export function runPolicyTests(
  policy: Policy,
  { cases }: PolicyTests,
  layers: readonly string[],
  describeTool: DescribeTool = () => undefined,
): readonly TestResult[] {
  return cases.map((one) => {
    const trial = policy.withRates(new Rates());
    const marks: string[] = [];
    for (const before of one.given.after ?? []) {
      const earlier = subjectOf(before, marks, describeTool);
      const verdict = trial.decide(earlier, layers);
      // A verdict that lets nothing pass has no rates and no marks.
      trial.rates.charge(verdict.rates, earlier.atMs);
      marks.push(...verdict.tags);
    }
    return resultOf(one, trial.decide(subjectOf(one.given, marks, describeTool), layers));
  });
}

function resultOf(one: PolicyTests["cases"][number], verdict: Verdict): TestResult {
  const { name, expect: effect, rule, tags } = one;
  const rules = (verdict.ask?.rule ?? verdict.rule).split(", ");
  const armed = verdict.tags.map(ruleOfTag);
  return {
    name,
    ok:
      verdict.effect === effect &&
      (rule === undefined || rules.some((text) => isRule(text, rule))) &&
      (tags === undefined || tags.toSorted().join() === armed.toSorted().join()),
    expected: {
      effect,
      ...(rule === undefined ? {} : { rule }),
      ...(tags === undefined ? {} : { tags }),
    },
    got: { effect: verdict.effect, rule: verdict.ask?.rule ?? verdict.rule, tags: armed },
  };
}

/** Is `layer/id`, or `layer/id (why)`, the rule that the case means: by id, or by layer and id? */
function isRule(text: string, rule: string): boolean {
  const [plain] = text.split(" (");
  return plain === rule || plain!.endsWith(`/${rule}`);
}

/** A tag is the escaped layer, a dot and the rule's id (rule.ts). */
const ruleOfTag = (tag: string): string => tag.slice(tag.indexOf(".") + 1);

const NOTHING = { usd: 0, tokens: 0, toolCalls: 0 };

function subjectOf(
  one: PolicyTestInput,
  marks: readonly string[],
  describeTool: DescribeTool,
): Subject {
  const { args = null } = one;
  const described = one.tool === undefined ? undefined : describeTool(one.tool, args as Json);
  const own = readLabel(one.label ?? "trusted/public");
  return {
    call: one.call ?? (one.tool === undefined && one.model !== undefined ? "infer" : "exec"),
    args: args as Json,
    agent: one.agent ?? "agent",
    tenant: one.tenant ?? "default",
    pid: one.pid ?? "agt_test",
    depth: one.depth ?? 0,
    tool: one.tool,
    model: one.model,
    target: one.target,
    touches: one.touches?.map(readTouch) ?? described?.touches ?? [],
    label: join(own, { ...own, tags: marks }),
    effect: one.effect ?? described?.effect ?? "read",
    sinks: one.sinks ?? described?.sinks ?? [],
    pinned: one.pinned ?? false,
    morePower: one.morePower ?? false,
    undoable: one.undoable ?? described?.undoable ?? false,
    cost: { ...NOTHING, ...one.cost } as Subject["cost"],
    spent: { ...NOTHING, ...one.spent } as Subject["spent"],
    atMs: Date.parse(one.at ?? "2027-01-04T12:00:00Z"),
  };
}

function readTouch(text: string): Touch {
  const { kind, pattern, verbs } = readCapability(text);
  if (verbs.length !== 1 || pattern.text.includes("*"))
    throw new Error(`${text} is not one resource`);
  const [verb] = verbs;
  // As it is written: the canonical text of a host has more in it than the resource.
  return { kind, resource: text.slice(text.indexOf(":") + 1, text.lastIndexOf(":")), verb: verb! };
}
