// ToolGeneration: the tools of a project as its files were at one moment, and the hosts that run them.
//
// GENERATION-1  A host belongs to one tenant: data of one tenant is never in the memory of another's host.
// GENERATION-2  Every host of a generation runs the same text, as it was when it was read.

import type { DeviceContext, JsonObject, Tool } from "@aos/protocol";
import { describeReport, type Sandbox } from "../sandbox/index.ts";
import { hostedTool } from "./hosted-tool.ts";
import type { Project, ProjectModules } from "./project-files.ts";
import { startToolHost } from "./start-host.ts";
import type { HostTimes } from "./tool-host.ts";
import { WarmHost } from "./warm-host.ts";

export interface HostTimings extends HostTimes {
  /** The longest that one call may take. */
  readonly callMs: number;
  /** After so long without a call a host is ended. */
  readonly idleMs: number;
}

export interface GenerationOptions {
  readonly sandbox: () => Promise<Sandbox>;
  readonly requestTools: ReadonlyMap<string, Tool>;
  readonly times: HostTimings;
}

export class ToolGeneration {
  readonly digest: string;
  tools: readonly Tool[] = [];
  readonly flaws: string[] = [];
  readonly #project: Project;
  readonly #modules: ProjectModules;
  readonly #means: GenerationOptions;
  readonly #hosts = new Map<string, WarmHost>();

  constructor(project: Project, modules: ProjectModules, means: GenerationOptions) {
    this.#project = project;
    this.#modules = modules;
    this.#means = means;
    this.digest = modules.digest;
  }

  /** Loads it in a host, which says what there is. */
  async describe(tenant: string): Promise<void> {
    const unlimited = new AbortController().signal;
    // Nothing but the description is wanted of it now; the first call finds it warm.
    await this.#hostFor(tenant).use(unlimited, async () => {});
  }

  retire(): void {
    for (const host of this.#hosts.values()) host.retire();
  }

  async end(): Promise<void> {
    await Promise.all([...this.#hosts.values()].map((host) => host.end("the daemon is stopping")));
  }

  #hostFor(tenant: string): WarmHost {
    let host = this.#hosts.get(tenant);
    if (host === undefined) {
      host = new WarmHost(() => this.#start(), this.#means.times.idleMs);
      this.#hosts.set(tenant, host);
    }
    return host;
  }

  async #start() {
    const sandbox = await this.#means.sandbox();
    const { host, described } = await startToolHost(
      sandbox,
      this.#project,
      this.#modules,
      this.#means.times,
    );
    if (this.tools.length + this.flaws.length === 0) this.#read(described);
    return host;
  }

  #read({ tools, flaws }: Awaited<ReturnType<typeof startToolHost>>["described"]): void {
    for (const { file, what } of flaws) this.flaws.push(`${fileName(file)}: ${what}`);
    this.tools = tools.flatMap((statement) => {
      try {
        return [this.#toolOf(statement as JsonObject)];
      } catch (error) {
        const { file } = statement;
        const where = typeof file === "string" ? `${fileName(file)}: ` : "";
        this.flaws.push(`${where}${(error as Error).message}`);
        return [];
      }
    });
  }

  #toolOf(statement: JsonObject): Tool {
    return hostedTool(statement, {
      digest: this.digest,
      callMs: this.#means.times.callMs,
      requestTools: this.#means.requestTools,
      use: async (context: DeviceContext, work) => {
        const heldBy = describeReport((await this.#means.sandbox()).report);
        return this.#hostFor(context.tenant).use(context.signal, (host) => work(host, heldBy));
      },
    });
  }
}

/** The file as a path, with the line where there is one. */
const fileName = (url: string): string =>
  url.startsWith("file:///") ? decodeURIComponent(url.slice("file://".length)) : url;
