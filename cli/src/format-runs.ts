// Formats what would run after an approval.

import type { RunIdentity } from "@aos/protocol/words";
import { each } from "./detail-text.ts";

type Line = readonly [name: string, value: string | null];

export function formatRuns(runs: RunIdentity | undefined): Line[] {
  if (runs === undefined) return [];
  const { tool, program, programVersion, manifest, project, workspace, files, reach } = runs;
  const { kind, folder } = workspace;
  return [
    ["runs tool", tool === null ? null : sayTool(tool)],
    ["runs program", `${program} ${programVersion}, manifest ${manifest}`],
    ["project", project],
    ["workspace", folder === null ? kind : `${kind} ${folder}`],
    ["named files", files.length === 0 ? null : each(files.map(sayFile))],
    ["may reach", reach.length === 0 ? null : each(reach)],
  ];
}

const sayTool = ({ name, version, digest }: NonNullable<RunIdentity["tool"]>): string =>
  `${name} ${version}${digest === null ? "" : `, code ${digest}`}`;

const sayFile = ({ path, digest, bytes }: RunIdentity["files"][number]): string =>
  `${path} ${digest} (${bytes} bytes)`;
