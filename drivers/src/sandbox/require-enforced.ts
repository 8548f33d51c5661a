// Demand: a tenant below a ceiling runs programs in a sandbox that holds files and network, or not at all,
// whatever the operator has chosen for the rest of the machine.

import { SysError } from "@aos/protocol";
import { describeReport } from "./report.ts";
import type { Sandbox } from "./sandbox.ts";

export function requireEnforced({ report }: Pick<Sandbox, "report">, tenant: string): void {
  const { level, holds } = report;
  if (level !== "none" && holds.fs === "enforced" && holds.net === "enforced") return;
  throw new SysError(
    "EACCES",
    `tenant ${tenant} has a ceiling, and runs nothing outside the sandbox (${describeReport(report)})`,
    {
      hint: `the operator sets up a sandbox (\`aos doctor\`), or takes the ceiling away: aos tenant set ${tenant} --unlimited`,
    },
  );
}
