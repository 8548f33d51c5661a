// Resolves a fleet that a caller writes: its text, and the agent that it names.
//
// READ-FLEET-1  The agent is what it is now: its manifest is a part of the version that is written.

import type { FleetRequest } from "@aos/kernel";
import { fleetSchema, type OperationArgs } from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import { readYaml } from "../yaml-file.ts";
import type { Caller } from "./caller.ts";
import { readSpawn, type SpawnPaths } from "./read-spawn.ts";

interface ReadFleet {
  readonly text: FleetRequest;
  /** Whose policies bind its runs. */
  readonly folders: readonly string[];
}

export function readFleetRequest(
  places: SpawnPaths,
  args: OperationArgs<"rollFleet">,
  { name: by }: Pick<Caller, "name">,
): ReadFleet {
  const { fleet, manifest, folder, cwd, workspace, tenant } = args;
  const { written, read } = readYaml(fleet.text, fleet.file, fleetSchema);
  const named = manifest === undefined ? { agent: read.agent } : { manifest };
  const found =
    read.manifest !== undefined
      ? { folder }
      : readSpawn(places, { ...named, folder, cwd, tenant } as OperationArgs<"spawn">);
  const source = omitUndefined({
    manifest: "manifest" in found ? found.manifest : undefined,
    registeredAs: "registeredAs" in found ? found.registeredAs : undefined,
    folder: found.folder,
    workspace,
  });
  const folders = [source.folder, workspace?.folder, cwd].filter((one) => one !== undefined);
  return { text: { fleet: written, source, by, ...omitUndefined({ tenant }) }, folders };
}
