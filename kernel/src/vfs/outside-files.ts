// Outside files: what mounts found, as a part of memory that lasts for one search: so it is ranked by the same words,
// vectors and weights as what is stored here.

import type { Json, Label } from "@aos/protocol";
import { labelText } from "../label/label.ts";
import { memoryContentOf } from "../memory/content.ts";
import { dayOf } from "../memory/dates.ts";
import type { LoadedScope } from "../memory/memory-search.ts";
import { IndexSegment } from "../memory/segment.ts";
import type { FileRow, TenantKey } from "../store/rows.ts";

/** What a mount found. */
export interface OutsideFile {
  readonly path: string;
  readonly data: Json;
  readonly text: string;
  readonly writer: string;
  readonly label: Label;
}

export const rowOfOutside = (
  { path, data, writer, label }: OutsideFile,
  tenant: TenantKey,
  nowMs: number,
): FileRow => ({
  tenant,
  space: 0,
  path,
  data: JSON.stringify(data),
  writer,
  label: labelText(label),
  writtenAt: nowMs, // it is so now; since when, a store does not say
});

/** A part of memory for one search. */
export function outsideScope(
  tenant: TenantKey,
  outside: readonly OutsideFile[],
  rows: ReadonlyMap<string, FileRow>,
): LoadedScope[] {
  if (outside.length === 0) return [];
  const segment = new IndexSegment();
  for (const { path, text } of outside) {
    const { writtenAt, writer, label } = rows.get(path)!;
    const content = memoryContentOf(path, text, dayOf(writtenAt));
    segment.put({ path, content, writtenAt, writer, label });
  }
  return [{ loaded: { tenant, current: () => [segment] } }];
}
