// Score: what each scorer says of a run, from what was measured. Everything is a function of its arguments.
//
// SCORE-1  A run that did not complete has the score 0 of every scorer that looks at its output.
// SCORE-2  What says nothing of the agent has no score: a vendor that was down, a person who ended the run, a budget of the
//     evaluation that was used up.
// SCORE-3  A run passes when every gate passes, and is unscored when one of them has no score and none failed.

import {
  bodyMismatch,
  type EvalCase,
  type EvalCell,
  type EvalFacts,
  type EvalInput,
  type EvalRun,
  type EvalScore,
  type EvalScorer,
  cellAt,
  exitCodes,
  fill,
  type Json,
  scorerNameOf,
} from "@aos/protocol";
import { parsed } from "./judge.ts";
import { compileRegex } from "./linear-regex.ts";

/** What stands in place of `{{field}}`. */
export const caseScope = ({ fields, input, expected, id }: EvalCase) => ({
  ...fields,
  id,
  input,
  expected,
});

interface Judged {
  readonly score: number | null;
  readonly reason: string;
  /** Of graded scores; 1 unless said. */
  readonly threshold?: number;
}

const verdict = (isPassed: boolean, reason: string): Judged => ({
  score: isPassed ? 1 : 0,
  reason: isPassed ? "" : reason,
});

type PureScorer = Exclude<EvalScorer, { type: "code" | "judge" }>;
type Rule<Type extends PureScorer["type"]> = (
  scorer: Extract<EvalScorer, { type: Type }>,
  run: EvalRun,
  given: EvalCase,
) => Judged;

/** Scorers that look at the output: SCORE-1. */
const OF_OUTPUT: ReadonlySet<string> = new Set([
  "exact",
  "contains",
  "regex",
  "schema",
  "number",
  "code",
  "judge",
]);

const rules: { readonly [Type in PureScorer["type"]]: Rule<Type> } = {
  exact: ({ value = "{{expected}}", field, ignoreCase }, { output }, given) => {
    const wanted = fill(value, caseScope(given));
    const found = outputField(output, field);
    return verdict(
      isEqual(found, wanted, ignoreCase),
      `it is ${short(found)}, and ${short(wanted)} was expected`,
    );
  },
  contains: ({ value = "{{expected}}", field, any, not, ignoreCase }, { output }, given) => {
    const wanted = [fill(value, caseScope(given))].flat().map(textOf);
    const text = cased(textOf(outputField(output, field)), ignoreCase);
    const absent = wanted.filter((one) => !text.includes(cased(one, ignoreCase)));
    const isFound = any ? absent.length < wanted.length : absent.length === 0;
    return verdict(
      isFound !== not,
      not ? `it has ${short(wanted)}` : `it does not have ${absent.map(short).join(", ")}`,
    );
  },
  regex: ({ pattern, flags, field, not }, { output }) =>
    verdict(
      compileRegex(pattern, flags).test(textOf(outputField(output, field))) !== not,
      `it ${not ? "matches" : "does not match"} ${pattern}`,
    ),
  schema: ({ schema, field }, { output }) => {
    const found = outputField(output, field);
    const value = typeof found === "string" ? (parsed(found) ?? found) : found;
    const problem = bodyMismatch(schema as Json, value, "the output");
    return verdict(problem === undefined, problem ?? "");
  },
  number: ({ value = "{{expected}}", field, tolerance, relative }, { output }, given) => {
    const wanted = numberOf(fill(value, caseScope(given)));
    const found = numberOf(outputField(output, field));
    if (wanted === undefined) return { score: null, reason: "no number is expected" };
    if (found === undefined) return verdict(false, "the output is no number");
    const most = Math.max(tolerance, relative * Math.abs(wanted));
    return verdict(Math.abs(found - wanted) <= most, `it is ${found}, and not ${wanted}`);
  },
  cost: ({ maxUsd }, { usd }) => verdict(usd <= maxUsd, `it cost ${usd} usd`),
  latency: ({ max }, { latencyMs }) => verdict(latencyMs <= max, `it took ${latencyMs} ms`),
  steps: ({ max }, { steps }) => verdict(steps <= max, `it asked a model ${steps} times`),
  calls: (scorer, { calls }) => {
    const problem = problemOfCalls(scorer, calls);
    return verdict(problem === undefined, problem ?? "");
  },
  exit: ({ code }, { exitCode }) => verdict(exitCode === code, `its exit code is ${exitCode}`),
};

function problemOfCalls(
  scorer: Extract<EvalScorer, { type: "calls" }>,
  calls: EvalRun["calls"],
): string | undefined {
  const { includes, excludes, order, only, max, maxRefused } = scorer;
  const tools = calls.map(({ tool }) => tool);
  const missing = includes.find((name) => !tools.includes(name));
  if (missing !== undefined) return `it did not call ${missing}`;
  const unwanted = excludes.find((name) => tools.includes(name));
  if (unwanted !== undefined) return `it called ${unwanted}`;
  let at = 0;
  for (const tool of tools) if (tool === order[at]) at += 1;
  if (at < order.length) return `it did not call ${order.join(", ")} in this order`;
  if (only !== undefined && JSON.stringify(tools) !== JSON.stringify(only))
    return `it called ${tools.join(", ") || "nothing"}`;
  if (max !== undefined && tools.length > max) return `it called ${tools.length} tools`;
  const refused = calls.filter(({ outcome }) => outcome === "refused").length;
  if (maxRefused !== undefined && refused > maxRefused) return `${refused} calls were refused`;
  return undefined;
}

/** SCORE-2. */
const NOT_OF_THE_AGENT: ReadonlySet<number> = new Set([
  exitCodes.rateLimited,
  exitCodes.queueFull,
  exitCodes.velocity,
  exitCodes.upstream,
  exitCodes.leaseExpired,
  exitCodes.interrupted,
  exitCodes.killed,
]);

/** Whether the run says something of its agent; undefined where it does. */
export function disturbanceOf({ exitCode, error, state }: EvalRun): string | undefined {
  if (exitCode !== null && !NOT_OF_THE_AGENT.has(exitCode)) return undefined;
  return error === null ? `${state} with exit code ${exitCode}` : `${error.code}: ${error.message}`;
}

export const isComplete = ({ state, exitCode }: EvalRun): boolean =>
  state === "completed" && (exitCode === 0 || exitCode === exitCodes.lowConfidence);

function judgedBy(scorer: EvalScorer, given: EvalCase, { run, verdicts }: EvalFacts): Judged {
  if (run === undefined) return { score: null, reason: "it was not run" };
  if (OF_OUTPUT.has(scorer.type) && !isComplete(run))
    return { score: 0, reason: `${run.state} with exit code ${run.exitCode}` }; // SCORE-1
  if (scorer.type === "code" || scorer.type === "judge")
    return {
      ...(verdicts[scorerNameOf(scorer)] ?? { score: null, reason: "it has no verdict yet" }),
      threshold: scorer.threshold,
    };
  return (rules[scorer.type] as unknown as Rule<never>)(scorer as never, run, given);
}

/** One row of the report. Undefined facts: the run is still to come, or under way. */
export function scoreCell(
  input: EvalInput,
  number: number,
  facts: EvalFacts | undefined,
): EvalCell {
  const { given, variant, repeat } = cellAt(input, number);
  const run = facts?.run;
  const disturbed = run === undefined ? undefined : disturbanceOf(run);
  const isScored = facts !== undefined && disturbed === undefined && facts.noBudget !== true;
  const scores = isScored ? input.scorers.map((scorer) => scoreOf(scorer, given, facts)) : [];
  const said = facts?.error ?? run?.error ?? null;
  return {
    case: given.id,
    variant: variant.name,
    repeat: repeat + 1,
    tags: [...given.tags],
    state: stateOf(facts, scores, disturbed),
    pid: (run?.pid ?? null) as EvalCell["pid"],
    output: run === undefined ? "" : textOf(run.output).slice(0, MOST_OUTPUT),
    error: disturbed ?? (said === null ? null : `${said.code}: ${said.message}`),
    label: run?.label ?? null,
    scores,
    usd: run?.usd ?? 0,
    judgeUsd: Object.values(facts?.verdicts ?? {}).reduce((sum, { usd = 0 }) => sum + usd, 0),
    tokens: run?.tokens ?? 0,
    latencyMs: run?.latencyMs ?? 0,
    steps: run?.steps ?? 0,
  };
}

const MOST_OUTPUT = 500;

function scoreOf(scorer: EvalScorer, given: EvalCase, facts: EvalFacts): EvalScore {
  const name = scorerNameOf(scorer);
  const { score, reason, threshold = 1 } = judgedBy(scorer, given, facts);
  const { pid = null, usd = 0 } = facts.verdicts[name] ?? {};
  return {
    name,
    score,
    passed: score === null ? null : score >= threshold,
    isGate: scorer.gate,
    reason,
    pid: pid as EvalScore["pid"],
    usd,
  };
}

/** SCORE-3. */
function stateOf(
  facts: EvalFacts | undefined,
  scores: readonly EvalScore[],
  disturbed: string | undefined,
): EvalCell["state"] {
  if (facts === undefined) return "open";
  if (facts.noBudget === true) return "no budget";
  if (facts.run === undefined || disturbed !== undefined) return "unscored";
  const gates = scores.filter(({ isGate }) => isGate);
  if (gates.some(({ passed }) => passed === false)) return "failed";
  if (gates.some(({ passed }) => passed === null)) return "unscored";
  return gates.length > 0 || isComplete(facts.run) ? "passed" : "failed";
}

const textOf = (value: Json): string =>
  value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);

const cased = (text: string, ignoreCase: boolean): string =>
  ignoreCase ? text.toLowerCase() : text;

const short = (value: Json | readonly Json[]): string => {
  const text = JSON.stringify(value) ?? "";
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`;
};

/** Texts are compared without the blanks around them; a text that is JSON with a value that is not a text. */
function isEqual(found: Json, wanted: Json, ignoreCase: boolean): boolean {
  if (typeof wanted === "string")
    return cased(textOf(found).trim(), ignoreCase) === cased(wanted.trim(), ignoreCase);
  const value = typeof found === "string" ? (parsed(found) ?? found) : found;
  return sorted(value) === sorted(wanted);
}

function sorted(value: Json): string {
  return JSON.stringify(value, (_key, one: Json) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
}

function numberOf(value: Json): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const number = Number(value.trim());
  return Number.isFinite(number) ? number : undefined;
}

/** Null where there is none. */
export function outputField(output: Json, field: string | undefined): Json {
  if (field === undefined) return output;
  let value: Json = typeof output === "string" ? (parsed(output) ?? null) : output;
  for (const step of field.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step)) return null;
    value = (value as Readonly<Record<string, Json>>)[step]!;
  }
  return value;
}
