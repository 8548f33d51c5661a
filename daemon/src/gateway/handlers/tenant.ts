// Handlers of operations about tenants. Only callers of all tenants may create one or set its ceiling.

import { SysError, type TenantReport, type tenantOperations } from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

export const tenantHandlers: HandlersOf<typeof tenantOperations> = {
  tenants: ({ kernel }) => kernel.tenants(),
  tenant: ({ kernel }, { name }) => reportOf(kernel, name),
  async addTenant({ kernel, onAct }, { name, ...setting }, { caller }) {
    await kernel.addTenant(name, omitUndefined(setting), caller.name);
    onAct("a tenant was added", { by: caller.name, tenant: name });
    return reportOf(kernel, name);
  },
  async setTenant({ kernel, onAct }, { name, ...change }, { caller }) {
    const { stopped } = await kernel.setTenant(name, omitUndefined(change), caller.name);
    onAct("the ceiling of a tenant was set", { by: caller.name, tenant: name, stopped });
    return { ...(await reportOf(kernel, name)), stopped };
  },
  async removeTenant({ kernel, tokens, onAct }, { name }, { caller }) {
    await kernel.removeTenant(name, caller.name);
    const revoked = tokens.list().filter(({ tenant }) => tenant === name);
    for (const { id, kind } of revoked) if (kind === "token") tokens.revoke(id);
    onAct("a tenant was removed", { by: caller.name, tenant: name });
    return { name, tokens: revoked.filter(({ kind }) => kind === "token").length };
  },
};

/** ENOENT, in the kernel's words, where there is none. */
async function reportOf(kernel: GatewayContext["kernel"], name: string): Promise<TenantReport> {
  await kernel.status({ tenant: name });
  const found = (await kernel.tenants()).find((one) => one.name === name);
  if (found === undefined) throw new SysError("ENOENT", `unknown tenant ${name}`);
  return found;
}
