import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";

const command: Command = async (call) => {
  const {
    args: [name = ""],
    client,
    options,
    out,
  } = call;
  const force = options.text("force");
  if (force !== undefined && force !== "discard" && force !== "stop")
    throw new SysError("EINVAL", `--force must be discard or stop, not ${JSON.stringify(force)}`);
  const how = force === undefined ? {} : { force: force as "discard" | "stop" };
  const removed = await client.removeFleet({ name, ...fleetTenant(call), ...how });
  await out.data(removed, () => "");
  const { discarded, stopped } = removed;
  if (discarded + stopped > 0) out.note(`${discarded} items discarded, ${stopped} runs stopped`);
};

export default command;
