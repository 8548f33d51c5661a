// Tags: the marks of sequence rules on a process's label.

import type { Label } from "@aos/protocol";
import { join } from "../label/label.ts";
import type { Process } from "../process/process.ts";

export const freshTags = (label: Label, tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => label.tags?.includes(tag) !== true);

export function mark(process: Process, tags: readonly string[]): void {
  if (tags.length > 0) process.label = join(process.label, { ...process.label, tags });
}

/** A call is not hit by the rule that it arms. */
export function without({ tags = [], ...label }: Label, own: readonly string[]): Label {
  const left = tags.filter((tag) => !own.includes(tag));
  return left.length === 0 ? label : { ...label, tags: left };
}
