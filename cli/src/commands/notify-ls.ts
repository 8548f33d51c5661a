import type { Command } from "../command.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const command: Command = async ({ client, options, out }) => {
  const tenant = options.text("tenant");
  const targets = await client.notifyTargets(tenant === undefined ? {} : { tenant });
  await out.data(targets, () =>
    table(
      ["NAME", "KIND", "TO", "EVENTS", "PERSON", "WAITING", "SENT", "HELD", "DEAD", "+TENANT"],
      targets.map(({ name, kind, to, events, person, counts, tenant: of }) => [
        name,
        kind,
        printable(to),
        events.join(","),
        printable(person ?? ""),
        String(counts.waiting),
        String(counts.done),
        String(counts.held),
        String(counts.dead),
        of,
      ]),
      out,
    ),
  );
  for (const { name, warnings } of targets)
    for (const warning of warnings) out.note(`${name}: ${warning}`);
};

export default command;
