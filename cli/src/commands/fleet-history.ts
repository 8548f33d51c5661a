import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";
import { readLimit, printMoreHint } from "../list-page.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const MOST = 1000;

const command: Command = async (call) => {
  const {
    args: [name = ""],
    client,
    options,
    out,
  } = call;
  const limit = readLimit(options, { usual: 100, most: MOST });
  const olderThan = options.text("after");
  const events = await client.fleetEvents({
    name,
    limit,
    ...fleetTenant(call),
    ...(olderThan === undefined ? {} : { olderThan }),
  });
  await out.data(events, () =>
    table(
      ["AT", "WHAT", "BY", "DETAIL", "+ID"],
      events.map(({ at, what, by, detail, id }) => [
        at,
        what,
        printable(by),
        printable(detail),
        id,
      ]),
      out,
    ),
  );
  const last = events.at(-1);
  if (last === undefined || events.length < limit) return;
  const next = `aos fleet history ${name} -n ${limit} --after ${last.id}`;
  printMoreHint(out, { listed: events.length, most: MOST, next });
};

export default command;
