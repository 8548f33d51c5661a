// A workflow for a person: its steps, what it waits for and how to answer, and what would take it back.

import type { WorkflowReport, WorkflowStepReport } from "@aos/protocol/words";
import { money } from "./money.ts";
import { resultText } from "./print-ending.ts";
import { printable } from "./printable.ts";
import { facts, table } from "./table.ts";

export function workflowText(report: WorkflowReport, out: { readonly isWide: boolean }): string {
  const { pid, name, state, version, generation, done, steps, costUsd } = report;
  const { error, graph, signals, queries, result, undone, armed, lasting, faults } = report;
  const parts = [
    facts([
      ["workflow", printable(name)],
      ["pid", pid],
      ["state", state],
      ["version", version.slice(0, 12)],
      ...(generation === 0 ? [] : [["generation", String(generation)] as const]),
      ["steps", `${done} of ${steps} done`],
      ["cost", money(costUsd)],
      ...waits(report),
      ...(signals.length === 0
        ? []
        : [["messages", signals.map((one) => one.name).join(", ")] as const]),
      ...(queries.length === 0 ? [] : [["queries", queries.join(", ")] as const]),
      ...(error === null ? [] : [["error", printable(`${error.code}: ${error.message}`)] as const]),
      ...(undone.length === 0 ? [] : [["taken back", undone.join(", ")] as const]),
    ]),
  ];
  if (graph.length > 0)
    parts.push(
      table(
        ["STEP", "DOES", "STATE", "+AFTER", "+PID", "RESULT"],
        graph.map((step) => [
          step.step,
          step.does,
          stateText(step),
          step.after.join(",") || "-",
          step.pid ?? "-",
          printable(shortResult(step)),
        ]),
        out,
      ),
    );
  if (lasting.length > 0)
    parts.push(
      lines(
        "not taken back:",
        lasting.map((one) => `${one.step} (${one.tool}): ${one.why}`),
      ),
    );
  if (armed.length > 0)
    parts.push(
      lines(
        `aos undo ${pid} would call:`,
        armed.map(({ step, tool, args }) => `${tool} ${JSON.stringify(args)}  for ${step}`),
      ),
    );
  if (faults.length > 0) parts.push(lines("faults:", faults));
  if (result !== null) parts.push(printable(resultText(result)));
  return parts.join("\n\n");
}

const lines = (title: string, all: readonly string[]): string =>
  [title, ...all.map((line) => `  ${printable(line)}`)].join("\n");

/** What it waits for, with the command that answers. */
function waits({ pid, graph }: WorkflowReport): (readonly [string, string])[] {
  return graph.flatMap(({ step, waitsFor, question }) => {
    if (question !== null)
      return [["waits for", `a person, at ${step}: aos approvals show ${question}`] as const];
    if (waitsFor === null) return [];
    const [kind, name] = waitsFor.split(" ");
    const how = kind === "message" ? `: aos workflow signal ${pid} ${name}` : "";
    return [["waits for", `${waitsFor}, at ${step}${how}`] as const];
  });
}

const stateText = ({ state, attempt }: WorkflowStepReport): string =>
  attempt > 1 ? `${state} (try ${attempt})` : state;

const MOST_SHOWN = 60;

function shortResult({ result, error }: WorkflowStepReport): string {
  const text = error ?? (result === null ? "" : JSON.stringify(result));
  return text.length <= MOST_SHOWN ? text : `${text.slice(0, MOST_SHOWN - 1)}…`;
}
