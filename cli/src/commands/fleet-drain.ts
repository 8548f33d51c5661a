import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";
import { formatFleet } from "../format-fleet.ts";

const command: Command = async (call) => {
  const {
    args: [name = ""],
    client,
    options,
    out,
  } = call;
  const reason = options.text("reason");
  const said = reason === undefined ? {} : { reason };
  const fleet = await client.drainFleet({ name, ...fleetTenant(call), ...said });
  await out.data(fleet, () => formatFleet(fleet));
};

export default command;
