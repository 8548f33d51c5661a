// Run to end: what people ask of the files and the memory of a tenant is done by a short process, so that the gate
// judges it and the journal has it. It holds the capabilities that the caller names and nothing else.

import { SysError, type Json, type Label, type OperationArgs } from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import type { GatewayContext, OperationCall } from "./gateway-context.ts";
import { readSpawn } from "./read-spawn.ts";
import { refuseIfClosing } from "./until-closing.ts";

export interface ShortRun {
  readonly agent: string;
  readonly program: string;
  readonly capabilities: readonly string[];
  readonly input: unknown;
  /** As people call it, when it takes too long. */
  readonly what: string;
  readonly tenant?: string | undefined;
  /** Of its input; trusted and public unless said. */
  readonly label?: Label | undefined;
  readonly budget?: { readonly usd: number };
  readonly timeoutMs?: number;
}

const MOST_WAIT_MS = 60_000;

export async function runToEnd(
  gateway: GatewayContext,
  run: ShortRun,
  { caller, signal }: OperationCall,
): Promise<{ readonly pid: string; readonly output: Json }> {
  const { agent: name, program, capabilities, input, what, tenant, label, budget } = run;
  const { kernel, policy, closing } = gateway;
  if (tenant !== undefined) await refuseUnknownTenant(gateway, tenant);
  const manifest = { apiVersion: "aos/v1", kind: "Agent", name, program, capabilities };
  const limited = budget === undefined ? manifest : { ...manifest, budget };
  const request = readSpawn(gateway, {
    manifest: { file: `${name}.yaml`, text: JSON.stringify(limited) },
    input: input as Json,
    ...omitUndefined({ tenant }),
  } satisfies OperationArgs<"spawn">);
  const pid = await policy.admit([], () =>
    kernel.spawn({ ...request, ...omitUndefined({ label }), by: caller.id }),
  );
  const { timeoutMs = MOST_WAIT_MS } = run;
  const { state, output, error } = await kernel.wait(pid, { signal, timeoutMs });
  refuseIfClosing(closing, pid);
  if (error !== null) throw SysError.from(error);
  if (state !== "completed")
    throw new SysError("ETIMEDOUT", `${what} is still ${state}`, {
      hint: `\`aos wait ${pid}\` has its answer; a person may have to approve it: \`aos approvals\``,
    });
  return { pid, output };
}

/** A spawn would make the tenant. */
async function refuseUnknownTenant({ kernel }: GatewayContext, tenant: string): Promise<void> {
  if ((await kernel.tenants()).some(({ name }) => name === tenant)) return;
  throw new SysError("ENOENT", `unknown tenant ${tenant}`, {
    hint: "`aos tenant ls` lists the tenants",
  });
}
