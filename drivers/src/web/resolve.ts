// Resolve: from the host of a URL to the addresses to connect to.
//
// RESOLVE-1  Every address of a name is checked once, and the connection goes to one of them without another lookup,
//     so that a changed DNS answer has no effect.
// RESOLVE-2  A non-public address is refused unless a grant names the address itself. A grant for the name is not
//     enough, because the owner of the name chooses the address.
// RESOLVE-3  `localhost` and names below it need only a grant for the name, and must resolve to loopback.

import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { type DeviceContext, SysError } from "@aos/protocol";
import { hostOfAddress, isLoopback, rangeOf } from "./address.ts";
import { type UrlTarget, touchOf } from "./url.ts";

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export const resolveByMachine: Resolve = async (host) => {
  const found = await lookup(host, { all: true, order: "verbatim" });
  return found.map(({ address }) => address);
};

/** The addresses for a target, each of them checked. */
export async function checkedAddresses(
  target: UrlTarget,
  method: string,
  gate: Pick<DeviceContext, "authorize">,
  resolve: Resolve,
): Promise<readonly string[]> {
  const literal = target.host.replace(/^\[|\]$/g, "");
  const addresses = isIP(literal) === 0 ? await resolve(target.host) : [literal];
  if (addresses.length === 0) throw new SysError("EUPSTREAM", `${target.host} has no address`);
  for (const address of addresses) checkAddress(address, target, method, gate);
  return addresses;
}

function checkAddress(
  address: string,
  target: UrlTarget,
  method: string,
  gate: Pick<DeviceContext, "authorize">,
): void {
  if (isLocalName(target.host)) {
    if (isLoopback(address)) return;
    throw new SysError("EACCES", `${target.host} resolves to ${address}, which is not loopback`);
  }
  const range = rangeOf(address);
  if (range === undefined) return;
  if (range === "no address") throw new SysError("EACCES", `${target.host} does not resolve`);
  gate.authorize(touchOf(target, method, hostOfAddress(address)));
}

const isLocalName = (host: string): boolean => host === "localhost" || host.endsWith(".localhost");
