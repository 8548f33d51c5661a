// Why text: formats `aos why`: result, decision, label, cost, causes and next commands.

import type { CausesReport, GrantUsed, Json, WhyReport } from "@aos/protocol/words";
import { colors } from "../colors.ts";
import { money } from "../money.ts";
import { printable } from "../printable.ts";
import { facts } from "../table.ts";
import { cutLine } from "../top/picture.ts";
import { causeTree, labelled } from "./cause-tree.ts";

const MOST_COSTS = 5;
const INDENT = 2;

/** The chain is cut where a terminal ends; all else is told whole. */
export function whyText(report: CausesReport, columns = Infinity): string {
  const tree = causeTree(report).map((line) => cutLine(line, columns - INDENT));
  return [
    headOf(report),
    decisionOf(report),
    titled("Had read", labelLines(report)),
    titled("Cost", costLines(report)),
    titled("What led to it", tree),
    titled("Next", nextLines(report)),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const titled = (title: string, lines: readonly string[]): string =>
  lines.length === 0
    ? ""
    : [colors.bold(title), ...lines.map((line) => " ".repeat(INDENT) + line)].join("\n");

function headOf({
  pid,
  agent,
  state,
  waitingOn,
  exitCode,
  seq,
  summary,
  error,
  waitsFor,
  links,
}: CausesReport) {
  const isEnd = links[0]?.kind === "end";
  const now = exitCode === null ? `is ${state}` : `${state} with exit code ${exitCode}`;
  const waits =
    waitingOn === null ? "" : `, for ${waitingOn === "approval" ? "a person" : waitingOn}`;
  const lines = [
    `${colors.bold(pid)} (${printable(agent)}) ${now}${waits}`,
    ...(isEnd ? [] : [`record ${seq}: ${printable(summary)}`]),
    ...(error === null ? [] : [colors.red(printable(`${error.code}: ${error.message}`))]),
    ...(error?.hint === undefined ? [] : [`hint: ${printable(error.hint)}`]),
    ...waitsFor.map(
      ({ question, rule }) =>
        `asked: ${printable([question, ...(rule === null ? [] : [rule])].join(", by the rule "))}`,
    ),
  ];
  return lines.join("\n");
}

function decisionOf({ decision, grants, seq, links, error }: CausesReport): string {
  if (decision === null) return "";
  const { outcome, call, args, touches, verdict } = decision;
  const link = links.find((one) => one.pid === decision.pid && one.seq === decision.seq);
  const where = decision.seq === seq ? "" : ` at record ${decision.seq}`;
  const title = outcome === "refused" ? `Refused${where}` : `Decided${where}: ${outcome}`;
  const pairs: [string, string][] = [
    ["call", link?.what ?? shortened(`${call} ${JSON.stringify(args)}`)],
    ...touches.map(({ kind, resource, verb }): [string, string] => [
      "touches",
      `${kind}:${resource}:${verb}`,
    ]),
    ...whyNot(decision, error?.message),
    ...(verdict === undefined ? [] : [["verdict", verdict] satisfies [string, string]]),
    ...[...new Set(grants.map(sayGrant))].map((said): [string, string] => ["allowed by", said]),
  ];
  return titled(title, printable(facts(pairs)).split("\n"));
}

/** Which check, what was nearest, and what would have helped. */
function whyNot({ code, message, detail }: WhyReport, told?: string): [string, string][] {
  if (code === undefined) return [];
  const { check, rule, nearest, grant, givers, label } = (detail ?? {}) as Record<string, Json>;
  const rows: [string, Json | undefined][] = [
    ["said", message === told ? undefined : `${code}: ${message}`],
    ["check", check],
    ["rule", rule],
    ["nearest", nearest],
    ["label", label],
    ["would allow", listed(grant)],
    ["given by", listed(givers)],
  ];
  return rows.flatMap(([name, value]): [string, string][] =>
    typeof value === "string" ? [[name, value]] : [],
  );
}

const listed = (texts: Json | undefined): string | undefined =>
  Array.isArray(texts) ? texts.filter((one) => typeof one === "string").join(", ") : undefined;

const sayGrant = ({ capability, block, handle, by, givenAt, reason }: GrantUsed): string =>
  `${capability ?? block} (${handle === "birth" ? "since its birth" : handle}, by ${by}, ${givenAt.slice(0, 19)}Z${reason === null ? "" : `: ${reason}`})`;

function labelLines({ label: { text, made } }: CausesReport): string[] {
  if (made.length === 0) return [labelled(text)];
  return [
    labelled(text),
    ...made.map(
      ({ seq, label, what }) => `since record ${seq}: ${labelled(label)} by ${printable(what)}`,
    ),
  ];
}

function costLines({ cost: { usd, tokens, calls, leftOut } }: CausesReport): string[] {
  if (calls.length === 0) return ["nothing"];
  const shown = calls.slice(0, MOST_COSTS).map((call) => {
    const { inputTokens, outputTokens } = call;
    const parts =
      inputTokens === null
        ? `${call.tokens} tokens`
        : `${inputTokens} tokens in, ${outputTokens} out`;
    return `record ${call.seq}: ${printable(call.what)}, ${money(call.usd)}, ${parts}`;
  });
  const more = leftOut + calls.length - shown.length;
  return [
    `${money(usd)}, ${tokens} tokens`,
    ...shown,
    ...(more === 0 ? [] : [colors.dim(`… and ${more} more calls`)]),
  ];
}

const nextLines = ({ next }: CausesReport): string[] =>
  next.flatMap(({ command, why }) => [colors.bold(printable(command)), colors.dim(`  ${why}`)]);

const MOST_CHARS = 200;

const shortened = (text: string): string =>
  text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS - 1)}…` : text;
