// Server: the MCP interface of one caller: tools, resources and tasks, the same in every revision and over every
// transport.
//
// MCP-SERVER-SERVER-1  Everything is done as the caller (operations-as.ts).
// MCP-SERVER-SERVER-2  An internal error is logged in full and reported to the caller in one line.
// MCP-SERVER-SERVER-3  Approving needs more than the role approver: the operator must allow it for MCP (`mcp.approve`
//     in config.yaml), because a client is usually a model that reads untrusted text. Otherwise no tool and no task
//     offers or does it.

import {
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  Server,
  type CallToolResult,
  type Result,
  type ServerCapabilities,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { SysError } from "@aos/protocol";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { Caller } from "../gateway/caller.ts";
import { roleRefusal } from "../gateway/call-operation.ts";
import { DAEMON_VERSION } from "../version.ts";
import { operationsAs, type CallOperation } from "./operations-as.ts";
import type { RunChanges } from "./run-changes.ts";
import { completePid, listRunResources, readRunResource, runTemplates } from "./run-resources.ts";
import { TASKS } from "./task.ts";
import { addTaskMethods } from "./task-methods.ts";
import { errorResult, type ToolCallContext, type ToolRow } from "./tool-row.ts";
import { agentToolRow } from "./tools/agent-tools.ts";
import { approvalToolRows, withoutApproval } from "./tools/approval-tools.ts";
import { memoryToolRows } from "./tools/memory-tool.ts";
import { runToolRows } from "./tools/run-tools.ts";

const INSTRUCTIONS =
  "Agents that run on their own under an operating system: capabilities, budgets, approvals and a journal. " +
  "list_agents says whom you can give a goal to; submit_goal starts one; get_agent_status says how it does. " +
  "A run that waits for a person says so: answer only what the person has decided.";

export interface McpServerContext {
  readonly gateway: GatewayContext;
  readonly caller: Caller;
  readonly cwd?: string | undefined;
  /** To hang up is to cancel; elsewhere a connection may break, and cancelling is said. */
  readonly hangUpCancels: boolean;
  /** Where it is one connection for as long as it lasts: what to watch runs by. */
  readonly changes?: RunChanges;
}

export function createServer(meeting: McpServerContext): Server {
  const { gateway, caller } = meeting;
  const server = new Server(
    { name: "agent-os", title: "Agent OS", version: DAEMON_VERSION },
    { capabilities: capabilitiesOf(meeting), instructions: INSTRUCTIONS },
  );
  const mayApprove = gateway.config.mcp.approve; // MCP-SERVER-SERVER-3
  const ask = withoutApproval(operationsAs(gateway, caller), mayApprove);
  addTools(server, mcpToolRows(mayApprove), meeting, ask);
  addResources(server, meeting, ask);
  addTaskMethods(server, ask, { caller, mayApprove });
  return server;
}

export const mcpToolRows = (mayApprove: boolean): readonly ToolRow[] => [
  ...runToolRows,
  agentToolRow,
  ...approvalToolRows(mayApprove),
  ...memoryToolRows,
];

const capabilitiesOf = ({ changes }: McpServerContext): ServerCapabilities => ({
  tools: {},
  resources: { subscribe: changes !== undefined },
  completions: {},
  extensions: { [TASKS]: {} },
});

function addTools(
  server: Server,
  rows: readonly ToolRow[],
  meeting: McpServerContext,
  ask: CallOperation,
): void {
  const { caller } = meeting;
  const shown = rows.filter(({ needs }) => needs === undefined || !roleRefusal(caller, needs));
  server.setRequestHandler("tools/list", async () => ({ tools: shown.map(({ tool }) => tool) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const row = rows.find(({ tool }) => tool.name === params.name);
    if (row === undefined) {
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `unknown tool ${JSON.stringify(params.name)}`,
      );
    }
    const asked = askedBy(meeting, ask, context);
    try {
      return (await row.run(params.arguments ?? {}, asked)) as CallToolResult;
    } catch (error) {
      if (error instanceof SysError) return errorResult(error);
      if (!(error instanceof ProtocolError)) meeting.gateway.onMistake(error); // MCP-SERVER-SERVER-2
      throw error;
    }
  });
}

function askedBy(
  { caller, cwd, hangUpCancels, gateway }: McpServerContext,
  ask: CallOperation,
  context: ServerContext,
): ToolCallContext {
  const { signal } = context.mcpReq;
  return {
    ask,
    context,
    signal,
    isCancelled: () =>
      signal.aborted && (hangUpCancels || !isHungUp(signal)) && !caller.gone.aborted,
    tenant: caller.tenant,
    cwd,
    mayApprove: gateway.config.mcp.approve,
  };
}

const isHungUp = ({ reason }: AbortSignal): boolean =>
  reason instanceof SdkError && reason.code === SdkErrorCode.ConnectionClosed;

function addResources(server: Server, meeting: McpServerContext, ask: CallOperation): void {
  const { gateway, changes } = meeting;
  server.setRequestHandler("resources/list", ({ params }, { mcpReq }) =>
    inWords(gateway, () => listRunResources(ask, mcpReq.signal, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", async () => ({
    resourceTemplates: [...runTemplates],
  }));
  server.setRequestHandler("resources/read", ({ params }, { mcpReq }) =>
    inWords(gateway, () => readRunResource(ask, mcpReq.signal, params.uri)),
  );
  server.setRequestHandler("completion/complete", ({ params }, { mcpReq }) =>
    inWords(gateway, async () => {
      const { ref, argument } = params;
      const isRun = ref.type === "ref/resource" && ref.uri.startsWith("aos://runs/");
      const values =
        isRun && argument.name === "pid"
          ? await completePid(ask, mcpReq.signal, argument.value)
          : [];
      const total = values.length;
      return { completion: { values: values.slice(0, 100), total, hasMore: total > 100 } };
    }),
  );
  if (changes !== undefined) addSubscriptions(server, changes);
}

/** As the older revisions have it: by the resource, for as long as the connection lasts. */
function addSubscriptions(server: Server, changes: RunChanges): void {
  const watched = new Set<string>();
  let stop: (() => void) | undefined;
  const begin = () =>
    changes.subscribe((event) => {
      if (event.kind !== "resource_updated" || !watched.has(event.uri)) return;
      // Who has just gone is told nothing any more.
      server.sendResourceUpdated({ uri: event.uri }).catch(() => {});
    });
  server.setRequestHandler("resources/subscribe", async ({ params }) => {
    watched.add(params.uri);
    stop ??= begin();
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params }) => {
    watched.delete(params.uri);
    if (watched.size > 0) return {};
    stop?.();
    stop = undefined;
    return {};
  });
  server.onclose = () => stop?.();
}

/** What the kernel refuses, where there is no result to say it in. */
async function inWords<T extends Result>(
  gateway: GatewayContext,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (!(error instanceof SysError)) {
      gateway.onMistake(error); // MCP-SERVER-SERVER-2
      throw error;
    }
    const code = error.code === "EINVAL" ? "InvalidParams" : "InvalidRequest";
    throw new ProtocolError(ProtocolErrorCode[code], `${error.code}: ${error.message}`);
  }
}
