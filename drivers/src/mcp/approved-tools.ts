// ApprovedTools: compares the tools of a server with the pinned ones (tool-pins.ts).
//
// APPROVED-TOOLS-1  A tool that differs from its pin is not offered, and a call of it is refused too, since the
//     server may have reconnected between offer and call.
// APPROVED-TOOLS-2  Two tools of one name, or a tool without a valid name, make the whole list void.

import { SysError } from "@aos/protocol";
import { type McpDeclaration, offersTool, pinKeyOf } from "./declaration.ts";
import { toolNameFlaw } from "./tool-name.ts";
import {
  type PinChange,
  changesFrom,
  hashOf,
  type PinStore,
  pinsOf,
  type ServerToolDefinition,
} from "./tool-pins.ts";

export class ApprovedTools {
  readonly #declaration: McpDeclaration;
  readonly #pins: PinStore;
  #listed: readonly ServerToolDefinition[];
  #changes: readonly PinChange[] = [];

  constructor(declaration: McpDeclaration, pins: PinStore) {
    this.#declaration = declaration;
    this.#pins = pins;
    const known = pins.of(pinKeyOf(declaration)) ?? {};
    this.#listed = Object.values(known).map(({ definition }) => definition);
  }

  get changes(): readonly PinChange[] {
    return this.#changes;
  }

  /** APPROVED-TOOLS-1: those that are offered. Before the server was asked, those that it had. */
  list(): readonly ServerToolDefinition[] {
    const changed = new Set(this.#changes.map(({ tool }) => tool));
    return this.#listed.filter(
      ({ name }) => offersTool(this.#declaration, name) && !changed.has(name),
    );
  }

  /** What the server says now. At first sight it is agreed to. */
  see(listed: readonly ServerToolDefinition[]): void {
    refuseBadNames(this.#declaration.name, listed);
    const key = pinKeyOf(this.#declaration);
    const pins = this.#pins.of(key);
    this.#listed = listed;
    if (pins === undefined) this.#pins.keep(key, pinsOf(listed));
    this.#changes = pins === undefined ? [] : changesFrom(pins, listed);
  }

  agree(): void {
    this.#pins.keep(pinKeyOf(this.#declaration), pinsOf(this.#listed));
    this.#changes = [];
  }

  /** APPROVED-TOOLS-1. */
  refuseChanged(definition: ServerToolDefinition): void {
    const now = this.list().find(({ name }) => name === definition.name);
    if (now !== undefined && hashOf(now) === hashOf(definition)) return;
    const { name } = this.#declaration;
    throw new SysError(
      "EACCES",
      `the tool ${definition.name} of the MCP server ${name} has changed since it was pinned`,
      {
        hint: `review the change with aos mcp show ${name}, then run aos mcp pin ${name}`,
      },
    );
  }
}

/** APPROVED-TOOLS-2. */
function refuseBadNames(server: string, listed: readonly ServerToolDefinition[]): void {
  const seen = new Set<string>();
  for (const { name } of listed) {
    const flaw = seen.has(name) ? "the name occurs twice" : toolNameFlaw(name);
    seen.add(name);
    if (flaw !== undefined)
      throw new SysError(
        "EINVAL",
        `the tools of the MCP server ${server} cannot be offered: ${JSON.stringify(name)}: ${flaw}`,
      );
  }
}
