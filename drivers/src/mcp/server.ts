// Servers: one declared MCP server: connected, lost, reconnected.
//
// MCP-SERVER-1  A lost connection is reopened with a growing, jittered delay; after too many failures in a row only
//     on request.
// MCP-SERVER-2  A call waits for a connection up to a limit, then fails with EUPSTREAM. A call in progress when the
//     connection is lost fails at once, with an unknown outcome.
// MCP-SERVER-3  An action that needs a process (a secret, a sign-in) is never done without one.
// MCP-SERVER-4  A tool is offered only as it was pinned (tool-pins.ts). Whenever the server lists its tools, or
//     reports a change, they are compared again.
// MCP-SERVER-6  A project's program runs for one process at a time (process-servers.ts). To list its tools it is
//     started without files, network or secrets; if it cannot, a process has to connect first. A project's HTTP
//     server is reached by processes only.
// MCP-SERVER-5  An idle server is stopped; its tools stay listed, and the next call starts it.

import { type DeviceContext, type JsonObject, type McpServerReport, SysError } from "@aos/protocol";
import { ApprovedTools } from "./approved-tools.ts";
import { CallRegistry } from "./call-registry.ts";
import type { McpConnection } from "./connection.ts";
import { type McpDeclaration, secretsOf, whereOf } from "./declaration.ts";
import { DeclaredVisibility } from "./declared-visibility.ts";
import { isPerProcess } from "./process-view.ts";
import { type ProgramOpening, ProjectProgram } from "./project-program.ts";
import { NeedsProcess } from "./needs-process.ts";
import type { ChannelOptions } from "./open-channel.ts";
import { defaultServerTimes, type ServerTimes } from "./server-times.ts";
import type { SignIn } from "./sign-in.ts";
import { serverState } from "./server-state.ts";
import type { PinStore, ServerToolDefinition } from "./tool-pins.ts";
import { withAbort } from "../web/with-abort.ts";
import { pauseAfter, unrefDelay } from "./waiting.ts";

export interface McpServerOptions extends ChannelOptions {
  readonly pins: PinStore;
  readonly times?: Partial<ServerTimes>;
  /** Receives failures that belong to no call. */
  readonly onTrouble: (what: string, error: unknown) => void;
}

const MOST_FAILURES = 8;

export class McpServer {
  readonly declaration: McpDeclaration;
  readonly #means: McpServerOptions;
  readonly #times: ServerTimes;
  readonly #registry = new CallRegistry();
  readonly #tools: ApprovedTools;
  #signIn: SignIn | undefined;
  readonly #closing = new AbortController();
  #connection: McpConnection | undefined;
  #attempt: Promise<McpConnection> | undefined;
  #isLegacy = false;
  #needsProcess: boolean;
  #protocol: string | null = null;
  #failure: SysError | undefined;
  #failures = 0;
  #triedAt = 0;
  #restarts = 0;
  #retry: NodeJS.Timeout | undefined;
  #unused: NodeJS.Timeout | undefined;
  readonly #program: ProjectProgram | undefined;
  readonly #sight: DeclaredVisibility | undefined;

  constructor(declaration: McpDeclaration, means: McpServerOptions) {
    this.declaration = declaration;
    this.#means = means;
    this.#times = { ...defaultServerTimes, ...means.times };
    this.#needsProcess =
      secretsOf(declaration).length > 0 ||
      (declaration.kind === "http" && !declaration.isOperators);
    this.#tools = new ApprovedTools(declaration, means.pins);
    this.#sight = declaration.kind === "stdio" ? new DeclaredVisibility(declaration) : undefined;
    if (isPerProcess(declaration))
      this.#program = new ProjectProgram(declaration, means, {
        tools: this.#tools,
        unusedMs: this.#times.unusedMs,
        open: (context, more) => this.#open(context, more),
      });
  }

  /** Whether it has to be connected in the name of a process. */
  get needsProcess(): boolean {
    return this.#needsProcess;
  }

  get tools(): readonly ServerToolDefinition[] {
    return this.#tools.list();
  }

  /** A first look, as far as it can be had soon and without anybody. */
  async prepare(): Promise<void> {
    if (this.#connection !== undefined || this.#needsProcess) return;
    const isFirst = this.#failure === undefined && this.#protocol === null;
    // What is lost comes back by itself; what failed for good is looked at again now and then.
    const isDue = Date.now() - this.#triedAt > this.#times.longestPauseMs;
    if (!isFirst && (this.#failure === undefined || this.#retry !== undefined || !isDue)) return;
    const attempt = this.look().catch(() => {});
    if (isFirst) await Promise.race([attempt, unrefDelay(this.#times.prepareMs)]);
  }

  /** Connects now, or says why it cannot. */
  async look(): Promise<void> {
    if (this.#program !== undefined) return this.#describe(this.#program);
    if (this.#connection === undefined) await this.#connect(undefined);
  }

  /** Connects in the name of a process. */
  async reach(context: DeviceContext): Promise<Pick<McpConnection, "protocol" | "heldBy">> {
    return this.#program?.use(context, async (made) => made) ?? (await this.connected(context));
  }

  /** MCP-SERVER-2, MCP-SERVER-3. */
  async connected(context: DeviceContext): Promise<McpConnection> {
    const patience = AbortSignal.timeout(this.#times.waitMs);
    const stop = AbortSignal.any([context.signal, patience, this.#closing.signal]);
    for (;;) {
      if (this.#connection !== undefined) return this.#connection;
      const isAnothers = this.#attempt !== undefined;
      try {
        return await withAbort(this.#connect(context), stop);
      } catch (error) {
        if (context.signal.reason instanceof SysError) throw context.signal.reason;
        const isLasting = !(error instanceof SysError) || error.code !== "EUPSTREAM";
        if (isAnothers && !stop.aborted) continue;
        if (stop.aborted || isLasting || this.#needsProcess) throw this.#unreachable(error);
        await withAbort(unrefDelay(pauseAfter(this.#failures, this.#times)), stop).catch(() => {});
      }
    }
  }

  async call(
    definition: ServerToolDefinition,
    args: JsonObject,
    context: DeviceContext,
  ): Promise<JsonObject> {
    return this.use(context, (made, idleMs) => {
      this.#tools.refuseChanged(definition);
      return made.call(definition, args, context, idleMs);
    });
  }

  /** Something that a process asks of it. */
  async use<Result>(
    context: DeviceContext,
    ask: (made: McpConnection, idleMs: number) => Promise<Result>,
  ): Promise<Result> {
    const { callIdleMs } = this.#times;
    if (this.#program !== undefined)
      return this.#program.use(context, (made) => ask(made, callIdleMs));
    const connection = await this.connected(context);
    if (connection.heldBy !== undefined) context.heldBy(connection.heldBy);
    const { declaration } = this;
    await this.#sight?.see(context, () => this.#endUnused());
    if (declaration.kind === "stdio")
      for (const { path, mode } of declaration.paths)
        if (mode === "write") await context.mayWriteBelow(path);
    clearTimeout(this.#unused);
    try {
      return await ask(connection, callIdleMs);
    } catch (error) {
      if (connection.isSuspect) this.#drop(connection);
      throw error;
    } finally {
      this.#watchUse();
    }
  }

  /** Agrees to what the server says now. */
  agree(): void {
    this.#tools.agree();
  }

  report(): McpServerReport {
    const { name, kind, declaredIn } = this.declaration;
    return {
      name,
      transport: kind,
      where: whereOf(this.declaration),
      declaredIn,
      ...serverState(this.declaration, {
        changes: this.#tools.changes,
        isReady: this.#connection !== undefined || (this.#program?.count ?? 0) > 0,
        isConnecting: this.#attempt !== undefined || this.#retry !== undefined,
        failure: this.#failure,
      }),
      protocol: this.#protocol,
      tools: this.tools.map((tool) => tool.name),
      changed: this.#tools.changes,
      restarts: this.#restarts,
    };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retry);
    clearTimeout(this.#unused);
    const attempt = await this.#attempt?.catch(() => undefined);
    await (attempt ?? this.#connection)?.close();
    await this.#program?.close();
  }

  /** MCP-SERVER-6. */
  async #describe(program: ProjectProgram): Promise<void> {
    this.#triedAt = Date.now();
    try {
      this.#protocol = await program.describe();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = asFailure(error);
      this.#needsProcess = true;
      throw error;
    }
  }

  /** One at a time: who comes while one is made waits for that one. */
  #connect(context: DeviceContext | undefined): Promise<McpConnection> {
    if (this.#closing.signal.aborted)
      return Promise.reject(
        new SysError("ENOENT", `the MCP server ${this.declaration.name} was removed`),
      );
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#triedAt = Date.now();
    return (this.#attempt ??= this.#tryConnect(context).finally(() => {
      this.#attempt = undefined;
    }));
  }

  async #tryConnect(context: DeviceContext | undefined): Promise<McpConnection> {
    let connection: McpConnection | undefined;
    try {
      connection = await this.#registry.connect(context, () => this.#open(context));
      this.#tools.see(await this.#registry.connect(context, () => connection!.listTools()));
      this.#adopt(connection);
      return connection;
    } catch (error) {
      await connection?.close();
      this.#failed(error, connection);
      throw error;
    }
  }

  /** The library that speaks the protocol is large, and loaded with the first connection. */
  async #open(
    context: DeviceContext | undefined,
    { registry = this.#registry, call }: ProgramOpening = {},
  ): Promise<McpConnection> {
    const { declaration } = this;
    const { connect } = await import("./connection.ts");
    const { openChannel } = await import("./open-channel.ts");
    if (declaration.kind === "http")
      this.#signIn ??= (await import("./open-http.ts")).signInOf(declaration, this.#registry);
    return connect({
      server: declaration.name,
      registry,
      connectMs: this.#times.connectMs,
      ...(this.#isLegacy ? { prior: { kind: "legacy" } as const } : {}),
      onToolsChanged: () => void this.#listAgain(),
      open: () =>
        openChannel(declaration, this.#means, {
          registry,
          signIn: this.#signIn,
          context,
          call,
          sight: this.#sight,
        }),
    });
  }

  #adopt(connection: McpConnection): void {
    this.#connection = connection;
    this.#isLegacy = this.declaration.kind === "stdio" && connection.verdict?.kind === "legacy";
    this.#protocol = connection.protocol;
    this.#failure = undefined;
    this.#failures = 0;
    this.#watchUse();
    void connection.gone.then((why) => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      this.#restarts += 1;
      this.#failure = new SysError("EUPSTREAM", why);
      this.#tryLater();
    });
  }

  /** The far side of an HTTP connection does not say that it is gone. */
  #drop(connection: McpConnection): void {
    if (this.#connection !== connection || this.declaration.kind === "stdio") return;
    this.#connection = undefined;
    this.#restarts += 1;
    void connection.close();
    this.#tryLater();
  }

  #failed(error: unknown, connection: McpConnection | undefined): void {
    this.#failure = asFailure(error);
    this.#failures += 1;
    if (error instanceof NeedsProcess) this.#needsProcess = true;
    const isLasting = this.#failure.code !== "EUPSTREAM" && connection === undefined;
    if (!isLasting) this.#tryLater();
  }

  /** MCP-SERVER-1. */
  #tryLater(): void {
    if (this.#closing.signal.aborted || this.#needsProcess || this.#failures >= MOST_FAILURES)
      return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(
      () => {
        this.#connect(undefined).catch((error: unknown) =>
          this.#means.onTrouble(`the MCP server ${this.declaration.name}`, error),
        );
      },
      pauseAfter(this.#failures, this.#times),
    ).unref();
  }

  async #listAgain(): Promise<void> {
    try {
      const listed = await this.#connection?.listTools();
      if (listed !== undefined) this.#tools.see(listed);
    } catch (error) {
      this.#means.onTrouble(`the tools of the MCP server ${this.declaration.name}`, error);
    }
  }

  /** MCP-SERVER-5. Only programs: a connection costs nothing. */
  #watchUse(): void {
    clearTimeout(this.#unused);
    if (this.declaration.kind !== "stdio" || !this.#registry.isIdle) return;
    this.#unused = setTimeout(() => this.#endUnused(), this.#times.unusedMs).unref();
  }

  /** The next call starts it anew. */
  #endUnused(): void {
    if (!this.#registry.isIdle) return;
    const connection = this.#connection;
    this.#connection = undefined;
    void connection?.close();
  }

  #unreachable(error: unknown): SysError {
    if (error instanceof SysError && error.code !== "EUPSTREAM") return error;
    const why = this.#failure?.message ?? (error as Error).message;
    return new SysError("EUPSTREAM", `the MCP server ${this.declaration.name}: ${why}`);
  }
}

const asFailure = (error: unknown): SysError =>
  error instanceof SysError ? error : new SysError("EUPSTREAM", (error as Error).message);
