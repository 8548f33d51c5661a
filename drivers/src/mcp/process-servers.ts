// Process servers: the instances of a project's server, one for each calling process.
//
// PROCESS-SERVERS-1  An instance runs for one process, in that process's view (process-view.ts). A changed view needs
//     a new instance.
// PROCESS-SERVERS-2  An instance that may write to a folder of the user lives for one call: what it wrote is checked
//     after its end.
// PROCESS-SERVERS-3  The number of instances is limited; an idle one is ended.

import { type DeviceContext, SysError } from "@aos/protocol";
import { formatGuarded, settleGuards, type ProgramRunner } from "../tools/program-runner.ts";
import { CallRegistry } from "./call-registry.ts";
import type { McpConnection } from "./connection.ts";
import type { ServerView } from "./process-view.ts";

const MOST_RUNNING = 32;

export interface ProcessServersOptions {
  readonly name: string;
  readonly unusedMs: number;
  readonly runner: Pick<ProgramRunner, "onQuarantine">;
  /** What the process sees now. */
  readonly viewFor: (context: DeviceContext) => Promise<ServerView>;
  readonly start: (
    context: DeviceContext,
    view: ServerView,
    registry: CallRegistry,
    callers: ReadonlySet<DeviceContext>,
  ) => Promise<McpConnection>;
}

interface Running {
  readonly connection: Promise<McpConnection>;
  readonly callers: Set<DeviceContext>;
  readonly pid: string;
  unused?: NodeJS.Timeout;
}

export class ProcessServers {
  readonly #options: ProcessServersOptions;
  readonly #running = new Map<string, Running>();

  constructor(options: ProcessServersOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#running.size;
  }

  async use<T>(
    context: DeviceContext,
    work: (connection: McpConnection) => Promise<T>,
  ): Promise<T> {
    const view = await this.#options.viewFor(context);
    for (const label of view.sight.labels) context.sees(label);
    for (const path of view.written) await context.mayWriteBelow(path);
    const isForOneCall = view.guards.length > 0;
    const key = [context.pid, view.key, isForOneCall ? context.key : ""].join("\0");
    const running = this.#running.get(key) ?? this.#begin(key, context, view);
    clearTimeout(running.unused);
    running.callers.add(context);
    try {
      const connection = await running.connection;
      if (connection.heldBy !== undefined) context.heldBy(connection.heldBy);
      return await work(connection);
    } finally {
      running.callers.delete(context);
      if (isForOneCall) await this.#endCall(key, context, view); // PROCESS-SERVERS-2
      else this.#endLater(key, running);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((key) => this.#end(key)));
  }

  #begin(key: string, context: DeviceContext, view: ServerView): Running {
    this.#makeRoom(context.pid);
    const callers = new Set<DeviceContext>();
    const connection = this.#options.start(context, view, new CallRegistry(), callers);
    const running: Running = { connection, callers, pid: context.pid };
    this.#running.set(key, running);
    const forget = () => {
      if (this.#running.get(key) === running) this.#running.delete(key);
    };
    connection.then((made) => void made.gone.then(forget), forget);
    return running;
  }

  /** PROCESS-SERVERS-1, PROCESS-SERVERS-3. */
  #makeRoom(pid: string): void {
    const idle = [...this.#running].filter(([, { callers }]) => callers.size === 0);
    for (const [key, running] of idle) if (running.pid === pid) void this.#end(key);
    if (this.#running.size < MOST_RUNNING) return;
    const oldest = idle.find(([key]) => this.#running.has(key));
    if (oldest === undefined)
      throw new SysError(
        "EAGAIN",
        `the MCP server ${this.#options.name} already runs for ${MOST_RUNNING} processes, which is the limit`,
      );
    void this.#end(oldest[0]);
  }

  async #endCall(key: string, context: DeviceContext, view: ServerView): Promise<void> {
    await this.#end(key);
    for (const { at, paths } of await view.sight.written()) await context.wroteBelow(at, paths);
    const said = await settleGuards(this.#options.runner, context, view.guards);
    if (said.length > 0) throw new SysError("EACCES", formatGuarded(said).replace(/^aos: /, ""));
  }

  #endLater(key: string, running: Running): void {
    if (running.callers.size > 0) return;
    running.unused = setTimeout(() => void this.#end(key), this.#options.unusedMs).unref();
  }

  async #end(key: string): Promise<void> {
    const running = this.#running.get(key);
    this.#running.delete(key);
    clearTimeout(running?.unused);
    await (await running?.connection.catch(() => undefined))?.close();
  }
}
