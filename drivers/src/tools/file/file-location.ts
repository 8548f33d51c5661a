// File location: maps the file names of agents to machine paths. An agent's workspace is `/work`; every other file
// has one name.
//
//   const place = await fileLocation(shop, context, path);
//   await withFile(place.machine(path), "read", place.gate, use)
//
// FILE-LOCATION-1  The gate is asked under the agent's name of the file that was found: a link out of a workspace is
//     judged by its target.
// FILE-LOCATION-2  Files of the daemon, other workspaces, and the machine's own `/work` have no name.
// FILE-LOCATION-3  An agent never learns the machine path of its workspace.

import { type DeviceContext, SysError, type Touch } from "@aos/protocol";
import { isIn, toAgent, toMachine } from "../../workspace/mapping.ts";
import { AGENT_ROOT } from "../../workspace/index.ts";
import { workspaceForCall, type ProgramRunner } from "../program-runner.ts";

export interface FileLocation {
  /** Where the machine has what the agent calls so. */
  machine(path: string): string;
  /** What the agent calls a real path of the machine; throws where it has no name. */
  agent(real: string): string;
  readonly gate: Pick<DeviceContext, "authorize">;
}

/** A workspace is opened only for those who name something in it. */
export async function fileLocation(
  runner: ProgramRunner,
  context: DeviceContext,
  ...paths: readonly string[]
): Promise<FileLocation> {
  const isWork = paths.some((path) => isIn(AGENT_ROOT, path));
  const root = isWork ? (await workspaceForCall(runner, context)).root : undefined;
  const agent = (real: string): string => {
    if (root !== undefined && isIn(root, real)) return toAgent(root, real);
    if (runner.private.some((place) => isIn(place, real))) throw ofTheDaemon();
    return toAgent(root ?? NO_ROOT, real);
  };
  return {
    machine: (path) => toMachine(root ?? NO_ROOT, path),
    agent,
    gate: {
      authorize: (touch: Touch) => context.authorize({ ...touch, resource: agent(touch.resource) }),
    },
  };
}

/** Nothing is in it. */
const NO_ROOT = "/nonexistent/aos-work";

const ofTheDaemon = (): SysError =>
  new SysError("EACCES", "the path belongs to the daemon, and no agent may use it", {
    hint: "the files of this agent are in /work",
  });

/** FILE-LOCATION-3. Runs something, and says what goes wrong with it in the agent's words. */
export async function atLocation<Result>(
  runner: ProgramRunner,
  context: DeviceContext,
  paths: readonly string[],
  use: (place: FileLocation) => Promise<Result>,
): Promise<Result> {
  const place = await fileLocation(runner, context, ...paths);
  const root = place.machine(AGENT_ROOT);
  try {
    return await use(place);
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    const message = error.message.replaceAll(root, AGENT_ROOT);
    if (message === error.message) throw error;
    throw new SysError(error.code, message, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      ...(error.detail === undefined ? {} : { detail: error.detail }),
    });
  }
}
