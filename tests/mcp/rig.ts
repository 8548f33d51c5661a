// Rig: a provider of MCP servers in the real sandbox, with pins in memory, for a test.

import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DeviceContext, Json, MachineFiles, Tool } from "@aos/protocol";
import { onTestFinished } from "vitest";
import { openProgramRunner } from "@aos/daemon/parts";
import type { HttpDeclaration, StdioDeclaration, ServerTimes } from "@aos/drivers/mcp";
import { createMcpToolProvider, type McpDeclaration, type Pins } from "@aos/drivers";
import type { EgressOptions } from "@aos/drivers/parts";

export const scope = { tenant: "default", folders: [] };

/** No test depends on how soon a server is up: on a busy machine a start can take longer than in earnest. */
const PATIENT: Partial<ServerTimes> = { connectMs: 300_000, prepareMs: 300_000, waitMs: 300_000 };

const FIXTURE = fileURLToPath(new URL("fixture-server.mjs", import.meta.url));

const declared = {
  name: "one",
  declaredIn: "a test",
  isOperators: true,
  hosts: [],
  deny: [],
  effects: {},
  trustsAnnotations: false,
  trustsDescriptions: false,
} as const;

/** A folder that is gone after the test. */
export function folderForTest(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "aos-mcp-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  chmodSync(folder, 0o755);
  return folder;
}

/** The fixture, with a folder of its own that it may write to. */
export function fixture(
  folder: string,
  more: Partial<StdioDeclaration> = {},
  manner = "usual",
): StdioDeclaration {
  writeFileSync(join(folder, "description"), "Says something.");
  return {
    ...declared,
    kind: "stdio",
    command: ["node", FIXTURE, folder, manner],
    env: {},
    paths: [
      { path: folder, mode: "write" },
      { path: dirname(FIXTURE), mode: "read" },
    ],
    ...more,
  };
}

export const overHttp = (url: string, more: Partial<HttpDeclaration> = {}): HttpDeclaration => ({
  ...declared,
  kind: "http",
  url,
  headers: {},
  ...more,
});

export interface Rig {
  readonly provider: ReturnType<typeof createMcpToolProvider>;
  readonly pins: Map<string, Pins>;
  /** What goes wrong while nobody waits. */
  readonly trouble: string[];
  readonly tool: (name: string) => Tool;
  readonly call: (name: string, args: Json, context: DeviceContext) => Promise<Json>;
  /** Declares something else from now on. */
  readonly declare: (...declarations: McpDeclaration[]) => void;
}

export async function rigFor(
  declarations: readonly McpDeclaration[],
  given: {
    readonly pins?: Map<string, Pins>;
    readonly times?: Partial<ServerTimes>;
    readonly private?: readonly string[];
    readonly egress?: EgressOptions;
    readonly files?: MachineFiles;
  } = {},
): Promise<Rig> {
  const runner = openProgramRunner({});
  const pins = given.pins ?? new Map<string, Pins>();
  const trouble: string[] = [];
  let current = declarations;
  const provider = createMcpToolProvider({
    sandbox: runner.sandbox,
    socketFolder: runner.socketFolder,
    workspaces: runner.workspaces,
    quarantine: runner.quarantine,
    private: given.private ?? [],
    egress: given.egress ?? {},
    ...(given.files === undefined ? {} : { files: () => given.files! }),
    pins: { of: (key) => pins.get(key), keep: (key, kept) => void pins.set(key, kept) },
    times: { ...PATIENT, firstPauseMs: 20, ...given.times },
    onTrouble: (what, error) => void trouble.push(`${what}: ${(error as Error).message}`),
    declarations: () => current,
    isTrusted: () => true,
  });
  onTestFinished(async () => {
    await provider.close();
    await runner.close();
  });
  await provider.prepare(scope);
  const tool = (name: string): Tool => {
    const found = provider.tools(scope).find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  };
  return {
    provider,
    pins,
    trouble,
    tool,
    call: (name, args, context) => tool(name).run(args, context),
    declare: (...others) => void (current = others),
  };
}
