// The bindings of a secret from the options: --host with --header (and --prefix), --tool with --env, --for, repeatable.
// One header, prefix or variable applies to all of them.

import type { OperationArgs } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import type { Options } from "./command.ts";

type Bindings = OperationArgs<"setSecret">["bindings"];

export function bindingsOf(options: Options): Bindings {
  const hosts = options.texts("host");
  const headers = forEach(hosts, options.texts("header"), "--host", "--header");
  const prefixes = options.texts("prefix");
  const tools = options.texts("tool");
  const variables = forEach(tools, options.texts("env"), "--tool", "--env");
  if (prefixes.length > 1 && prefixes.length !== hosts.length) throw uneven("--host", "--prefix");
  if (prefixes.length > 0 && hosts.length === 0) throw uneven("--host", "--prefix");
  return [
    ...hosts.map((origin, i) => {
      const prefix = prefixes[i] ?? prefixes[0];
      const header = headers[i] ?? "";
      return {
        kind: "header" as const,
        origin,
        header,
        ...(prefix === undefined ? {} : { prefix }),
      };
    }),
    ...options.texts("for").map((service) => ({ kind: "service" as const, service })),
    ...tools.map((tool, i) => ({ kind: "variable" as const, tool, variable: variables[i] ?? "" })),
  ];
}

function forEach(
  places: readonly string[],
  names: readonly string[],
  placeOption: string,
  nameOption: string,
): string[] {
  if (names.length === places.length) return [...names];
  if (names.length !== 1 || places.length === 0) throw uneven(placeOption, nameOption);
  return places.map(() => names[0] ?? "");
}

const uneven = (place: string, name: string): SysError =>
  new SysError("EINVAL", `${place} and ${name} must be used together`, {
    hint: `pass one ${name} for each ${place}, or one for all of them`,
  });
