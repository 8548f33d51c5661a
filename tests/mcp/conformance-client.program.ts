// What the conformance suite runs: our client, put through a scenario. The suite gives the server's address
// as the last word, and says in the environment which scenario and which revision it is.

import { deviceContextForTest } from "../helpers/drivers/device-context.ts";
import {
  CallRegistry,
  connect,
  type ConnectionOptions,
  type McpConnection,
  type HttpDeclaration,
  openHttp,
  SignIn,
  type ServerToolDefinition,
} from "@aos/drivers/mcp";

const url = process.argv.at(-1)!;
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";
const given = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[];
};

/** These servers answer neither `server/discover` nor `initialize`: what they are is known beforehand. */
const SILENT = new Set([
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
]);
type Known = Extract<NonNullable<ConnectionOptions["prior"]>, { kind: "modern" }>;
const known: Known = {
  kind: "modern",
  discover: {
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, resources: {}, prompts: {} },
  } as unknown as Known["discover"],
};

const declaration: HttpDeclaration = {
  kind: "http",
  name: "suite",
  declaredIn: "the suite",
  isOperators: true,
  url,
  headers: {},
  hosts: everyPort(),
  deny: [],
  effects: {},
  trustsAnnotations: false,
  trustsDescriptions: false,
};

const signIn = new SignIn({
  redirectUrl: "http://localhost:3000/callback",
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  ...(given.client_id === undefined
    ? {}
    : { client: { client_id: given.client_id, client_secret: given.client_secret ?? "" } }),
  visit: async (address) => {
    const answer = await fetch(address, { redirect: "manual" });
    return new URL(answer.headers.get("location") ?? "").searchParams;
  },
});

const registry = new CallRegistry();
const connection = await connect({
  server: "suite",
  registry,
  connectMs: 90_000, // below the suite's own limit for a scenario
  open: async () => openHttp(declaration, registry, signIn),
  ...(SILENT.has(scenario) ? { prior: known } : {}),
  onToolsChanged: () => {},
});
await putThrough(connection);
await connection.close();

async function putThrough(client: McpConnection): Promise<void> {
  const tools = await client.listTools();
  const call = (tool: ServerToolDefinition | undefined, args: object = {}) =>
    tool === undefined ? undefined : client.call(tool, args as never, person(), 20_000);
  const named = (name: string) => tools.find((tool) => tool.name === name);
  switch (scenario) {
    case "tools_call":
      await call(named("add_numbers"), { a: 5, b: 3 });
      return;
    case "http-custom-headers":
      for (const one of given.toolCalls ?? []) await call(named(one.name), one.arguments);
      return;
    case "http-invalid-tool-headers":
      for (const tool of tools) await call(tool, { region: "us-west1" })?.catch(() => {});
      return;
    case "json-schema-2020-12-preservation":
      await call(named("json_schema_echo"), {
        schema: named("json_schema_2020_12_tool")?.inputSchema,
      });
      return;
    case "sse-retry":
      await call(named("test_reconnection"));
      return;
    default:
      for (const tool of tools) await call(tool)?.catch(complain);
  }
}

/** Says yes to everything, and leaves every form empty. */
function person() {
  return deviceContextForTest({
    answers: ({ schema }) =>
      JSON.stringify(schema ?? {}).includes("confirmed") ? { confirmed: true } : {},
  });
}

/** The suite's authorization servers are on ports of their own choice. */
function everyPort(): string[] {
  return Array.from({ length: 65_535 }, (_, port) => `localhost:${port + 1}`);
}

function complain(error: Error): void {
  console.error(error);
  if (scenario.startsWith("auth/")) throw error;
}
