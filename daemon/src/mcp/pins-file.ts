// The file of pins: what was agreed to of each MCP server's tools, in the home.
//
// PINS-FILE-1  Written whole or not at all, and for its owner only.
// PINS-FILE-2  A file that cannot be read is no empty one: nothing is agreed to anew because it was
//     spoilt.

import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { PinStore, Pins } from "@aos/drivers";
import { SysError } from "@aos/protocol";
import { z } from "zod";

const anObject = z.record(z.string(), z.json());

const pin = z.strictObject({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  definition: z.strictObject({
    name: z.string(),
    title: z.string().optional(),
    description: z.string().optional(),
    inputSchema: anObject,
    outputSchema: anObject.optional(),
    annotations: anObject.optional(),
  }),
});

const fileSchema = z.strictObject({
  version: z.literal(1),
  servers: z.record(z.string(), z.record(z.string(), pin)),
});

type Servers = Record<string, Pins>;

export class PinsFile implements PinStore {
  readonly #file: string;
  #servers: Servers | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  of(server: string): Pins | undefined {
    const servers = this.#load();
    return Object.hasOwn(servers, server) ? servers[server] : undefined;
  }

  keep(server: string, pins: Pins): void {
    this.#store({ ...this.#load(), [server]: pins });
  }

  forget(server: string): void {
    const { [server]: _forgotten, ...others } = this.#load();
    this.#store(others);
  }

  /** PINS-FILE-2. */
  #load(): Servers {
    if (this.#servers !== undefined) return this.#servers;
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return (this.#servers = {});
      throw this.#spoilt((error as Error).message);
    }
    try {
      const { servers } = fileSchema.parse(JSON.parse(text));
      return (this.#servers = servers as unknown as Servers);
    } catch {
      throw this.#spoilt("the file was changed");
    }
  }

  /** PINS-FILE-1. */
  #store(servers: Servers): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify({ version: 1, servers }), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
    this.#servers = servers;
  }

  #spoilt(why: string): SysError {
    return new SysError("EINVAL", `the pins of MCP servers in ${this.#file}: ${why}`, {
      hint: "restore it from a backup; if you delete it, you must pin every server again",
    });
  }
}
