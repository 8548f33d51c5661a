// PolicyText: a policy file as it was read, with the line of each field.
//
//   readPolicyFile(file, layer)       from the disk; undefined where there is none
//   readPolicyText(text, file, layer) from a text that was read already
//
// POLICY-TEXT-1  A file that cannot be read is not an empty policy: it is `broken`, and its document is null, which the
//     kernel refuses.

import { readFileSync, statSync } from "node:fs";
import { frontMatter, type KernelOptions } from "@aos/kernel";
import { SysError, type PolicyProblem } from "@aos/protocol";
import type { FieldPath } from "../format-issue.ts";
import { parseYaml } from "../yaml-file.ts";

/** No policy that people can read is larger; a device or a pipe has no size. */
const MOST_BYTES = 1024 * 1024;

export type PolicyLayerSource = NonNullable<KernelOptions["policy"]>[number];

export interface PolicyText {
  readonly file: string;
  readonly text: string;
  readonly source: PolicyLayerSource;
  readonly broken: readonly PolicyProblem[];
  readonly lineOf: (path: FieldPath) => number;
}

export function readPolicyFile(file: string, layer: string): PolicyText | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (!found.isFile()) return broken(file, layer, "is not a file");
    if (found.size > MOST_BYTES) return broken(file, layer, `is larger than ${MOST_BYTES} bytes`);
    return readPolicyText(readFileSync(file, "utf8"), file, layer);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOTDIR") return undefined;
    return broken(file, layer, `cannot be read (${code ?? (error as Error).message})`);
  }
}

export function readPolicyText(text: string, file: string, layer: string): PolicyText {
  const format = file.endsWith(".md") ? "security.md" : "policy";
  try {
    const yaml = format === "policy" ? text : frontMatter(text);
    const { written, lineOf } = parseYaml(yaml, file);
    if (written === null || written === undefined) {
      return broken(file, layer, "is empty, and an empty policy is refused", text);
    }
    const source: PolicyLayerSource = { layer, origin: file, format, document: written };
    return { file, text, source, broken: [], lineOf };
  } catch (error) {
    if (!(error instanceof SysError)) throw error;
    const [problem] = error.detail as unknown as PolicyProblem[];
    return broken(file, layer, problem!.message, text, problem!.line);
  }
}

/** POLICY-TEXT-1. */
function broken(file: string, layer: string, message: string, text = "", line = 1): PolicyText {
  return {
    file,
    text,
    source: { layer, origin: file, format: "policy", document: null },
    broken: [{ file, line, field: "", message }],
    lineOf: () => line,
  };
}
