// RemotePaths: handles paths of this machine, which mean nothing to a remote daemon or to a caller of one tenant.
//
// REMOTE-PATHS-1  The current folder and the folder of a manifest are hints and are omitted.
// REMOTE-PATHS-2  A command that needs a path is refused here, before anything is sent.

import type { Client } from "@aos/client";
import { SysError } from "@aos/protocol/failures";
import { operationNames, routes, type OperationName } from "@aos/protocol/routes";
import type { RemoteEndpoint } from "./endpoint.ts";

type Args = Record<string, unknown>;
type Method = (args?: Args, more?: object) => unknown;

export function withoutPaths(client: Client, { isHere, url }: RemoteEndpoint): Client {
  const meets = async (): Promise<boolean> => isHere && (await client.whoAmI()).tenant === null;
  const methods = operationNames.map((name) => {
    const method = client[name] as Method;
    const sent = async (args: Args) => ((await meets()) ? args : pathless(name, args, url));
    const whole: Method = (args = {}, more) =>
      hasPath(name, args) ? sent(args).then((left) => method(left, more)) : method(args, more);
    const stream: Method = (args = {}, more) =>
      hasPath(name, args) ? later(sent(args), (left) => method(left, more)) : method(args, more);
    return [name, routes[name].streams ? stream : whole];
  });
  return Object.fromEntries(methods) as Client;
}

async function* later(sent: Promise<Args>, method: (args: Args) => unknown): AsyncGenerator {
  yield* method(await sent) as AsyncIterable<unknown>;
}

const hasPath = (name: OperationName, args: Args): boolean =>
  routes[name].paths.some((path) => args[path] !== undefined);

function pathless(name: OperationName, args: Args, url: string): Args {
  const { cwd: _, ...left } = args;
  // REMOTE-PATHS-1. A manifest comes along as text.
  if (name === "spawn" || name === "estimateSpawn") delete left["folder"];
  if (!hasPath(name, left)) return left;
  // REMOTE-PATHS-2.
  throw new SysError(
    "EINVAL",
    `this command uses a path of this machine, but the daemon runs at ${url}`,
    {
      hint: "run it on the daemon's machine, or unset AOS_URL to use the local daemon",
    },
  );
}
