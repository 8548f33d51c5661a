import type { Command } from "../command.ts";
import { readCeilingOptions } from "../ceiling-options.ts";
import { formatTenant } from "../format-tenant.ts";

const command: Command = async ({ args: [name = ""], client, options, out }) => {
  const tenant = await client.setTenant({ name, ...readCeilingOptions(options) });
  if (tenant.stopped > 0) out.note(`${tenant.stopped} running calls were stopped`);
  await out.data(tenant, () => formatTenant(tenant));
};

export default command;
