import type { Command } from "../command.ts";
import { readCeilingOptions } from "../ceiling-options.ts";
import { sayTenant } from "../say-tenant.ts";

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const tenant = await client.setTenant({ name, ...readCeilingOptions(options) });
  if (tenant.stopped > 0) out.note(`${tenant.stopped} running calls were stopped`);
  await out.data(tenant, () => sayTenant(tenant));
};

export default command;
