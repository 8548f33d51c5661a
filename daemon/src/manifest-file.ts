// ManifestFile: parses a manifest file. The kernel finds the problems; this adds file, line and field.

import { readManifest as readByKernel } from "@aos/kernel";
import {
  manifestSchema,
  rememberText,
  SysError,
  type Manifest,
  type ManifestText,
} from "@aos/protocol";
import { readYaml, type FieldProblem } from "./yaml-file.ts";

export interface ParsedManifest {
  /** As written, for the kernel to freeze. */
  readonly written: ManifestText;
  readonly manifest: Manifest;
}

/** Throws EINVAL that says `file:line: field: …` for what is wrong with it. */
export const readManifestFile = rememberText((text, file): ParsedManifest => {
  const { written, read } = readYaml(text, file, manifestSchema, kernelComplaints);
  return { written: written as ManifestText, manifest: read };
});

/** What only the kernel knows: whether the capabilities can be read. */
function kernelComplaints(_read: Manifest, written: unknown): FieldProblem[] {
  try {
    readByKernel(written as ManifestText);
    return [];
  } catch (error) {
    const { field } = ((error as SysError).detail ?? {}) as { field?: string };
    if (!(error instanceof SysError) || field === undefined) throw error;
    const path = field.split(".").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    return [{ path, message: error.message.replace(`manifest: ${field}: `, "") }];
  }
}
