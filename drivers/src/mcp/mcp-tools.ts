// MCP tools: the tools of a server as tools of the system, behind the same gate as any other.
//
// MCP-TOOLS-1  Statements of a server about its tools are not believed. The effect of a call comes from the
//     operator's file; otherwise every call counts as external.
// MCP-TOOLS-2  Besides the tool itself, a call needs every secret that the server receives, every host that it may
//     reach and, for a project's server, every path that it sees: a server adds no power to a process.
// MCP-TOOLS-3  Results are untrusted. So are descriptions and schemas, unless the operator trusts the pinned ones.
// MCP-TOOLS-4  Arguments are checked before anything is sent.

import type { Effect, Json, JsonObject, Label, Sink, Tool, Touch, WorkPlace } from "@aos/protocol";
import { readUrl, touchOf } from "../web/url.ts";
import { argumentCheckOf } from "./argument-check.ts";
import { type McpDeclaration, secretsOf } from "./declaration.ts";
import { readDeclaredHost } from "./declared-gate.ts";
import { isPerProcess, pathTouches } from "./process-view.ts";
import type { McpServer } from "./server.ts";
import { serverIdentity } from "./server-identity.ts";
import { connectNameOf, toolNameOf } from "./tool-name.ts";
import { hashOf, type ServerToolDefinition } from "./tool-pins.ts";

const FROM_OUTSIDE: Label = { integrity: "untrusted", secrecy: "public" };
const MAX_DESCRIPTION_CHARS = 8192;

export function mcpTool(server: McpServer, definition: ServerToolDefinition): Tool {
  const { declaration } = server;
  const { name, title, description, inputSchema, outputSchema } = definition;
  const effect = effectOf(declaration, definition);
  const sinks = sinksOf(declaration, effect);
  const refuses = argumentCheckOf(inputSchema);
  return {
    name: toolNameOf(declaration.name, name),
    version: hashOf(definition).slice(0, 12),
    description: (description ?? title ?? "").slice(0, MAX_DESCRIPTION_CHARS),
    ...(declaration.trustsDescriptions ? {} : { descriptionLabel: FROM_OUTSIDE }),
    label: FROM_OUTSIDE,
    source: "mcp",
    identity: () => serverIdentity(declaration, definition),
    tags: ["mcp", declaration.name],
    input: inputSchema,
    ...(outputSchema === undefined ? {} : { output: outputSchema }),
    effect,
    egress: isOnline(declaration),
    ...(declaration.kind === "stdio" ? { sandbox: "process" as const } : {}),
    needs: touchesOf(declaration, NOWHERE).map(
      ({ kind, resource, verb }) => `${kind}:${resource}:${verb}`,
    ),
    touches: (_args, { workspace }) => touchesOf(declaration, workspace),
    sinks: () => sinks,
    refuses,
    run: (args, context) => server.call(definition, args as JsonObject, context),
  };
}

/** What a process calls where a server cannot be connected without one: it names a secret, or wants a sign-in. */
export function connectTool(server: McpServer): Tool {
  const { declaration } = server;
  const { name } = declaration;
  return {
    name: connectNameOf(name),
    version: "1",
    description: `Connect to the MCP server ${name}. Its tools are available afterwards.`,
    source: "mcp",
    identity: () => serverIdentity(declaration),
    tags: ["mcp", name],
    input: { type: "object", properties: {}, additionalProperties: false },
    effect: "idempotent",
    egress: isOnline(declaration),
    touches: (_args, { workspace }) => touchesOf(declaration, workspace),
    sinks: () => (isOnline(declaration) ? ["egress"] : []),
    refuses: (args: Json) =>
      Object.keys(args ?? {}).length === 0 ? undefined : "the tool takes no arguments",
    label: FROM_OUTSIDE,
    run: async (_args, context) => {
      const { protocol, heldBy } = await server.reach(context);
      if (heldBy !== undefined) context.heldBy(heldBy);
      return { protocol, tools: server.tools.map((tool) => toolNameOf(name, tool.name)) };
    },
  };
}

/** MCP-TOOLS-1. */
function effectOf(
  declaration: McpDeclaration,
  { name, annotations }: ServerToolDefinition,
): Effect {
  const { effects, trustsAnnotations } = declaration;
  if (Object.hasOwn(effects, name)) return effects[name]!;
  if (!trustsAnnotations) return "external";
  if (annotations?.["readOnlyHint"] === true) return "read";
  return annotations?.["idempotentHint"] === true ? "idempotent" : "external";
}

const NOWHERE: WorkPlace = { isCow: false };

/** MCP-TOOLS-2. */
export function touchesOf(declaration: McpDeclaration, workspace: WorkPlace): readonly Touch[] {
  const secrets = secretsOf(declaration).map((name) => ({
    kind: "secret",
    resource: name,
    verb: "use",
  }));
  if (declaration.kind === "http") return [touchOf(readUrl(declaration.url), "post"), ...secrets];
  const hosts = declaration.hosts.flatMap((written) => {
    const { host, port } = readDeclaredHost(written)!;
    return [{ kind: "http", resource: `${host}:${port}/`, verb: "post" }];
  });
  const paths = isPerProcess(declaration) ? pathTouches(declaration, workspace) : [];
  return [...paths, ...hosts, ...secrets];
}

const isOnline = (declaration: McpDeclaration): boolean =>
  declaration.kind === "http" || declaration.hosts.length > 0;

function sinksOf(declaration: McpDeclaration, effect: Effect): readonly Sink[] {
  const mayWrite =
    declaration.kind === "stdio" && declaration.paths.some(({ mode }) => mode === "write");
  return [
    ...(isOnline(declaration) ? ["egress" as const] : []),
    ...(mayWrite && effect !== "read" ? ["destructive" as const] : []),
  ];
}
