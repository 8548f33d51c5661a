// Command: a row of the command line, and what its code receives when it is called.

import type { Client } from "@aos/client";
import type { Output } from "./output.ts";
import type { Endpoint } from "./endpoint.ts";

export interface CommandRow {
  /** As in the help: `wait <pid>`, with the names of its positional arguments. */
  readonly usage: string;
  readonly summary: string;
  readonly description?: string;
  readonly options?: readonly (readonly [flags: string, what: string])[];
  readonly examples: readonly string[];
  /** Takes `--watch`: it only looks, and can look again. */
  readonly watches?: true;
  /** Where `-o name` finds the names in what it shows; see names-in.ts. */
  readonly names?: string;
  /** Whether it starts a daemon when none is up. */
  readonly startsDaemon: boolean;
  readonly load: () => Promise<{ readonly default: Command }>;
}

/** Returns the exit code; nothing means 0. */
export type Command = (call: CommandCall) => Promise<number | void>;

export interface CommandCall {
  readonly args: readonly string[];
  readonly options: Options;
  readonly client: Client;
  readonly endpoint: Endpoint;
  readonly out: Output;
}

/** What was given after `--`, by its long name in camel case. */
export interface Options {
  text(name: string): string | undefined;
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}
