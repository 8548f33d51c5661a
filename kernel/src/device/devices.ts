// Devices: the drivers that are plugged in, by the names that calls use.

import { SysError, type Label, type ModelDriver, type Tool, type ToolOffer } from "@aos/protocol";
import { join } from "../label/label.ts";

export class Devices {
  readonly #tools = new Map<string, Tool>();
  readonly #models = new Map<string, ModelDriver>();

  constructor(tools: readonly Tool[], models: readonly ModelDriver[]) {
    for (const tool of tools) {
      if (this.#tools.has(tool.name))
        throw new SysError("EINVAL", `two tools are called ${tool.name}`);
      this.#tools.set(tool.name, tool);
    }
    for (const model of models) {
      if (this.#models.has(model.provider))
        throw new SysError("EINVAL", `two model drivers answer for ${model.provider}`);
      this.#models.set(model.provider, model);
    }
  }

  tool(name: string): Tool {
    const tool = this.#tools.get(name);
    if (tool !== undefined) return tool;
    throw new SysError("ENOENT", `there is no tool ${name}`, {
      hint: `there are: ${[...this.#tools.keys()].join(", ") || "none"}`,
    });
  }

  get toolNames(): string[] {
    return [...this.#tools.keys()];
  }

  model(name: string): ModelDriver {
    const provider = name.split("/", 1)[0]!;
    const model = name.includes("/") ? this.#models.get(provider) : undefined;
    if (model !== undefined) return model;
    throw new SysError("ENOENT", `there is no model ${name}`, {
      hint: `models are named provider/model; providers here: ${[...this.#models.keys()].join(", ") || "none"}`,
    });
  }

  /** What a process is told of the tools that fit one of these names; `*` at the end of a name stands for any rest. */
  offers(names: readonly string[]): { offers: ToolOffer[]; label: Label | undefined } {
    const fits = (tool: string) =>
      names.some((name) =>
        name.endsWith("*") ? tool.startsWith(name.slice(0, -1)) : tool === name,
      );
    const offered = [...this.#tools.values()].filter((tool) => fits(tool.name));
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
}
