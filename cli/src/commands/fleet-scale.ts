import { SysError } from "@aos/protocol/words";
import type { Command } from "../command.ts";
import { fleetTenant } from "../fleet-draft.ts";
import { formatFleet } from "../format-fleet.ts";
import { readNumberOption } from "../read-number.ts";

const command: Command = async (call) => {
  const {
    args: [name = "", fixed],
    client,
    options,
    out,
  } = call;
  const count = readNumberOption(fixed, "REPLICAS");
  const min = readNumberOption(options.text("min"), "--min");
  const max = readNumberOption(options.text("max"), "--max");
  if ((count === undefined) === (min === undefined && max === undefined))
    throw new SysError("EINVAL", "pass either the number of replicas, or --min and --max");
  const fleet = await client.scaleFleet({
    name,
    ...fleetTenant(call),
    ...(count === undefined ? {} : { min: count, max: count }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
  });
  await out.data(fleet, () => formatFleet(fleet));
};

export default command;
