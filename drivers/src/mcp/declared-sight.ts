// Declared sight: what a server that runs for everybody can see of labelled files counts for every call of it.
//
// D1  The labels of the files below the paths that the operator declared are joined into the call's result and
//     into what the server may write.
// D2  Where the server has hosts to reach, the gate is asked about them again, with those labels: what is
//     secret is not put within reach of a call that could take it out. The server itself is not masked: it
//     runs before anybody calls it, with what the operator declared.

import type { DeviceContext } from "@aos/protocol";
import { Sight } from "../workspace/sight.ts";
import type { StdioDeclaration } from "./declaration.ts";
import { readHost } from "./declared-gate.ts";

export async function seeDeclared(
  { paths, hosts }: StdioDeclaration,
  context: DeviceContext,
): Promise<void> {
  const shown = paths.map(({ path, mode }) => ({ from: path, at: path, mode }));
  const sight = await Sight.of(shown, (folder) => context.labelsBelow(folder), false);
  if (sight.labels.length === 0) return;
  for (const label of sight.labels) context.sees(label);
  for (const written of hosts) {
    const host = readHost(written);
    if (host === undefined) continue;
    const resource = `${host.host}:${host.port}/`;
    context.authorize({ kind: "http", resource, verb: "post" }); // D2
  }
}
