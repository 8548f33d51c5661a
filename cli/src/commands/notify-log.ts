import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { readNumberOption } from "../read-number.ts";
import { ago, table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const named = { tenant: options.text("tenant"), target: options.text("target") };
  const limit = readNumberOption(options.text("limit"), "--limit");
  const olderThan = options.text("after");
  const state = options.text("state");
  const given = { ...named, limit, olderThan, state };
  const asked = Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  );
  const rows = await client.notifications(asked);
  await out.data(rows, () =>
    table(
      ["ID", "TARGET", "KIND", "SUBJECT", "STATE", "TRIES", "AGE", "ERROR", "+TENANT"],
      rows.map((row) => [
        row.id,
        row.target,
        row.kind,
        row.subject,
        row.state,
        String(row.attempts),
        ago(row.createdAt, Date.now()),
        printable(row.error ?? "").slice(0, 80),
        row.tenant,
      ]),
      out,
    ),
  );
};

export default command;
