import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const tenant = options.text("tenant");
  const spaces = await client.memoryStats(tenant === undefined ? {} : { tenant });
  await out.data(spaces, () =>
    spaces.length === 0
      ? "There is no memory that outlives a process."
      : table(
          ["SPACE", "ROWS", "BYTES", "KINDS", "LABELS", "+OLDEST", "NEWEST"],
          spaces.map(({ space, rows, bytes, kinds, labels, oldest, newest }) => [
            printable(space),
            String(rows),
            String(bytes),
            counts(kinds),
            counts(labels),
            oldest,
            newest,
          ]),
          out,
        ),
  );
};

const counts = (of: Readonly<Record<string, number>>): string =>
  Object.entries(of)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

export default command;
