// A draft of a skill, as people read it before they approve it.

import type { SkillDraftReport } from "@aos/protocol/words";
import { printable } from "./printable.ts";

export function draftText(draft: SkillDraftReport): string {
  const { name, run, records, label, isUntrusted, madeBy, digest, folder, problems, text } = draft;
  return [
    `${name}: drafted from ${run ?? "?"}, records ${records ?? "?"}, by ${printable(madeBy ?? "?")}`,
    `label ${label ?? "?"}${isUntrusted ? ": RED, from a run that had read untrusted data" : ""}`,
    `digest ${digest}`,
    `${folder}: edit it there`,
    ...problems.map((problem) => `problem: ${printable(problem)}`),
    "",
    printable(text).trimEnd(),
    "",
    isUntrusted
      ? `aos skill approve ${name} --digest ${digest}`
      : `aos skill approve ${name}, or aos skill reject ${name}`,
  ].join("\n");
}
