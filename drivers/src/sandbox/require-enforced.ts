// Require enforced: a tenant with a ceiling runs programs only in a sandbox that enforces files and network, whatever
// the operator configured for others.

import { SysError } from "@aos/protocol";
import { describeReport } from "./report.ts";
import type { Sandbox } from "./sandbox.ts";

export function requireEnforced({ report }: Pick<Sandbox, "report">, tenant: string): void {
  const { level, holds } = report;
  if (level !== "none" && holds.fs === "enforced" && holds.net === "enforced") return;
  throw new SysError(
    "EACCES",
    `tenant ${tenant} has a ceiling, so its programs may not run unsandboxed (${describeReport(report)})`,
    {
      hint: `set up a sandbox (see \`aos doctor\`), or remove the ceiling: aos tenant set ${tenant} --unlimited`,
    },
  );
}
