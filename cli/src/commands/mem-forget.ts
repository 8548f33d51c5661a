import { SysError, exitCodes } from "@aos/protocol/words";
import { askYes } from "../ask-person.ts";
import type { Command } from "../command.ts";

type Report = Awaited<ReturnType<Parameters<Command>[0]["client"]["forgetMemory"]>>;

/** What would go is shown, and goes once a person has said yes. */
const command: Command = async ({ client, options, out }) => {
  const text = (name: string) => {
    const said = options.text(name);
    return said === undefined ? {} : { [name]: said };
  };
  const given = Object.assign({}, ...["about", "path", "pid", "writer", "tenant"].map(text));
  const found = await client.forgetMemory({ ...given, dryRun: true });
  const isDry = options.flag("dryRun");
  if (isDry || isNothing(found)) {
    await out.data(found, () => shown(found));
    return exitOf(found, isDry);
  }
  if (!options.flag("yes")) {
    process.stderr.write(`${shown(found)}\n`);
    if (!(await askYes("This cannot be undone. Forget all of it? Type yes: ")))
      throw new SysError("EINVAL", "nothing was removed", {
        hint: "without a terminal pass --yes; --dry-run only shows what would go",
      });
  }
  const report = await client.forgetMemory({ ...given, stop: options.flag("stop") });
  await out.data(report, () => shown(report));
  return exitOf(report, false);
};

/** What stays is a failure: who asked has to know. */
const exitOf = ({ left }: Report, isDry: boolean): number =>
  !isDry && left.some(({ because }) => because === "running" || because === "damaged")
    ? exitCodes.failed
    : exitCodes.success;

const counted = [
  ["files", "files of memory"],
  ["records", "journal records"],
  ["values", "large values"],
  ["results", "outputs and errors of runs"],
  ["messages", "messages"],
  ["questions", "questions to people"],
] as const satisfies readonly (readonly [keyof Report, string])[];

const isNothing = (report: Report): boolean =>
  report.left.length === 0 && counted.every(([name]) => report[name] === 0);

const REASONS: Readonly<Record<Report["left"][number]["because"], string>> = {
  running: "has not ended and needs it: end it and run the command again, or pass --stop",
  damaged: "has records that are not what was written: see aos audit verify",
  ledger: "entries of the ledger have it: what people did is not erased",
  manifest: "manifests of agents have it",
  label: "labels of files name a path that has it",
  structure: "has it in its capabilities or other fixed parts",
};

function shown(report: Report): string {
  if (isNothing(report)) return "nothing was found";
  const verb = report.dryRun ? "would remove" : "removed";
  const counts = counted.flatMap(([name, what]) =>
    report[name] === 0 ? [] : [`${verb} ${report[name]} ${what}`],
  );
  const more = report.files - report.paths.length;
  return [
    ...counts,
    ...report.paths.map((path) => `  ${path}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(report.runs.length > 0
      ? [`runs that cannot be replayed any more: ${report.runs.join(", ")}`]
      : []),
    ...report.left.map(({ because, pid, rows }) => `stays: ${pid ?? rows} ${REASONS[because]}`),
  ].join("\n");
}

export default command;
