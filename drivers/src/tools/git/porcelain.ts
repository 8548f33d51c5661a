// Porcelain: what git prints for programs, as values.

import type { Json, JsonObject } from "@aos/protocol";

const STATES: Readonly<Record<string, string>> = {
  M: "modified",
  T: "type changed",
  A: "added",
  D: "deleted",
  R: "renamed",
  C: "copied",
  U: "unmerged",
};

/** `git status --porcelain=v2 --branch -z`. */
export function readStatus(text: string): JsonObject {
  const branch: Record<string, Json> = { name: null, ahead: 0, behind: 0 };
  const files: JsonObject[] = [];
  const lines = text.split("\0");
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]!;
    if (line.startsWith("# branch.head ")) branch["name"] = line.slice("# branch.head ".length);
    else if (line.startsWith("# branch.ab ")) {
      const [, ahead, behind] = /\+(\d+) -(\d+)/.exec(line) ?? [];
      branch["ahead"] = Number(ahead);
      branch["behind"] = Number(behind);
    } else if (line.startsWith("? ")) files.push({ path: line.slice(2), unstaged: "untracked" });
    else if (line.startsWith("1 ") || line.startsWith("u ")) files.push(changed(line, 8));
    else if (line.startsWith("2 ")) files.push({ ...changed(line, 9), from: lines[++i] ?? "" });
  }
  return { branch, files };
}

/** The path is what is left after so many words. */
function changed(line: string, words: number): JsonObject {
  const parts = line.split(" ");
  const path = parts.slice(line.startsWith("u ") ? 10 : words).join(" ");
  const [staged, unstaged] = parts[1]!;
  return {
    path,
    ...(STATES[staged!] === undefined ? {} : { staged: STATES[staged!]! }),
    ...(STATES[unstaged!] === undefined ? {} : { unstaged: STATES[unstaged!]! }),
  };
}

export const LOG_FORMAT = "%H%x00%an%x00%ae%x00%aI%x00%s%x00%b%x00%x01";

export function readLog(text: string): Json[] {
  return text
    .split("\0\u0001")
    .map((entry) => entry.replace(/^\n/, "").split("\0"))
    .filter((fields) => fields.length >= 6)
    .map(([hash, author, email, at, subject, body]) => ({
      hash: hash!,
      author: `${author} <${email}>`,
      at: at!,
      subject: subject!,
      body: body!.trimEnd(),
    }));
}
