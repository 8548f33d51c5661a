// The options of a provider.

import type { OperationArgs } from "@aos/protocol";
import { knownProviders, SysError } from "@aos/protocol/words";
import type { Options } from "./command.ts";
import { readText } from "./read-input.ts";

export type ProviderArgs = OperationArgs<"addProvider">;

export async function providerArgs(name: string, options: Options): Promise<ProviderArgs> {
  const type = options.text("type") ?? knownProviders[name]?.type;
  if (type === undefined)
    throw new SysError("EINVAL", `${name} is not a known provider`, {
      hint: `give its --type (and --base-url); known are ${Object.keys(knownProviders).join(", ")}`,
    });
  const baseUrl = options.text("baseUrl");
  const key = options.flag("keyStdin") ? await keyFromStdin() : undefined;
  return {
    name,
    type: type as ProviderArgs["type"],
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(key === undefined ? {} : { key }),
  };
}

/** What is piped in has a line end that is no part of it. */
async function keyFromStdin(): Promise<string> {
  const key = (await readText("-")).trim();
  if (key !== "") return key;
  throw new SysError("EINVAL", "standard input has no key; nothing was written");
}
