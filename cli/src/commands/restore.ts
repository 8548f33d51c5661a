import { join, resolve } from "node:path";
import type { RestoreReport } from "@aos/protocol";
import type { Command } from "../command.ts";
import { runOffline } from "../offline.ts";
import { readPassphrase } from "../read-passphrase.ts";

const command: Command = async ({ args, options, out, endpoint }) => {
  const file = resolve(args[0] ?? "");
  const home = resolve(options.text("home") ?? endpoint.home);
  const place =
    options.text("home") === undefined ? endpoint : { home, socket: join(home, "aos.sock") };
  const passphrase = await readPassphrase(options, { isNew: false });
  const database = options.text("database");
  const report = await runOffline(
    place,
    {
      do: "restore",
      file,
      passphrase,
      force: options.flag("force"),
      skipReplay: options.flag("skipReplay"),
      dryRun: options.flag("dryRun"),
      ...(database === undefined ? {} : { database }),
    },
    out,
  );
  if (!report.dryRun) sayIdentity(report, out.note);
  await out.data(report, () => say(report));
};

export default command;

function say(report: RestoreReport): string {
  const { dryRun, home, processes, records, identical, compacted, notReplayed, different } = report;
  const lines = [
    `${dryRun ? "would restore" : "restored"} ${home}: ${processes} runs, ${records} records, as of ${report.endedAt}`,
    `${identical} runs replayed byte for byte${compacted === 0 ? "" : `, ${compacted} have no history any more`}`,
    ...notReplayed.map(({ pid, reason }) => `${pid} was not replayed: ${reason}`),
    ...different.map(({ pid, reason }) => `${pid} does not replay as recorded: ${reason}`),
    ...report.findings.map(({ message }) => `audit: ${message}`),
    ...(report.movedAside === null ? [] : [`what was there before is in ${report.movedAside}`]),
  ];
  return lines.join("\n");
}

/** Two daemons that are one do the same things twice. */
function sayIdentity({ living }: RestoreReport, note: (text: string) => void): void {
  note(
    "this home has the identity of the one that the backup was made of: keys, pids and leases. Never run both.",
  );
  if (living > 0)
    note(
      `${living} runs go on when a daemon starts here. What they did after the backup is not known to them, and they may do it again.`,
    );
}
