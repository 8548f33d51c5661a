// Expectations: compares the outcome of a test with what it expects, and reports every difference, one line each.

import { readLabel, labelText } from "@aos/kernel";
import type { Ending, Json, Label, Spend } from "@aos/protocol";
import type { ObservedCall } from "./made-calls.ts";
import type {
  ExpectedCall,
  ExpectedRefusal,
  ExpectedValue,
  Expectations,
  Listed,
} from "./expect-schema.ts";
import { includesValue, isSameValue, valueText } from "./match-value.ts";
import { isRule } from "./test-person.ts";
import { misfits } from "./value-schema.ts";

/** How a test went. */
export interface TestRunResult {
  readonly ending: Ending;
  readonly label: Label;
  readonly spent: Spend;
  readonly madeCalls: readonly ObservedCall[];
  /** A file of the workspace; undefined where there is none. */
  readonly fileAt: (path: string) => string | undefined;
  readonly otherRequests: readonly string[];
}

export function unmetExpectations(expected: Expectations, came: TestRunResult): string[] {
  const { ending, spent, madeCalls } = came;
  const { output, exitCode, state, error, calls, refused, cost, label, infers, files } = expected;
  const infersMade = madeCalls.filter(({ call }) => call === "infer").length;
  return [
    ...(state === undefined ? [] : differs("state", ending.state, state, whyEnded(ending))),
    ...(exitCode === undefined
      ? []
      : differs("exitCode", ending.exitCode, exitCode, whyEnded(ending))),
    ...(output === undefined ? [] : valueProblems("output", ending.output, output)),
    ...(error === undefined ? [] : errorProblems(ending, error)),
    ...(calls === undefined ? [] : callProblems(madeCalls, calls)),
    ...(refused === undefined ? [] : refusalProblems(madeCalls, refused)),
    ...(cost?.maxUsd === undefined ? [] : most("cost.maxUsd", spent.usd, cost.maxUsd)),
    ...(cost?.maxTokens === undefined ? [] : most("cost.maxTokens", spent.tokens, cost.maxTokens)),
    ...(cost?.maxToolCalls === undefined
      ? []
      : most("cost.maxToolCalls", spent.toolCalls, cost.maxToolCalls)),
    ...(label === undefined ? [] : labelProblems(came.label, readLabel(label))),
    ...(infers === undefined ? [] : differs("infers", infersMade, infers)),
    ...(expected.requests === undefined ? [] : came.otherRequests.map((one) => `requests: ${one}`)),
    ...Object.entries(files ?? {}).flatMap(([path, wanted]) => fileProblems(came, path, wanted)),
  ];
}

const whyEnded = ({ error }: Ending): string =>
  error === null ? "" : ` (${error.code}: ${error.message})`;

const differs = (what: string, got: Json, wanted: Json, why = ""): string[] =>
  isSameValue(got, wanted)
    ? []
    : [`${what} is ${valueText(got)}${why}, and not ${valueText(wanted)}`];

/** Money is a sum of fractions: a billionth of a dollar is no difference. */
const SLACK = 1e-9;

const most = (what: string, got: number, limit: number): string[] =>
  got <= limit + SLACK ? [] : [`${what}: it used ${got}, and that is more than ${limit}`];

function valueProblems(what: string, value: Json, wanted: ExpectedValue): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return [
    ...(wanted.equals === undefined ? [] : differs(what, value, wanted.equals)),
    ...(wanted.contains ?? [])
      .filter((part) => !text.includes(part))
      .map((part) => `${what} does not contain ${valueText(part)}: it is ${valueText(value)}`),
    ...(wanted.excludes ?? [])
      .filter((part) => text.includes(part))
      .map((part) => `${what} contains ${valueText(part)}: it is ${valueText(value)}`),
    ...(wanted.matches === undefined
      ? []
      : misfits(value, wanted.matches).map((flaw) => `${what} does not match: ${flaw}`)),
  ];
}

function errorProblems(
  { error }: Ending,
  { code, contains = [] }: NonNullable<Expectations["error"]>,
): string[] {
  if (error === null) return ["error: it ended without one"];
  return [
    ...(code === undefined ? [] : differs("error.code", error.code, code)),
    ...valueProblems("error", error.message, { contains }),
  ];
}

const isCall = (
  madeCall: ObservedCall,
  { tool, call, args }: ExpectedRefusal | ExpectedCall,
): boolean =>
  (tool === undefined ? madeCall.call === call : madeCall.tool === tool) &&
  (args === undefined || includesValue(madeCall.args, args));

const isMade = (madeCall: ObservedCall, wanted: ExpectedCall): boolean =>
  isCall(madeCall, wanted) && (wanted.outcome === undefined || madeCall.outcome === wanted.outcome);

const isRefused = (madeCall: ObservedCall, wanted: ExpectedRefusal): boolean =>
  isCall(madeCall, wanted) &&
  (wanted.code === undefined || madeCall.error?.code === wanted.code) &&
  (wanted.rule === undefined || isRule(madeCall.rule, wanted.rule));

function callProblems(madeCalls: readonly ObservedCall[], wanted: Listed<ExpectedCall>): string[] {
  const tools = madeCalls.filter(({ tool }) => tool !== null);
  return [
    ...exactly("calls", tools, wanted.exactly, isMade),
    ...someOf("calls", madeCalls, wanted, isMade),
  ];
}

function refusalProblems(
  madeCalls: readonly ObservedCall[],
  wanted: Listed<ExpectedRefusal>,
): string[] {
  const refused = madeCalls.filter(({ outcome }) => outcome === "refused");
  return [
    ...exactly("refused", refused, wanted.exactly, isRefused),
    ...someOf("refused", refused, wanted, isRefused),
  ];
}

type Fits<Item> = (madeCall: ObservedCall, wanted: Item) => boolean;

function exactly<Item extends ExpectedCall | ExpectedRefusal>(
  what: string,
  madeCalls: readonly ObservedCall[],
  wanted: readonly Item[] | undefined,
  isIt: Fits<Item>,
): string[] {
  if (wanted === undefined) return [];
  const at = Math.max(madeCalls.length, wanted.length);
  for (let i = 0; i < at; i++) {
    const madeCall = madeCalls[i];
    const item = wanted[i];
    if (madeCall !== undefined && item !== undefined && isIt(madeCall, item)) continue;
    const got = madeCall === undefined ? "nothing" : callText(madeCall);
    const hoped = item === undefined ? "nothing" : sayWanted(item);
    return [`${what}: number ${i + 1} is ${got}, and not ${hoped}; all: ${sayAll(madeCalls)}`];
  }
  return [];
}

function someOf<Item extends ExpectedCall | ExpectedRefusal>(
  what: string,
  madeCalls: readonly ObservedCall[],
  { includes: some = [], excludes: none = [] }: Listed<Item>,
  isIt: Fits<Item>,
): string[] {
  return [
    ...some
      .filter((item) => !madeCalls.some((madeCall) => isIt(madeCall, item)))
      .map((item) => `${what}: ${sayWanted(item)} is not among ${sayAll(madeCalls)}`),
    ...none.flatMap((item) =>
      madeCalls
        .filter((madeCall) => isIt(madeCall, item))
        .map((madeCall) => `${what}: there is ${callText(madeCall)}`),
    ),
  ];
}

function callText({ call, tool, args, outcome, error, rule }: ObservedCall): string {
  const by = rule === null ? "" : ` by ${rule}`;
  const came = error === null ? outcome : `${outcome} with ${error.code}${by}`;
  return `${tool ?? call} ${valueText(args)} (${came})`;
}

const sayAll = (madeCalls: readonly ObservedCall[]): string =>
  madeCalls
    .filter(({ call, tool, outcome }) => tool !== null || outcome === "refused" || call === "spawn")
    .map(({ call, tool }) => tool ?? call)
    .join(", ") || "none";

const sayWanted = ({ tool, call, args, ...rest }: ExpectedCall | ExpectedRefusal): string => {
  const more = Object.values(rest).filter((value) => value !== undefined);
  return [
    tool ?? call,
    ...(args === undefined ? [] : [valueText(args)]),
    ...(more.length === 0 ? [] : [`(${more.join(", ")})`]),
  ].join(" ");
};

/** Marks of sequence rules are held against only where the test names some. */
function labelProblems(got: Label, wanted: Label): string[] {
  const { tags: _marks, ...plain } = got;
  const held = wanted.tags === undefined ? plain : got;
  return differs("label", labelText(held), labelText(wanted));
}

function fileProblems(
  { fileAt }: TestRunResult,
  path: string,
  { absent, ...wanted }: NonNullable<Expectations["files"]>[string],
): string[] {
  const text = fileAt(path);
  if (absent === true) return text === undefined ? [] : [`${path} is there`];
  if (text === undefined) return [`${path} is not there`];
  return valueProblems(path, text, wanted);
}
