import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";
import { percentText, replicasText, rollText } from "../format-fleet.ts";
import { money } from "../money.ts";
import { printable } from "../printable.ts";
import { table } from "../table.ts";

const HEADINGS = [
  "NAME",
  "AGENT",
  "STATE",
  "REPLICAS",
  "WAITING",
  "+OLDEST",
  "DONE",
  "DEAD",
  "ERRORS",
  "+COST",
  "MONTH",
  "ROLL",
  "+TENANT",
];

const command: Command = async (call) => {
  const { client, out } = call;
  const fleets = await client.fleets(fleetTenant(call));
  await out.data(fleets, () =>
    table(
      HEADINGS,
      fleets.map((fleet) => [
        fleet.name,
        printable(fleet.agent),
        fleet.state,
        replicasText(fleet),
        String(fleet.waiting),
        fleet.oldestAt ?? "",
        String(fleet.done),
        String(fleet.dead),
        percentText(fleet.errorRate),
        money(fleet.costUsd),
        money(fleet.month.usd),
        rollText(fleet),
        fleet.tenant,
      ]),
      out,
    ),
  );
};

export default command;
