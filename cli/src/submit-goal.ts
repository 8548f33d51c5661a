// SubmitGoal: a goal in words, as `aos submit` takes it.
//
// SUBMIT-GOAL-1  A goal is several words, or --goal; one word is the name of an agent, so that a typing error starts
//     nothing.
// SUBMIT-GOAL-2  With --plan nothing of the plan runs before a person said yes; without a terminal it is printed, and that is all.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SysError, type GoalReport, type Json, type OperationArgs } from "@aos/protocol/words";
import { parse, stringify } from "yaml";
import { askYes } from "./ask-person.ts";
import type { CommandCall } from "./command.ts";
import { money } from "./money.ts";
import { printEnding, resultText } from "./print-ending.ts";
import { printable } from "./printable.ts";
import { readBudget } from "./read-budget.ts";
import { readFile } from "./read-file.ts";
import { readLane } from "./read-lane.ts";
import { readDurationOption } from "./read-number.ts";
import { readTtl } from "./read-ttl.ts";
import { workspaceOption } from "./spawn-agent.ts";
import { waitForEnd } from "./wait-for-end.ts";
import { watchGoal } from "./watch-goal.ts";

/** SUBMIT-GOAL-1. */
export function isGoal({ args, options }: Pick<CommandCall, "args" | "options">): boolean {
  const isSaid = ["goal", "plan"].some((name) => options.flag(name));
  const words = args[0]?.trim() ?? "";
  return (
    isSaid || options.text("planFile") !== undefined || (args.length === 1 && /\s/.test(words))
  );
}

export async function submitGoal(call: CommandCall): Promise<number | void> {
  const { client, options, out } = call;
  const wanted = goalArgs(call);
  const file = options.text("planFile");
  const given = file === undefined ? {} : { plan: readPlan(readFile(file).text, file) };
  const chosen = options.flag("plan") ? await agreedPlan(call, { ...wanted, ...given }) : given;
  if (chosen === undefined) return;
  const { pid } = await client.submitGoal({ ...wanted, ...chosen });
  const { place } = await client.show({ pid });
  const where = place === null ? "the goal has started" : `position ${place} in the queue`;
  if (options.flag("follow")) {
    out.note(`${pid}: ${where}`);
    await watchGoal(call, pid);
    if (!options.flag("wait")) return;
  }
  if (!options.flag("wait")) {
    await out.data({ pid, place }, () => pid);
    if (out.format === "text") out.note(`${where}; follow it with: aos goal watch ${pid}`);
    return;
  }
  const ending = await waitForEnd(call, pid);
  const { result } = await client.goal({ pid });
  return printEnding(out, ending, printable(resultText(result)));
}

type GoalArgs = OperationArgs<"submitGoal">;

function goalArgs({ args, options }: CommandCall): GoalArgs {
  const [roles, capabilities, model] = ["role", "cap", "model"].map((name) => options.texts(name));
  const budget = options.text("budget");
  const ttl = options.text("ttl");
  const deadlineMs = readDurationOption(options.text("deadline"), "--deadline");
  const [label, tenant] = [options.text("label"), options.text("tenant")];
  if (args.length > 1)
    throw new SysError("EINVAL", "a goal is one text", { hint: "put it in quotes" });
  const goal = args[0]?.trim() ?? "";
  if (goal === "" && options.text("planFile") === undefined)
    throw new SysError("EINVAL", "a goal is missing", {
      hint: 'aos submit "summarise the reports in /work" --dir .',
    });
  return {
    goal: goal === "" ? `the plan of ${options.text("planFile")!}` : goal,
    cwd: process.cwd(),
    lane: readLane(options.text("lane") ?? "background"),
    ...(roles!.length === 0 ? {} : { roles: [...roles!] }),
    ...(capabilities!.length === 0 ? {} : { capabilities: [...capabilities!] }),
    ...(model!.length === 0 ? {} : { model: [...model!] }),
    ...(options.flag("direct") ? { planner: "never" as const } : {}),
    ...(options.flag("plan") ? { planner: "always" as const } : {}),
    ...(budget === undefined ? {} : { budget: readBudget(budget) }),
    ...(ttl === undefined ? {} : { ttl: readTtl(ttl) }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
    ...(label === undefined ? {} : { label }),
    ...(tenant === undefined ? {} : { tenant }),
    ...workspaceOption(options),
  };
}

function readPlan(text: string, file: string): Json {
  try {
    return parse(text) as Json;
  } catch (error) {
    throw new SysError("EINVAL", `${file}: ${(error as Error).message}`);
  }
}

/** SUBMIT-GOAL-2. Undefined where nothing is to run. */
async function agreedPlan(
  call: CommandCall,
  wanted: GoalArgs,
): Promise<{ readonly plan: Json } | undefined> {
  const { client, out } = call;
  let asked = wanted;
  for (;;) {
    const { pid } = await client.submitGoal({ ...asked, isPlanOnly: true });
    out.note(`${pid} plans`);
    await waitForEnd(call, pid);
    const planned = await client.goal({ pid });
    const isAsked = out.terminal && process.stdin.isTTY && out.format === "text";
    if (planned.plan === null && (!isAsked || asked.plan === undefined)) throw refused(planned);
    if (!isAsked) {
      await printPlan(out, planned);
      return undefined;
    }
    const text = planned.plan === null ? stringify(asked.plan) : stringify(planned.plan);
    const edited = edit(`${commentOf(planned)}${text}`);
    if (edited !== undefined && edited.trim() !== text.trim()) {
      asked = { ...wanted, plan: readPlan(edited, "the plan") };
      continue;
    }
    if (planned.plan === null) throw refused(planned);
    await printPlan(out, planned);
    return (await askYes("Run it? [yes/no] ")) ? { plan: planned.plan } : undefined;
  }
}

const refused = ({ pid, faults, error }: GoalReport): SysError =>
  new SysError(
    "EINVAL",
    faults.length > 0
      ? `the plan is refused:\n${faults.join("\n")}`
      : (error?.message ?? "no plan"),
    { hint: `aos goal show ${pid}` },
  );

async function printPlan(out: CommandCall["out"], planned: GoalReport): Promise<void> {
  await out.data(planned.plan, () => printable(stringify(planned.plan)).trimEnd());
  for (const line of costLines(planned)) out.note(line);
}

function costLines({ costUsd, estimate }: GoalReport): string[] {
  const { contextUsd, mostTokens, unknown } = estimate;
  return [
    `planning cost ${money(costUsd)}`,
    `its first requests cost at least ${money(contextUsd)}${unknown === 0 ? "" : `, ${unknown} of unknown price not counted`}`,
    mostTokens === null
      ? "its subtasks have no limit of tokens"
      : `at most ${mostTokens} tokens by the budgets of its roles`,
  ];
}

function commentOf(planned: GoalReport): string {
  const lines = [
    ...(planned.faults.length > 0 ? ["The plan is refused:", ...planned.faults] : []),
    ...costLines(planned),
    "Save without a change to go on; delete everything to give up.",
  ];
  return lines.map((line) => `# ${printable(line)}\n`).join("");
}

/** What the person saved, without our comments; undefined without an editor. */
function edit(text: string): string | undefined {
  const editor = process.env["VISUAL"] ?? process.env["EDITOR"];
  if (editor === undefined || editor === "") return undefined;
  const folder = mkdtempSync(join(tmpdir(), "aos-plan-"));
  try {
    const file = join(folder, "plan.yaml");
    writeFileSync(file, text, { mode: 0o600 });
    const { status } = spawnSync("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    if (status !== 0) throw new SysError("EINVAL", `the editor ended with ${status}`);
    const saved = readFileSync(file, "utf8");
    const plan = saved.replaceAll(/^#.*\n?/gm, "");
    if (plan.trim() === "")
      throw new SysError("EINTR", "the plan was left empty: nothing was started");
    return plan;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
