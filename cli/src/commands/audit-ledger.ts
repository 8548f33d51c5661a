import type { Command } from "../command.ts";
import { readNumberOption } from "../read-number.ts";
import { table } from "../table.ts";

const MOST_CHARS = 120;

const command: Command = async ({ client, options, out }) => {
  const limit = readNumberOption(options.text("limit"), "--limit");
  const entries = await client.ledger(limit === undefined ? {} : { limit });
  await out.data(entries, () =>
    table(
      ["AT", "BY", "WHAT", "DETAIL"],
      entries.map(({ at, by, what, detail }) => {
        const text = JSON.stringify(detail);
        const isLong = !out.isWide && text.length > MOST_CHARS;
        return [at, by, what, isLong ? `${text.slice(0, MOST_CHARS)}…` : text];
      }),
    ),
  );
};

export default command;
