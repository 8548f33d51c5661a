// The options of a ceiling.

import { SysError } from "@aos/protocol/words";
import type { OperationArgs } from "@aos/protocol";
import type { Options } from "./command.ts";

export function readCeilingOptions(options: Options): Omit<OperationArgs<"setTenant">, "name"> {
  const list = options.texts("ceiling");
  const bases = [
    ...(list.length === 0 ? [] : [list]),
    ...(options.flag("reset") ? (["default"] as const) : []),
    ...(options.flag("unlimited") ? (["none"] as const) : []),
  ];
  if (bases.length > 1)
    throw new SysError("EINVAL", "--ceiling, --reset and --unlimited exclude each other");
  const [ceiling] = bases;
  const [allow, remove] = [options.texts("allow"), options.texts("remove")];
  return {
    ...(ceiling === undefined
      ? {}
      : { ceiling: typeof ceiling === "string" ? ceiling : [...ceiling] }),
    ...(allow.length === 0 ? {} : { allow: [...allow] }),
    ...(remove.length === 0 ? {} : { remove: [...remove] }),
  };
}
