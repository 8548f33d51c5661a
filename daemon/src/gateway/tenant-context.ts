// Tenant context: the context of a caller's handlers: everything, or one tenant's part.
//
// TENANT-CONTEXT-1  A caller of one tenant may not name machine paths.
// TENANT-CONTEXT-2  It is shown none either: neither the home nor its files.

import { SysError, type Operation } from "@aos/protocol";
import type { GatewayContext } from "./gateway-context.ts";
import type { Caller } from "./caller.ts";
import { tenantKernel } from "./tenant-kernel.ts";

export const tenantContext = (
  gateway: GatewayContext,
  { tenant }: Pick<Caller, "tenant">,
): GatewayContext =>
  tenant === null ? gateway : { ...gateway, kernel: tenantKernel(gateway.kernel, tenant) };

/** TENANT-CONTEXT-2. The same failure without the folders of the machine that it may name. */
export function withoutMachinePaths(
  { tenant }: Pick<Caller, "tenant">,
  { home, socket }: Pick<GatewayContext, "home" | "socket">,
  error: unknown,
): unknown {
  if (tenant === null || !(error instanceof SysError)) return error;
  const hide = (text: string) =>
    text.replaceAll(home.folder, "$AOS_HOME").replaceAll(socket, "$AOS_SOCKET");
  const text = error.toText();
  const hint = text.hint === undefined ? {} : { hint: hide(text.hint) };
  return SysError.from({ ...text, message: hide(text.message), ...hint });
}

/** TENANT-CONTEXT-1. */
export function refusePaths(
  { tenant }: Pick<Caller, "tenant">,
  { paths }: Pick<Operation, "paths">,
  args: Readonly<Record<string, unknown>>,
): void {
  if (tenant === null) return;
  const given = paths.find((name) => args[name] !== undefined);
  if (given === undefined) return;
  throw new SysError(
    "EACCES",
    `${given} is a path on the machine, and callers of the tenant ${tenant} may not use one`,
    {
      hint: "omit it; send the manifest itself, and files with the input",
    },
  );
}
