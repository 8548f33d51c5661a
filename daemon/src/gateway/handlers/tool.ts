// Handlers of operations about agents by name and tools.
//
// TOOL-HANDLERS-1  A call by an operator is an ordinary process: judged and recorded.

import { capabilitiesFor } from "@aos/kernel";
import {
  DEFAULT_TENANT,
  nearest,
  SysError,
  type Tool,
  type ToolScope,
  type toolOperations,
} from "@aos/protocol";
import { omitUndefined } from "../../omit-undefined.ts";
import { folderProblems } from "../../tools/folder-problems.ts";
import { syscallToolList } from "../../tools/syscall-tool-list.ts";
import { agentFolders } from "../../agents.ts";
import { listAgents } from "../agent-list.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";
import { toolDetailOf, toolReportOf } from "../tool-reports.ts";

const scopeOf = (cwd: string | undefined): ToolScope => ({
  tenant: DEFAULT_TENANT,
  folders: cwd === undefined ? [] : [cwd],
});

export const toolHandlers: HandlersOf<typeof toolOperations> = {
  async tools({ kernel, search: find }, { cwd, search }) {
    const known = [...(await kernel.tools(scopeOf(cwd))), ...syscallToolList];
    if (search === undefined || search.trim() === "") return known.map(toolReportOf);
    const found = await find(
      known.map(({ tool }) => tool),
      search,
    );
    return found.flatMap(({ name, score, searchedBy }) => {
      const one = known.find(({ tool }) => tool.name === name);
      return one === undefined ? [] : [{ ...toolReportOf(one), score, searchedBy }];
    });
  },
  async tool(gateway, { name, cwd }) {
    return toolDetailOf(await named(gateway, name, cwd));
  },
  async callTool(
    gateway,
    { name, args = {}, cwd, workspace, capabilities, timeoutMs },
    { caller },
  ) {
    const { kernel, policy } = gateway;
    const { tool } = await named(gateway, name, cwd);
    const refusal = tool.refuses?.(args);
    if (refusal !== undefined) throw new SysError("EINVAL", `${name}: ${refusal}`);
    const may = capabilities ?? mayTouch(tool, args, workspace);
    const request = {
      manifest: {
        apiVersion: "aos/v1" as const,
        kind: "Agent" as const,
        name: "tool-call",
        program: "call",
        tools: [name],
        capabilities: [...new Set([`tool:${name}:call`, ...may])],
      },
      input: { tool: name, args, ...omitUndefined({ timeoutMs }) },
      ...omitUndefined({ workspace, folder: cwd }),
      by: caller.id,
    };
    const folders = cwd === undefined ? [] : [cwd];
    return { pid: await policy.admit(folders, () => kernel.spawn(request)) };
  },

  async folderProblems(gateway, { cwd, folder }) {
    return folderProblems(
      gateway,
      [cwd, folder].filter((one) => one !== undefined),
    );
  },

  async agents({ home, trust }, { cwd }) {
    const places = agentFolders(home, trust.trusted, { cwd, tenant: DEFAULT_TENANT });
    return listAgents(places).map((agent) => ({ description: "", ...agent }));
  },
};

async function named({ kernel, toolFlaws }: GatewayContext, name: string, cwd: string | undefined) {
  const scope = scopeOf(cwd);
  const known = [...(await kernel.tools(scope)), ...syscallToolList];
  const found = known.find(({ tool }) => tool.name === name);
  if (found !== undefined) return found;
  const near = nearest(
    name,
    known.map(({ tool }) => tool.name),
  );
  const flaws = (await toolFlaws(scope)).slice(0, MOST_FLAWS);
  throw new SysError("ENOENT", `unknown tool ${name}`, {
    hint: [
      `${near === undefined ? "" : `did you mean ${near}? `}aos tool ls lists them`,
      ...flaws.map(({ message }) => `not loaded: ${message}`),
    ].join("; "),
  });
}

const MOST_FLAWS = 3;

const ALL_OF_WORK = "file:/work/**:read,write,list,remove";

/** Who calls a tool by hand means what the call touches, and its workspace. */
function mayTouch(
  tool: Tool,
  args: Parameters<Tool["run"]>[0],
  workspace: { folder: string; isCow: boolean } | undefined,
): string[] {
  const place = { workspace: workspace ?? { isCow: false } };
  return [...capabilitiesFor(tool.touches(args, place)), ALL_OF_WORK];
}
