// Somebody who calls the daemon over MCP: with the official client, in one revision or the other, or with
// messages that are written by hand.

import { randomUUID } from "node:crypto";
import {
  Client,
  StreamableHTTPClientTransport,
  type CallToolResult,
} from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import type { FrontDoor } from "../gateway/front-door.ts";

export const eras = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof eras)[number];
export type McpClient = Client;

export const TASKS = "io.modelcontextprotocol/tasks";

/** Connected, and closed after the test. */
export async function connect(door: FrontDoor, token: string, era: Era): Promise<McpClient> {
  const mode = era === "2025-11-25" ? "legacy" : { pin: era };
  const client = new Client(
    { name: "test", version: "1" },
    { versionNegotiation: { mode }, capabilities: {} },
  );
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(`${door.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

export type Answer = CallToolResult & { structuredContent: Record<string, unknown> };

export async function call(client: McpClient, name: string, args: object = {}): Promise<Answer> {
  return (await client.callTool({ name, arguments: { ...args } })) as Answer;
}

export const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("");

export interface Written {
  readonly result?: Record<string, unknown> & { readonly inputRequests?: Record<string, unknown> };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What every request of 2026-07-28 says of who makes it. */
export const envelope = (capabilities: object = {}) => ({
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": capabilities,
});

interface Params {
  readonly name?: string;
  readonly uri?: string;
  readonly taskId?: string;
  readonly [more: string]: unknown;
}

/** One request of 2026-07-28, as it is on the wire; without a token where there is none. */
export async function request(
  door: FrontDoor,
  token: string | undefined,
  method: string,
  params: Params,
  given: { capabilities?: object; signal?: AbortSignal } = {},
): Promise<Written> {
  const named = params.name ?? params.uri ?? params.taskId;
  const response = await fetch(`${door.url}/mcp`, {
    method: "POST",
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(named === undefined ? {} : { "mcp-name": named }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: randomUUID(),
      method,
      params: { ...params, _meta: envelope(given.capabilities) },
    }),
    ...(given.signal === undefined ? {} : { signal: given.signal }),
  });
  return (await response.json()) as Written;
}
