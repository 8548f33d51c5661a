import type { FleetItemReport } from "@aos/protocol";
import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";
import { readLimit, printMoreHint } from "../list-page.ts";
import { money } from "../money.ts";
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
  const [olderThan, state] = [options.text("after"), options.text("state")];
  const items = await client.fleetItems({
    name,
    limit,
    ...fleetTenant(call),
    ...(olderThan === undefined ? {} : { olderThan }),
    ...(state === undefined ? {} : { state: state as FleetItemReport["state"] }),
  });
  await out.data(items, () =>
    table(
      ["ITEM", "STATE", "TRIES", "VERSION", "PID", "+SENT", "+BY", "+LABEL", "COST", "REASON"],
      items.map((item) => [
        printable(item.id),
        item.state,
        String(item.attempt + item.crashes),
        item.version === null ? "" : String(item.version),
        item.pid ?? "",
        item.sentAt,
        printable(item.sentBy),
        item.label,
        money(item.costUsd),
        printable(item.reason ?? ""),
      ]),
      out,
    ),
  );
  const last = items.at(-1);
  if (last === undefined || items.length < limit) return;
  const next = `aos fleet items ${name} -n ${limit} --after ${last.id}`;
  printMoreHint(out, { listed: items.length, most: MOST, next });
};

export default command;
