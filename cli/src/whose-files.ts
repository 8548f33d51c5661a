// The process or the tenant whose files are meant, from the options.

import type { CommandCall } from "./command.ts";

export function whoseFiles(options: CommandCall["options"]): { pid?: string; tenant?: string } {
  const [pid, tenant] = [options.text("pid"), options.text("tenant")];
  return {
    ...(pid === undefined ? {} : { pid }),
    ...(tenant === undefined ? {} : { tenant }),
  };
}
