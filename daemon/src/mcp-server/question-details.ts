// Question details: everything that an approval covers, as text for a person who answers in another program. Nothing
// is cut.

import type { QuestionAbout } from "@aos/protocol";

export function detailsOf(about: QuestionAbout): string {
  const { tool, call, args, touches, rule, label, colour, runs } = about;
  const lines = [
    ...(args === "null" ? [] : [`${tool ?? call} ${args}`]), // a program's own question is about no call
    ...touches.map((touch) => `touches ${touch}`),
    `has read ${label} (${colour})`,
    ...(rule === null ? [] : [`rule ${rule}`]),
  ];
  if (runs === undefined) return lines.join("\n");
  const { program, programVersion, manifest, project, workspace, files, reach } = runs;
  return [
    ...lines,
    ...(runs.tool === null
      ? []
      : [`runs ${runs.tool.name} ${runs.tool.version} ${runs.tool.digest ?? ""}`.trimEnd()]),
    `program ${program} ${programVersion}, manifest ${manifest}`,
    ...(project === null ? [] : [`project ${project}`]),
    `workspace ${workspace.kind} ${workspace.folder ?? ""}`.trimEnd(),
    ...files.map(({ path, digest, bytes }) => `file ${path} ${digest} (${bytes} bytes)`),
    ...reach.map((one) => `may reach ${one}`),
  ].join("\n");
}
