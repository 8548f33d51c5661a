// Offline: asks the daemon's program to do something to a home that no daemon runs on, and shows how far it is.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { OfflineLine, OfflineReports, OfflineRequest } from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import { daemonCommand } from "./daemon-process.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Output } from "./output.ts";
import { startProgress } from "./progress.ts";

export async function runOffline<Name extends OfflineRequest["do"]>(
  endpoint: Endpoint,
  request: OfflineRequest & { readonly do: Name },
  out: Pick<Output, "format">,
): Promise<OfflineReports[Name]> {
  const [program, args, env] = daemonCommand(endpoint, ["--offline"]);
  const child = spawn(program, args, { env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.on("error", () => {}); // it ended early, and says why
  child.stdin.end(JSON.stringify(request));
  const progress = startProgress(out, request.do);
  try {
    for await (const text of createInterface({ input: child.stdout })) {
      const line = JSON.parse(text) as OfflineLine;
      if ("error" in line) throw SysError.from(line.error);
      if ("report" in line) return line.report as OfflineReports[Name];
      progress.at(line.done, line.of, line.doing);
    }
  } finally {
    progress.stop();
  }
  throw new SysError("EINTERNAL", "the daemon's program ended without an answer");
}
