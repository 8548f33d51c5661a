// In-process tool: a tool made with `defineTool` of `agent-os`, run in the kernel's own process. It has the same
// context as in a tool host: files, web, secrets and people, judged by what the caller may do.

import type { CallPlace, DeviceContext, Json, Tool } from "@aos/protocol";
import { hostRequestTools } from "./host-requests.ts";
import { stated } from "./inside/agent-os.ts";
import { toolContext } from "./inside/tool-context.ts";
import { servedCall, sinksByEffect } from "./served-call.ts";

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

const runInProcess = (
  tool: Tool,
  args: Json,
  context: DeviceContext,
  tools: ReadonlyMap<string, Tool>,
): Promise<Json> => {
  const { name, effect, egress } = tool;
  const place: CallPlace = { workspace: context.workspace };
  const stated = {
    name,
    effect,
    egress,
    sinks: tool.sinks?.(args, place) ?? sinksByEffect(effect),
  };
  return servedCall(context, tools, stated, (told, serve) => {
    const given = toolContext(told, context.signal, serve);
    // What defineTool made hands its context on to the definition, which was typed by this one.
    return tool.run(args, given as unknown as DeviceContext);
  });
};
