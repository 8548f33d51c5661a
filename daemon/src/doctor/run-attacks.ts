// Run attacks: loads the optional package of attacks on demand.
//
// RUN-ATTACKS-1  The package is loaded only when attacks are requested.
// RUN-ATTACKS-2  If it is not installed, the error says how to install it.

import { fileURLToPath } from "node:url";
import { type AttemptedAttack, SysError } from "@aos/protocol";
import { kernelOptionsOf } from "../config.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import { DAEMON_VERSION } from "../version.ts";
import { liveSource } from "./live-source.ts";

type Attacked = Pick<GatewayContext, "kernel" | "config" | "home" | "sandbox">;

interface Wish {
  /** Letters of groups, and ids of attacks; all unless said. */
  readonly only?: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

export async function runAttackPackage(
  { kernel, config, home, sandbox }: Attacked,
  request: Wish,
): Promise<AsyncIterable<AttemptedAttack>> {
  const attacks = await loadAttacks();
  const source = await liveSource(kernel, kernelOptionsOf(config, home));
  return attacks.runAttacks({ ...source, sandbox }, request);
}

const importAttacks = () => import("@aos/attacks");

export async function loadAttacks(load: typeof importAttacks = importAttacks) {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const installation = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
    throw new SysError("ENOENT", "the package @aos/attacks is not installed", {
      hint: `it is the folder \`attacks\` of release ${DAEMON_VERSION}: with it in ${installation}, run \`npm install --prefix ${installation}\` and restart the daemon`,
    });
  }
}
