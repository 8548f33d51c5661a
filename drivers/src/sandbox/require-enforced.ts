// Require enforced: a tenant below a ceiling runs programs in a sandbox that holds files and network, or not at all,
// whatever the operator has chosen for the rest of the machine.

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
