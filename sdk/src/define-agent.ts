// Define agent: a manifest written in code, validated immediately.

import { manifestSchema, SysError, type ManifestText } from "@aos/protocol";

/** Returns the manifest as it is; throws EINVAL with every field that is wrong. */
export function defineAgent<const Text extends ManifestText>(manifest: Text): Text {
  const read = manifestSchema.safeParse(manifest);
  if (read.success) return manifest;
  const problems = read.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new SysError("EINVAL", `the manifest is not valid: ${problems.join("; ")}`);
}
