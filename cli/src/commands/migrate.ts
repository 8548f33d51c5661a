import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { isUp } from "../connection.ts";
import { runOffline } from "../offline.ts";

const command: Command = async ({ options, out, endpoint }) => {
  if (await isUp(endpoint))
    throw new SysError(
      "ESTATE",
      "the daemon is running, and a migration needs a database that nobody changes",
      {
        hint: "stop it with `aos down`",
      },
    );
  const schema = options.text("schema");
  if (schema !== undefined) {
    const report = await runOffline(endpoint, { do: "rollback", schema: Number(schema) }, out);
    const said = `the database has schema ${schema}; start the release that knows it, since this one changes it again`;
    return out.data(report, () => said);
  }
  const to = targetOf(options.text("to"));
  const from = options.text("from");
  const report = await runOffline(
    endpoint,
    {
      do: "migrate",
      to,
      ...(from === undefined ? {} : { from }),
    },
    out,
  );
  const isServer = to !== "sqlite";
  await out.data(report, () =>
    [
      `copied ${report.rows} rows, and compared them; ${report.findings.length} findings of the audit`,
      ...report.findings.map(({ message }) => `audit: ${message}`),
      ...(report.movedAside === null ? [] : [`the old database is in ${report.movedAside}`]),
      isServer
        ? "set AOS_DATABASE_URL, or `database` in config.yaml, before you start the daemon"
        : "unset AOS_DATABASE_URL, and remove `database` from config.yaml, before you start the daemon",
    ].join("\n"),
  );
  return report.findings.length === 0 ? 0 : 1;
};

export default command;

/** An address with a password need not be typed: `postgres` is the one of the environment. */
function targetOf(to: string | undefined): string {
  if (to === undefined)
    throw new SysError("EINVAL", "`aos migrate` needs --to", {
      hint: "--to postgres://USER@HOST/DATABASE, --to postgres (the address is in AOS_DATABASE_URL), or --to sqlite",
    });
  if (to !== "postgres") return to;
  const url = process.env["AOS_DATABASE_URL"];
  if (!url) throw new SysError("EINVAL", "AOS_DATABASE_URL is not set");
  return url;
}
