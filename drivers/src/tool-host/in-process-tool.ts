// In-process tool: a tool that `defineTool` of `agent-os` made, run in the kernel's own process. It gets the
// same context as in a tool host: files, the web, secrets and people, judged by what the caller may do.

import { type CallPlace, type DeviceContext, type Json, SysError, type Tool } from "@aos/protocol";
import { whileItLasts } from "./call-context.ts";
import { hostRequestTools, serveHostRequest } from "./host-requests.ts";
import { stated } from "./inside/agent-os.ts";
import { toolContext } from "./inside/tool-context.ts";

/** The tools of an embedder; those made another way are left as they are. */
export function inProcessTools(tools: readonly Tool[], systemTools: readonly Tool[]): Tool[] {
  const means = new Map(
    systemTools
      .filter(({ name }) => hostRequestTools.includes(name))
      .map((tool) => [tool.name, tool]),
  );
  return tools.map((tool) =>
    stated.has(tool)
      ? { ...tool, run: (args, context) => runInProcess(tool, args, context, means) }
      : tool,
  );
}

async function runInProcess(
  tool: Tool,
  args: Json,
  context: DeviceContext,
  tools: ReadonlyMap<string, Tool>,
): Promise<Json> {
  const { pid, tenant, tree, key, workspace, signal } = context;
  const { name, effect, egress = false } = tool;
  const place: CallPlace = { workspace };
  const over = new AbortController();
  const requests = {
    tools,
    context: whileItLasts(context, over.signal),
    place,
    stated: {
      name,
      effect,
      egress: egress || effect === "external",
      sinks: tool.sinks?.(args, place) ?? (effect === "idempotent" ? ["write" as const] : []),
    },
  };
  const told = { pid, tenant, tree, key, workspace: { isCow: workspace.isCow } };
  const given = toolContext(told, signal, (what, asked) => serveHostRequest(requests, what, asked));
  try {
    // What defineTool made hands its context on to the definition, which was typed by this one.
    return await tool.run(args, given as unknown as DeviceContext);
  } finally {
    over.abort(new SysError("EINTR", `the call of ${name} is over`));
  }
}
