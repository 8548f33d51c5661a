// FleetDraft: a fleet as it is sent to the daemon, from a file.

import { dirname, resolve } from "node:path";
import type { OperationArgs } from "@aos/protocol";
import type { CommandCall } from "./command.ts";
import { readFile } from "./read-file.ts";
import { agentFiles, writtenFields } from "./schedule-draft.ts";
import { workspaceOption } from "./spawn-agent.ts";

type Draft = Omit<OperationArgs<"rollFleet">, "name"> & { readonly name: string };

export function fleetDraft({ options, endpoint }: CommandCall, given: string): Draft {
  const fleet = readFile(given);
  const { name, agent } = writtenFields(fleet.text);
  const tenant = options.text("tenant");
  return {
    name: typeof name === "string" ? name : "",
    fleet,
    ...agentFiles(agent, dirname(resolve(fleet.file)), endpoint),
    ...workspaceOption(options),
    cwd: process.cwd(),
    ...(tenant === undefined ? {} : { tenant }),
  };
}

/** The tenant that `--tenant` names. */
export const fleetTenant = ({ options }: Pick<CommandCall, "options">): { tenant?: string } => {
  const tenant = options.text("tenant");
  return tenant === undefined ? {} : { tenant };
};
