// Resolves a schedule that a caller writes: its text, and the agent that it names.
//
// READ-SCHEDULE-1  An agent of the home, or a program, stays a name: its manifest is read when a tick starts it. One of
//     a project or of a file is as it was when the schedule was written.

import type { ScheduleRequest } from "@aos/kernel";
import { scheduleSchema, SysError, type OperationArgs } from "@aos/protocol";
import { omitUndefined } from "../omit-undefined.ts";
import { readYaml } from "../yaml-file.ts";
import type { Caller } from "./caller.ts";
import { readSpawn, type SpawnPaths } from "./read-spawn.ts";

interface ReadSchedule {
  readonly text: ScheduleRequest;
  /** Whose policies bind its runs. */
  readonly folders: readonly string[];
}

export function readScheduleRequest(
  places: SpawnPaths,
  args: OperationArgs<"createSchedule">,
  { name: by, tenant: ofCaller }: Pick<Caller, "name" | "tenant">,
): ReadSchedule {
  const { schedule, manifest, folder, cwd, workspace, tenant } = args;
  const { written, read } = readYaml(schedule.text, schedule.file, scheduleSchema);
  if (read.on?.files !== undefined && ofCaller !== null)
    throw new SysError("EACCES", "on: files: callers of a tenant name no folder of the machine");
  const named = manifest === undefined ? { agent: read.agent } : { manifest };
  const found =
    read.manifest !== undefined
      ? { folder }
      : readSpawn(places, { ...named, folder, cwd, tenant } as OperationArgs<"spawn">);
  const isByName = "registeredAs" in found || !("manifest" in found);
  const source = omitUndefined({
    manifest: isByName ? undefined : found.manifest,
    folder: found.folder,
    workspace,
  });
  const folders = [source.folder, workspace?.folder, cwd].filter((one) => one !== undefined);
  return { text: { schedule: written, source, by, ...omitUndefined({ tenant }) }, folders };
}
