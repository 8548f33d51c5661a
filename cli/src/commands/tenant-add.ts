import type { Command } from "../command.ts";
import { readCeilingOptions } from "../ceiling-options.ts";
import { formatTenant } from "../format-tenant.ts";

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const { remove: _none, ...setting } = readCeilingOptions(options);
  const tenant = await client.addTenant({ name, ...setting });
  await out.data(tenant, () => formatTenant(tenant));
};

export default command;
