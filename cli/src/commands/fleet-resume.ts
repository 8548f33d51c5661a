import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";
import { formatFleet } from "../format-fleet.ts";

const command: Command = async (call) => {
  const {
    args: [name = ""],
    client,
    out,
  } = call;
  const fleet = await client.resumeFleet({ name, ...fleetTenant(call) });
  await out.data(fleet, () => formatFleet(fleet));
};

export default command;
