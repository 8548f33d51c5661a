import { setTimeout as sleep } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { type EvalReport, exitCodes, SysError } from "@aos/protocol/words";
import type { Command, CommandCall } from "../command.ts";
import { budgetOption, evalRequest } from "../eval-files.ts";
import { comparisonText, evalMarkdown, evalText, whyNot } from "../eval-text.ts";
import { junitText } from "../junit.ts";
import { printUntrusted } from "../print-untrusted.ts";
import { startProgress } from "../progress.ts";
import { readNumberOption } from "../read-number.ts";
import { waitForEnd } from "../wait-for-end.ts";

const FIRST_LOOK_MS = 500;
const MOST_BETWEEN_MS = 10_000;

const command: Command = async (call) => {
  const { client, options, out } = call;
  const pid = await chosen(call);
  if (!options.flag("wait")) {
    await out.data({ pid }, () => pid);
    return;
  }
  out.note(`${pid}; it goes on without this command: aos eval --resume ${pid}`);
  await follow(call, pid);
  const report = await client.eval({ pid });
  writeReports(call, report);
  const baseline = options.text("compare");
  const comparison =
    baseline === undefined ? undefined : await client.compareEvals({ pid: baseline, other: pid });
  await out.data(comparison === undefined ? report : { ...report, comparison }, () =>
    [evalText(report), ...(comparison === undefined ? [] : ["", comparisonText(comparison)])].join(
      "\n",
    ),
  );
  const isWorse = comparison?.pairs.some(({ differences }) =>
    differences.some(({ says, scorer }) => says === "worse" && isGate(report, scorer)),
  );
  return exitCodeOf(report, isWorse === true);
};

export default command;

const isGate = ({ variantReports: [first] }: EvalReport, scorer: string): boolean =>
  scorer === "passed" || first?.scores.some((one) => one.name === scorer && one.isGate) === true;

/** A new one, one that goes on, or the rest of one that ended. */
async function chosen(call: CommandCall): Promise<string> {
  const { client, args, options, out } = call;
  const resumed = options.text("resume");
  if ((resumed === undefined) === (args[0] === undefined))
    throw new SysError("EINVAL", "give a file, or --resume with an evaluation", {
      hint: "aos eval FILE, or aos eval --resume PID; aos eval ls lists evaluations",
    });
  if (resumed === undefined) {
    const request = evalRequest(call);
    const { pid, cells } = await client.startEval(request);
    await printUntrusted(call, [
      request.cwd,
      ...(request.agentFolders ?? []).map((one) => one.folder),
    ]);
    out.note(`${cells} runs`);
    return pid;
  }
  const report = await client.eval({ pid: resumed });
  const isWhole = report.results.every(({ state }) => state === "passed" || state === "failed");
  if (report.endedAt === null || isWhole) return report.pid;
  const budget = budgetOption(options);
  const concurrency = readNumberOption(options.text("concurrency"), "--concurrency");
  const { pid } = await client.resumeEval({
    pid: report.pid,
    ...(budget === undefined ? {} : { budget }),
    ...(concurrency === undefined ? {} : { concurrency }),
  });
  return pid;
}

async function follow(call: CommandCall, pid: string): Promise<void> {
  const progress = startProgress(call.out, "eval", { unit: "runs" });
  const over = new AbortController();
  const looking = look(call, pid, progress, over.signal);
  try {
    await waitForEnd(call, pid);
  } finally {
    over.abort();
    await looking;
    progress.stop();
  }
}

async function look(
  { client, out }: CommandCall,
  pid: string,
  progress: ReturnType<typeof startProgress>,
  signal: AbortSignal,
): Promise<void> {
  if (out.format !== "text" || !process.stderr.isTTY) return;
  let betweenMs = FIRST_LOOK_MS;
  while (!signal.aborted) {
    await sleep(betweenMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const begun = performance.now();
    try {
      const { done, cells, totalUsd } = await client.eval({ pid });
      progress.at(done, cells, `$${totalUsd.toFixed(4)}`);
    } catch {
      // The daemon restarts: waitForEnd says so.
    }
    betweenMs = Math.min(
      MOST_BETWEEN_MS,
      Math.max(FIRST_LOOK_MS, 10 * (performance.now() - begun)),
    );
  }
}

function writeReports({ options }: Pick<CommandCall, "options">, report: EvalReport): void {
  const [markdown, junit] = [options.text("markdown"), options.text("junit")];
  if (markdown !== undefined) write(markdown, evalMarkdown(report));
  if (junit === undefined) return;
  const tests = report.results.map((cell) => ({
    name: `${cell.case}${report.repeat > 1 ? ` #${cell.repeat}` : ""}`,
    file: cell.variant,
    ok: cell.state === "passed",
    ms: cell.latencyMs,
    problems: cell.state === "passed" ? [] : [`${cell.state}: ${whyNot(cell)}`],
    calls: cell.steps,
    usd: cell.usd,
    pid: cell.pid,
  }));
  write(junit, junitText(tests, ""));
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new SysError("EINVAL", `cannot write ${file}: ${(error as Error).message}`);
  }
}

/** 0, 1 for a threshold or a regression, 64 where budget was lacking, and that of the process where it failed. */
function exitCodeOf({ error, thresholds, results, state }: EvalReport, isWorse: boolean): number {
  if (state !== "completed") return error === null ? exitCodes.killed : exitCodes.failed;
  if (results.some((cell) => cell.state === "no budget")) return exitCodes.budget;
  if (isWorse || thresholds.some(({ isMet }) => !isMet)) return exitCodes.failed;
  return exitCodes.success;
}
