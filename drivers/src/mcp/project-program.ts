// Project program: the program of a project's MCP server.
//
// PROJECT-PROGRAM-1  To list its tools it is started without files except its own, without network and secrets, and
//     ended. For calls it runs in the view of the calling process (process-servers.ts).
// PROJECT-PROGRAM-2  At each start its tools are compared with the pinned ones.

import type { DeviceContext } from "@aos/protocol";
import type { ApprovedTools } from "./approved-tools.ts";
import { CallRegistry } from "./call-registry.ts";
import type { McpConnection } from "./connection.ts";
import type { StdioDeclaration } from "./declaration.ts";
import { ProcessServers } from "./process-servers.ts";
import { type ServerView, viewFor } from "./process-view.ts";
import { refusePath, type ServerCall, type StdioServerOptions } from "./stdio-server.ts";

export interface ProgramOpening {
  readonly registry?: CallRegistry;
  readonly call?: ServerCall;
}

export interface ProjectProgramOptions {
  readonly tools: ApprovedTools;
  readonly unusedMs: number;
  readonly open: (
    context: DeviceContext | undefined,
    opening: ProgramOpening,
  ) => Promise<McpConnection>;
}

export class ProjectProgram {
  readonly #ways: ProjectProgramOptions;
  readonly #servers: ProcessServers;

  constructor(
    declaration: StdioDeclaration,
    means: StdioServerOptions,
    ways: ProjectProgramOptions,
  ) {
    this.#ways = ways;
    this.#servers = new ProcessServers({
      name: declaration.name,
      unusedMs: ways.unusedMs,
      runner: means,
      viewFor: (context) =>
        viewFor(declaration, means, context, (path, real) =>
          refusePath(declaration, means.private, path, real),
        ),
      start: (context, view, registry, callers) => this.#start(context, view, registry, callers),
    });
  }

  /** How many run now. */
  get count(): number {
    return this.#servers.count;
  }

  use<T>(context: DeviceContext, work: (connection: McpConnection) => Promise<T>): Promise<T> {
    return this.#servers.use(context, work);
  }

  /** PROJECT-PROGRAM-1. The revision that it speaks. */
  async describe(): Promise<string> {
    const registry = new CallRegistry();
    const connection = await registry.connect(undefined, () =>
      this.#ways.open(undefined, { registry }),
    );
    try {
      this.#ways.tools.see(await connection.listTools());
      return connection.protocol;
    } finally {
      await connection.close();
    }
  }

  close(): Promise<void> {
    return this.#servers.close();
  }

  /** PROJECT-PROGRAM-2. */
  async #start(
    context: DeviceContext,
    view: ServerView,
    registry: CallRegistry,
    callers: ReadonlySet<DeviceContext>,
  ): Promise<McpConnection> {
    const call = { context, view, callers };
    const connection = await registry.connect(context, () =>
      this.#ways.open(context, { registry, call }),
    );
    try {
      this.#ways.tools.see(await registry.connect(context, () => connection.listTools()));
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }
}
