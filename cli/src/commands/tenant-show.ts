import type { Command } from "../command.ts";
import { sayTenant } from "../say-tenant.ts";

const command: Command = async ({ args: [name = ""], client, out }) => {
  const tenant = await client.tenant({ name });
  await out.data(tenant, () => sayTenant(tenant));
};

export default command;
