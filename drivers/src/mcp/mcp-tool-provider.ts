// McpToolProvider: the declared servers, each started once.
//
// MCP-TOOL-PROVIDER-1  A server belongs to one tenant: its program and connection are not shared.
// MCP-TOOL-PROVIDER-2  A changed declaration is a new server; the old one is closed. A removed one is closed at the
//     next lookup.
// MCP-TOOL-PROVIDER-4  A project's server is closed when its folder is no longer trusted.
// MCP-TOOL-PROVIDER-3  An unavailable server affects nothing else: its tools are missing, and its report has the
//     reason.

import { dirname } from "node:path";
import { canonicalText, type Json, type McpServerReport, type McpTestReport } from "@aos/protocol";
import { SysError, type Tool, type ToolScope, type ToolProvider } from "@aos/protocol";
import type { McpDeclaration } from "./declaration.ts";
import { connectTool, mcpTool } from "./mcp-tools.ts";
import { McpServer, type McpServerOptions } from "./server.ts";
import { isMcpName } from "./tool-name.ts";

export interface McpToolProviderOptions extends McpServerOptions {
  /** What is declared for a scope, by name each once. Throws EINVAL for a file that says nonsense. */
  readonly declarations: (scope: ToolScope) => readonly McpDeclaration[];
  /** Whether a project's servers may run at all. */
  readonly isTrusted: (project: string, tenant: string) => boolean;
}

export interface McpToolProvider extends ToolProvider {
  reports(scope: ToolScope): Promise<McpServerReport[]>;
  report(scope: ToolScope, name: string): Promise<McpServerReport>;
  test(scope: ToolScope, name: string): Promise<McpTestReport>;
  /** Agrees to what the server's tools say now. */
  agree(scope: ToolScope, name: string): Promise<McpServerReport>;
  /** A server that the operator declared, for its resources. */
  operatorsServer(tenant: string, name: string): McpServer | undefined;
  /** Ends the servers of projects that are not trusted any more. */
  closeUntrusted(): void;
  close(): Promise<void>;
}

interface Kept {
  readonly tenant: string;
  readonly server: McpServer;
  readonly text: string;
  /** Made when they are first asked for, and again when the server says something else. */
  tools: { readonly of: readonly unknown[]; readonly made: readonly Tool[] } | undefined;
}

export function createMcpToolProvider(options: McpToolProviderOptions): McpToolProvider {
  const kept = new Map<string, Kept>();
  const closing = new Set<Promise<void>>();
  let isClosed = false;

  const drop = (key: string): void => {
    const ended = kept.get(key)?.server.close();
    kept.delete(key);
    if (ended === undefined) return;
    closing.add(ended);
    void ended.finally(() => closing.delete(ended));
  };

  /** MCP-TOOL-PROVIDER-4. */
  const closeUntrusted = (): void => {
    for (const [key, { tenant, server }] of kept) {
      const { declaration } = server;
      const project = declaration.isOperators
        ? undefined
        : dirname(dirname(declaration.declaredIn));
      if (project !== undefined && !options.isTrusted(project, tenant)) drop(key);
    }
  };

  /** MCP-TOOL-PROVIDER-1, MCP-TOOL-PROVIDER-2. */
  const serversFor = (scope: ToolScope): Kept[] => {
    if (isClosed) return [];
    closeUntrusted();
    const declarations = options.declarations(scope);
    const files = new Set(declarations.map(({ declaredIn }) => declaredIn));
    const found = declarations.map((declaration) => {
      const key = keyOf(scope.tenant, declaration);
      const text = canonicalText(declaration as unknown as Json);
      if (kept.get(key)?.text !== text) {
        drop(key);
        const server = new McpServer(declaration, options);
        kept.set(key, { tenant: scope.tenant, server, text, tools: undefined });
      }
      return kept.get(key)!;
    });
    for (const [key, one] of kept) {
      const { declaredIn } = one.server.declaration;
      const isOurs = key === keyOf(scope.tenant, one.server.declaration) && files.has(declaredIn);
      if (isOurs && !found.includes(one)) drop(key);
    }
    return found;
  };

  const prepared = async (scope: ToolScope): Promise<Kept[]> => {
    const servers = serversFor(scope);
    await Promise.all(servers.map(({ server }) => server.prepare()));
    return servers;
  };

  const named = async (scope: ToolScope, name: string): Promise<McpServer> => {
    const found = serversFor(scope).find(({ server }) => server.declaration.name === name);
    if (found !== undefined) return found.server;
    throw new SysError("ENOENT", `unknown MCP server ${name}`, {
      hint: "aos mcp ls lists the servers",
    });
  };

  /** MCP-TOOL-PROVIDER-3. */
  const orTrouble = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch (error) {
      options.onTrouble("MCP servers", error);
      return otherwise;
    }
  };

  return {
    prepare: async (scope) => {
      const servers = orTrouble(() => serversFor(scope), []);
      await Promise.all(servers.map(({ server }) => server.prepare()));
    },
    tools: (scope) => orTrouble(() => serversFor(scope).flatMap(toolsOf), []),
    mayComeToBe: isMcpName,
    reports: async (scope) => (await prepared(scope)).map(({ server }) => server.report()),
    report: async (scope, name) => {
      const server = await named(scope, name);
      await server.prepare();
      return server.report();
    },
    async test(scope, name) {
      const { testServer } = await import("./test-server.ts");
      return testServer((await named(scope, name)).declaration, options);
    },
    agree: async (scope, name) => {
      const server = await named(scope, name);
      // What is agreed to is what it says now, not what it once said.
      if (!server.needsProcess) await server.look();
      server.agree();
      return server.report();
    },
    operatorsServer: (tenant, name) =>
      serversFor({ tenant, folders: [] }).find(
        ({ server: { declaration } }) => declaration.isOperators && declaration.name === name,
      )?.server,
    closeUntrusted,
    close: async () => {
      isClosed = true;
      for (const key of kept.keys()) drop(key);
      await Promise.all(closing);
    },
  };
}

const keyOf = (tenant: string, { declaredIn, name }: McpDeclaration): string =>
  [tenant, declaredIn, name].join("\0");

function toolsOf(one: Kept): readonly Tool[] {
  const { server } = one;
  const of = [server.needsProcess, ...server.tools];
  const isSame =
    one.tools?.of.length === of.length && one.tools.of.every((part, at) => part === of[at]);
  if (one.tools === undefined || !isSame) {
    const made = server.tools.map((definition) => mcpTool(server, definition));
    one.tools = { of, made: server.needsProcess ? [connectTool(server), ...made] : made };
  }
  return one.tools.made;
}
