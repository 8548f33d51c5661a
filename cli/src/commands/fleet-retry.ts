import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";

const command: Command = async (call) => {
  const {
    args: [name = "", id = ""],
    client,
    out,
  } = call;
  const item = await client.retryFleetItem({ name, item: id, ...fleetTenant(call) });
  await out.data(item, () => item.id);
};

export default command;
