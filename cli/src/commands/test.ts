import { existsSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { AgentTestReport } from "@aos/protocol";
import { exitCodes, SysError } from "@aos/protocol/words";
import { colors } from "../colors.ts";
import type { Command } from "../command.ts";
import { junitText } from "../junit.ts";
import { printable } from "../printable.ts";
import { startProgress } from "../progress.ts";

const OF_PROJECT = join(".agents", "tests");

const command: Command = async ({ args, client, options, out }) => {
  const only = options.text("only");
  const junit = options.text("junit");
  const paths = args.length > 0 ? args.map((path) => resolve(path)) : [ofThisProject()];
  const reports: AgentTestReport[] = [];
  const progress = startProgress(out, "tests", { unit: "tests" });
  try {
    const asked = { paths, ...(only === undefined ? {} : { only }) };
    for await (const report of client.runTests(asked)) {
      reports.push(report);
      progress.hide();
      if (out.format === "text") await out.line(report, () => lineOf(report));
      progress.at(reports.length);
    }
  } finally {
    progress.stop();
  }
  const ordered = reports.toSorted((one, other) => (one.file < other.file ? -1 : 1));
  if (junit !== undefined) writeJunit(junit, ordered);
  const failed = ordered.filter(({ ok }) => !ok);
  const isOk = failed.length === 0;
  await out.data({ ok: isOk, tests: ordered }, () => failed.map(problemsOf).join("\n"));
  out.note(`${ordered.length - failed.length} of ${ordered.length} tests passed`);
  return isOk ? exitCodes.success : exitCodes.failed;
};

export default command;

function ofThisProject(): string {
  if (existsSync(OF_PROJECT) && statSync(OF_PROJECT).isDirectory()) return resolve(OF_PROJECT);
  throw new SysError("EINVAL", `there are no tests: this folder has no ${OF_PROJECT}`, {
    hint: "write one, make one with `aos test record PID`, or say where they are",
  });
}

const nameOf = ({ file, name }: AgentTestReport): string =>
  printable(`${relative(process.cwd(), file)}: ${name}`);

const lineOf = (report: AgentTestReport): string =>
  `${report.ok ? "ok" : colors.red("no")}  ${nameOf(report)} (${report.ms} ms)`;

const problemsOf = (report: AgentTestReport): string =>
  [
    `\n${colors.red(nameOf(report))}`,
    ...report.problems.map((problem) => `  - ${printable(problem)}`),
  ].join("\n");

function writeJunit(file: string, reports: readonly AgentTestReport[]): void {
  try {
    writeFileSync(file, junitText(reports, process.cwd()));
  } catch (error) {
    throw new SysError("EINVAL", `cannot write ${file}: ${(error as Error).message}`);
  }
}
