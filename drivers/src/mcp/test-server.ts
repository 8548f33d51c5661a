// Tests a server over a separate connection and reports each step.

import type { McpTestReport, SysError } from "@aos/protocol";
import { readArguments } from "./argument-check.ts";
import { CallRegistry } from "./call-registry.ts";
import { connect, type McpConnection } from "./connection.ts";
import { type McpDeclaration, pinKeyOf, secretsOf } from "./declaration.ts";
import { DeclaredVisibility } from "./declared-visibility.ts";
import { openChannel } from "./open-channel.ts";
import { signInOf } from "./open-http.ts";
import type { McpServerOptions } from "./server.ts";
import { changesFrom, type ServerToolDefinition } from "./tool-pins.ts";

type Step = McpTestReport["steps"][number];

const CONNECT_MS = 30_000;

export async function testServer(
  declaration: McpDeclaration,
  means: McpServerOptions,
): Promise<McpTestReport> {
  const { name } = declaration;
  const steps: Step[] = [];
  let since = performance.now();
  const note = (step: string, detail: string, ok = true): void => {
    steps.push({ step, ok, detail, ms: Math.round(performance.now() - since) });
    since = performance.now();
  };
  const report = (): McpTestReport => ({ name, ok: steps.every(({ ok }) => ok), steps });

  const secrets = secretsOf(declaration);
  if (secrets.length > 0) {
    const detail = `${secrets.join(", ")} is available only during a call; connect with: aos tool call mcp.${name}`;
    note("start", detail, false);
    return report();
  }

  let connection: McpConnection | undefined;
  let under = "start";
  try {
    const registry = new CallRegistry();
    connection = await connect({
      server: name,
      registry,
      connectMs: means.times?.connectMs ?? CONNECT_MS,
      open: () =>
        openChannel(declaration, means, {
          registry,
          signIn: declaration.kind === "http" ? signInOf(declaration, registry) : undefined,
          context: undefined,
          sight: declaration.kind === "stdio" ? new DeclaredVisibility(declaration) : undefined,
        }),
      onOpened: () => {
        if (under !== "start") return; // it was started again, for the older revision
        note("start", declaration.kind === "stdio" ? "it runs in the sandbox" : declaration.url);
        under = "negotiate";
      },
    });
    note("negotiate", `revision ${connection.protocol}`);
    under = "list tools";
    const tools = await connection.listTools();
    note("list tools", tools.map((tool) => tool.name).join(", ") || "none");
    note("schema check", ...schemaCheck(tools));
    note("pins", ...pinCheck(declaration, means, tools));
  } catch (error) {
    const { message, hint } = error as SysError;
    note(under, hint === undefined ? message : `${message} (${hint})`, false);
  } finally {
    await connection?.close();
  }
  return report();
}

function schemaCheck(tools: readonly ServerToolDefinition[]): [detail: string, ok: boolean] {
  const bad = tools.flatMap(({ name, inputSchema }) => {
    const { flaw } = readArguments(inputSchema);
    return flaw === undefined ? [] : [`${name}: the server's schema cannot be checked: ${flaw}`];
  });
  return bad.length === 0 ? ["every schema can be checked", true] : [bad.join("; "), false];
}

function pinCheck(
  declaration: McpDeclaration,
  { pins }: McpServerOptions,
  tools: readonly ServerToolDefinition[],
): [detail: string, ok: boolean] {
  const agreed = pins.of(pinKeyOf(declaration));
  if (agreed === undefined) return ["no tool is pinned yet", true];
  const changes = changesFrom(agreed, tools);
  if (changes.length === 0) return ["all tools match their pins", true];
  return [changes.map(({ tool, what }) => `${tool}: ${what}`).join("; "), false];
}
