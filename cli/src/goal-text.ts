// A goal for a person: what it is, its subtasks as a tree of what depends on what, and what came of it.

import type { GoalReport, Question } from "@aos/protocol/words";
import { money } from "./money.ts";
import { resultText } from "./print-ending.ts";
import { printable } from "./printable.ts";
import { questionSentence } from "./question/question-text.ts";
import { facts, table } from "./table.ts";

export function goalText(
  goal: GoalReport,
  out: { readonly isWide: boolean; readonly questions?: readonly Question[] },
): string {
  const { pid, state, lane, place, costUsd, error, faults, notes, files, result, replans } = goal;
  const done = goal.subtasks.filter((one) => one.state === "done" || one.state === "skipped");
  const parts = [
    facts([
      ["goal", printable(goal.goal)],
      ["pid", pid],
      ["state", place === null ? state : `${state}, position ${place} in the queue`],
      ...(out.questions ?? []).flatMap((question) => [
        ["waits for a person", questionSentence(question)] as const,
        ["answer with", `aos approve ${question.id}, or aos deny ${question.id}`] as const,
      ]),
      ["lane", lane],
      ["cost", money(costUsd)],
      ["subtasks", `${done.length} of ${goal.subtasks.length} done`],
      ...(replans === 0 ? [] : [["replans", String(replans)] as const]),
      ...(error === null ? [] : [["error", printable(`${error.code}: ${error.message}`)] as const]),
      ...(files.length === 0 ? [] : [["files", printable(files.join(", "))] as const]),
    ]),
  ];
  if (goal.subtasks.length > 0)
    parts.push(
      table(
        ["STEP", "ROLE", "STATE", "AFTER", "PID", "COST", "+FILES", "ERROR"],
        goal.subtasks.map((step) => [
          step.id,
          step.role,
          step.tries > 1 ? `${step.state} (try ${step.tries})` : step.state,
          step.dependsOn.join(",") || "-",
          step.pid ?? "-",
          money(step.costUsd),
          printable(step.outputs.join(",")),
          printable(step.error ?? ""),
        ]),
        out,
      ),
    );
  for (const [title, lines] of [
    ["faults", faults],
    ["notes", notes],
  ] as const)
    if (lines.length > 0)
      parts.push([`${title}:`, ...lines.map((line) => `  ${printable(line)}`)].join("\n"));
  if (result !== null) parts.push(printable(resultText(result)));
  return parts.join("\n\n");
}
