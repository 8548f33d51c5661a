// Changes report: the changes of a workspace for people: a line and a diff for each path.

import type { ChangesReport, FileChange } from "@aos/protocol";
import { type Base, originalIsStill } from "./base.ts";
import { readPieces } from "./copy-bytes.ts";
import type { Difference, ComparedTrees } from "./compare.ts";
import type { Folder } from "./folder.ts";
import { AGENT_ROOT } from "./mapping.ts";
import { MAX_TEXT_BYTES, patchText, type Version } from "./patch-text.ts";
import { joinNames } from "./format.ts";
import { type PathState, decodeUtf8 } from "./path-state.ts";
import { inFolderOf } from "./state.ts";
import { skipReasonText } from "./walk.ts";
import type { Snapshot } from "./walk.ts";

/** Of all texts together: beyond it the changes are listed without their text. */
const MAX_REPORT_BYTES = 4 * 1024 * 1024;

export interface WorkspaceChanges extends ChangesReport {
  /** What a reader should know: what was left out, cannot be told or was cut. */
  readonly notes: readonly string[];
}

export async function describeChanges(
  sides: ComparedTrees,
  differences: readonly Difference[],
  withText: boolean,
): Promise<{ changes: FileChange[]; notes: string[] }> {
  const stale: string[] = [];
  const changes: FileChange[] = [];
  let bytes = 0;
  for (const difference of differences) {
    const hasRoom = bytes < MAX_REPORT_BYTES;
    const change = await describe(sides, difference, withText && hasRoom, stale);
    bytes += change.diff?.length ?? 0;
    changes.push(change);
  }
  const notes = [
    ...(stale.length === 0
      ? []
      : [
          `changed in the project since the copy was made, so the old text is unknown: ${joinNames(stale)}`,
        ]),
    ...(bytes < MAX_REPORT_BYTES ? [] : ["further changes are listed without their text"]),
  ];
  return { changes, notes };
}

async function describe(
  sides: ComparedTrees,
  difference: Difference,
  withText: boolean,
  stale: string[],
): Promise<FileChange> {
  const { path, old, new: now, isContent } = difference;
  const isStale =
    old !== undefined &&
    isContent &&
    (sides.project === undefined || !(await originalIsStill(old, sides.project, path)));
  if (isStale) stale.push(path);
  const before = await versionOf(old, isStale ? undefined : sides.project, path);
  const after = await versionOf(now, sides.copy, path);
  const same = isContent ? {} : { content: Buffer.alloc(0) };
  const diff = withText
    ? patchText(path, before && { ...before, ...same }, after && { ...after, ...same })
    : undefined;
  return {
    path: `${AGENT_ROOT}/${path}`,
    change: changeOf(difference),
    kind: (after ?? before)!.kind,
    isBinary: isContent && [before, after].some(isBinary),
    before: old?.size ?? null,
    after: now?.size ?? null,
    ...(diff === undefined ? {} : { diff }),
  };
}

/** Of a long one only the beginning is at hand, which may end within a character. */
function isBinary(version: Version | undefined): boolean {
  const content = version?.content;
  if (content === undefined) return false;
  const isWhole = content.length <= MAX_TEXT_BYTES;
  return content.includes(0) || (isWhole && decodeUtf8(content) === undefined);
}

function changeOf({ old, new: now, isContent }: Difference): FileChange["change"] {
  if (old === undefined) return "added";
  if (now === undefined) return "removed";
  return isContent ? "changed" : "mode";
}

async function versionOf(
  seen: PathState | undefined,
  top: Folder | undefined,
  path: string,
): Promise<Version | undefined> {
  if (seen === undefined || seen.kind === "other") return undefined;
  const { kind, mode, size, target } = seen;
  if (kind === "link") return { kind, mode, size, content: Buffer.from(target ?? "") };
  const content =
    kind === "file" && top !== undefined
      ? await contentAt(top, path).catch(() => undefined)
      : undefined;
  return { kind, mode, size, ...(content === undefined ? {} : { content }) };
}

/** One byte more than is shown says that there is more. */
function contentAt(top: Folder, path: string): Promise<Buffer | undefined> {
  return inFolderOf(top, path, async (folder, name) => {
    await using file = await folder.openFile(name);
    const pieces: Buffer[] = [];
    await readPieces(file, MAX_TEXT_BYTES + 1, (piece) => void pieces.push(Buffer.from(piece)));
    return Buffer.concat(pieces);
  });
}

/** What is in neither list of changes, and why. */
export function notesOn({ leftOut }: Base, { skipped }: Snapshot): string[] {
  const reasons = new Map<string, string[]>();
  for (const { path, why } of leftOut) add(reasons, `not copied, because ${why}`, path);
  for (const { path, reason } of skipped)
    add(reasons, `not committed, because ${skipReasonText[reason]}`, path);
  return [...reasons].map(([why, paths]) => `${why}: ${joinNames(paths)}`);
}

function add(reasons: Map<string, string[]>, why: string, path: string): void {
  reasons.set(why, [...(reasons.get(why) ?? []), path]);
}
