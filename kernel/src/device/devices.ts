// Devices: the drivers by name. Drivers connected at boot are available to everyone; those of a provider only to
// processes started from its project.
//
// DEVICES-1  A name means one tool: on a name clash the connected driver wins over a provider.
//
// ToolHealth: calls, failures and durations of each tool since boot. Kept in memory for people; the journal is
// authoritative.

import {
  type Label,
  type ModelDriver,
  syscallToolNamed,
  SysError,
  type Connector,
  type MountProvider,
  type Tool,
  type ToolOffer,
  type ToolProvider,
  type ToolScope,
  type Touch,
} from "@aos/protocol";
import type { HealthReport } from "../api.ts";
import { join } from "../label/label.ts";
import type { ModelSource } from "../options.ts";
import { ConnectorRegistry, type ConnectorOwner } from "./connectors.ts";

const NOTHING_BESIDES: ToolProvider = {
  prepare: () => Promise.resolve(),
  tools: () => [],
  mayComeToBe: () => false,
};

export class Devices {
  /** How the tools have done since boot. */
  readonly health = new ToolHealth();
  readonly #tools = new Map<string, Tool>();
  readonly #models = new Map<string, ModelDriver>();
  readonly #provider: ToolProvider;
  readonly #modelSource: ModelSource | undefined;
  readonly #connectors: ConnectorRegistry;

  constructor(
    tools: readonly Tool[],
    models: readonly ModelDriver[],
    provider: ToolProvider = NOTHING_BESIDES,
    modelSource?: ModelSource,
    mounts?: MountProvider,
  ) {
    this.#connectors = new ConnectorRegistry(mounts);
    this.#provider = provider;
    this.#modelSource = modelSource;
    for (const tool of tools) {
      if (this.#tools.has(tool.name))
        throw new SysError("EINVAL", `two tools are called ${tool.name}`);
      this.#tools.set(tool.name, tool);
    }
    for (const model of models) {
      if (this.#models.has(model.provider))
        throw new SysError("EINVAL", `two model drivers are registered for ${model.provider}`);
      this.#models.set(model.provider, model);
    }
  }

  /** Whether a tool is there at once: others may have to be got ready first. */
  isPlugged(name: string): boolean {
    return this.#tools.has(name);
  }

  prepare(scope: ToolScope): Promise<void> {
    return this.#provider.prepare(scope);
  }

  tool(name: string, scope: ToolScope): Tool {
    const tool = this.#tools.get(name) ?? this.tools(scope).find((one) => one.name === name);
    if (tool !== undefined) return tool;
    throw new SysError("ENOENT", `unknown tool ${name}`, {
      hint: this.#hint(name, scope),
      detail: { noTool: name },
    });
  }

  /** DEVICES-1. */
  tools(scope: ToolScope): readonly Tool[] {
    const more = this.#provider.tools(scope).filter(({ name }) => !this.#tools.has(name));
    return more.length === 0 ? [...this.#tools.values()] : [...this.#tools.values(), ...more];
  }

  /** The mounts that a process has below /mnt, by name. */
  connectors(of: ConnectorOwner): ReadonlyMap<string, Connector> {
    return this.#connectors.of(of);
  }

  /** What answers below /mnt/NAME, as the tool `mnt.NAME`. */
  connector(name: string, of: ConnectorOwner): Tool {
    return this.#connectors.tool(name, of);
  }

  /** The mounts that are also below /mem/semantic. */
  semanticStores(of: ConnectorOwner): readonly Connector[] {
    return [...this.#connectors.of(of).values()].filter(({ isSemantic }) => isSemantic === true);
  }

  isSemantic(name: string, of: ConnectorOwner): boolean {
    return this.#connectors.of(of).get(name)?.isSemantic === true;
  }

  /** Whether a path of the machine is hidden from a process by a mount of the same name. */
  isMounted(path: string, of: ConnectorOwner): boolean {
    return this.#connectors.covers(path, of);
  }

  /** A mount hides what the machine has at its path: the right to the one is none to the other. */
  refuseMounted(touches: readonly Touch[], of: ConnectorOwner): void {
    const hidden = touches.find(
      ({ kind, resource }) => kind === "file" && this.isMounted(resource, of),
    );
    if (hidden !== undefined)
      throw new SysError(
        "EINVAL",
        `${hidden.resource} is on a mount: read, list and search read it`,
      );
  }

  /** Those of everyone. */
  get toolNames(): string[] {
    return [...this.#tools.keys()];
  }

  /** Whether a rule may speak of it. */
  isToolName(name: string): boolean {
    return this.#tools.has(name) || this.#provider.mayComeToBe(name);
  }

  model(name: string): ModelDriver {
    const provider = name.split("/", 1)[0]!;
    const model = name.includes("/")
      ? (this.#models.get(provider) ?? this.#modelSource?.driver(provider))
      : undefined;
    if (model !== undefined) return model;
    throw new SysError("ENOENT", `unknown model ${name}`, {
      hint: `a model is written provider/model; the providers are ${this.providers.join(", ") || "none"}`,
    });
  }

  get providers(): string[] {
    return [...this.#models.keys(), ...(this.#modelSource?.providers() ?? [])];
  }

  /**
   * What a process is told of the tools that fit one of these names; `*` at the end of a name stands for
   * any rest. What is deprecated is offered only by its own name.
   */
  offers(
    names: readonly string[],
    scope: ToolScope,
  ): { offers: ToolOffer[]; label: Label | undefined } {
    const fits = ({ name: tool, deprecated }: Tool) =>
      names.some((name) =>
        name.endsWith("*")
          ? tool.startsWith(name.slice(0, -1)) && deprecated === undefined
          : tool === name,
      );
    const offered = this.tools(scope).filter(fits);
    return {
      offers: offered.map(({ name, description, input }) => ({ name, description, input })),
      label: offered
        .flatMap(({ descriptionLabel }) => descriptionLabel ?? [])
        .reduce<Label | undefined>(
          (all, one) => (all === undefined ? one : join(all, one)),
          undefined,
        ),
    };
  }

  #hint(name: string, scope: ToolScope): string {
    const spelled = syscallToolNamed(name);
    if (spelled !== undefined)
      return `${name} is the tool name of the system call ${spelled.call}: make that call instead`;
    const names = this.tools(scope).map((tool) => tool.name);
    const family = name.split(".", 1)[0]!;
    const near = names.filter((one) => one.split(".", 1)[0] === family);
    return `available tools: ${(near.length > 0 ? near : names).join(", ") || "none"}`;
  }
}

/** The last so many durations of a tool are kept. */
const KEPT = 256;

interface Kept {
  calls: number;
  failures: number;
  readonly durations: number[];
  lastFailure: HealthReport["lastFailure"];
}

export class ToolHealth {
  readonly #tools = new Map<string, Kept>();

  note(
    tool: string,
    ms: number,
    failure?: { readonly at: number; readonly message: string },
  ): void {
    const kept = this.#keptFor(tool);
    kept.durations[kept.calls % KEPT] = ms;
    kept.calls += 1;
    if (failure === undefined) return;
    kept.failures += 1;
    kept.lastFailure = failure;
  }

  of(tool: string): HealthReport {
    const { calls, failures, durations, lastFailure } = this.#tools.get(tool) ?? NEVER;
    const sorted = durations.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? null;
    return { calls, failures, p50Ms: at(0.5), p95Ms: at(0.95), lastFailure };
  }

  #keptFor(tool: string): Kept {
    let kept = this.#tools.get(tool);
    if (kept === undefined) {
      kept = { calls: 0, failures: 0, durations: [], lastFailure: null };
      this.#tools.set(tool, kept);
    }
    return kept;
  }
}

const NEVER: Kept = { calls: 0, failures: 0, durations: [], lastFailure: null };
