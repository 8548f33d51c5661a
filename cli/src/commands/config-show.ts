import type { ConfigReport, SettingReport } from "@aos/protocol/words";
import { colors } from "../colors.ts";
import type { Command } from "../command.ts";
import { NoDaemon } from "../daemon-fetch.ts";
import { queryDaemonProgram } from "../daemon-process.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, args, options, out, endpoint }) => {
  let isUp = true;
  const report = await client.config().catch((error: unknown) => {
    if (!(error instanceof NoDaemon) || endpoint.remote !== undefined) throw error;
    isUp = false;
    return queryDaemonProgram<ConfigReport>(endpoint, ["--show-config"]);
  });
  const [prefix = ""] = args;
  const settings = report.settings.filter(
    ({ name, source, next }) =>
      name.startsWith(prefix) &&
      (!options.flag("changed") || source !== "default" || next !== undefined),
  );
  if (!isUp) out.note("no daemon is running; these are the settings of the next start");
  if (report.problem !== undefined)
    out.note(`the file has errors, so the previous settings stay in force:\n${report.problem}`);
  await out.data({ ...report, settings }, () => text(settings, report.file));
  const waiting = settings.filter(({ next }) => next !== undefined).length;
  if (waiting > 0)
    out.note(`${waiting} settings take effect at the next start: aos down && aos up -d`);
};

export default command;

function text(settings: readonly SettingReport[], file: string): string {
  return table(
    ["SETTING", "VALUE", "FROM"],
    settings.map(({ name, value, source, where, next }) => [
      name,
      next === undefined ? said(value) : `${said(value)} (then ${said(next)})`,
      source === "default" ? colors.dim("default") : from(source, where ?? "", file),
    ]),
  );
}

const said = (value: unknown): string =>
  value === null ? "-" : printable(typeof value === "string" ? value : JSON.stringify(value));

function from(source: string, where: string, file: string): string {
  if (source === "environment") return `environment ${where}`;
  if (source === "flag") return `flag ${where}`;
  return where.startsWith(file) ? `config.yaml${where.slice(file.length)}` : where;
}
