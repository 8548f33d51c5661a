// Handlers of operations about the archive.

import { SysError, type archiveOperations } from "@aos/protocol";
import type { ArchivedRuns } from "../../backup/archived-runs.ts";
import { omitUndefined } from "../../omit-undefined.ts";
import type { GatewayContext } from "../gateway-context.ts";
import type { HandlersOf } from "./handler.ts";

export const archiveHandlers: HandlersOf<typeof archiveOperations> = {
  async archiveRuns({ kernel }, { pid, endedBefore, dryRun }, { caller }) {
    const before = endedBefore === undefined ? undefined : Date.parse(endedBefore);
    const report = await kernel.archiveRuns(omitUndefined({ pid, endedBefore: before, dryRun }));
    if (report.bundles.length > 0)
      await kernel.enter(
        "archive",
        caller.name,
        omitUndefined({ pid, endedBefore, runs: report.archived }),
      );
    return report;
  },
  archivedRuns: (gateway, args) => archiveOf(gateway).list(args),
  verifyArchive: (gateway) => archiveOf(gateway).verify(),
};

function archiveOf({ archive }: Pick<GatewayContext, "archive">): ArchivedRuns {
  if (archive !== undefined) return archive;
  throw new SysError("ESTATE", "no archive is configured", {
    hint: "name a folder as `archive` of `retention` in config.yaml, and start the daemon again",
  });
}
