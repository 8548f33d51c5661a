import type { Command } from "../command.ts";
import { readCeiling } from "../ceiling-options.ts";
import { sayTenant } from "../say-tenant.ts";

export const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const { remove: _none, ...setting } = readCeiling(options);
  const tenant = await client.addTenant({ name, ...setting });
  await out.data(tenant, () => sayTenant(tenant));
};
