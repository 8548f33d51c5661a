import type { Command } from "../command.ts";
import { formatTenant } from "../format-tenant.ts";

const command: Command = async ({ args: [name = ""], client, out }) => {
  const tenant = await client.tenant({ name });
  await out.data(tenant, () => formatTenant(tenant));
};

export default command;
