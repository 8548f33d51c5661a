// Server identity: distinguishes servers of one name by declaration, tool definition, and the bytes of the files that
// the command names.

import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { canonicalText, type Json } from "@aos/protocol";
import { programVersion } from "../programs/program-version.ts";
import type { McpDeclaration } from "./declaration.ts";
import { hashOf, type ServerToolDefinition } from "./tool-pins.ts";

export async function serverIdentity(
  declaration: McpDeclaration,
  definition?: ServerToolDefinition,
): Promise<string> {
  const program =
    declaration.kind === "stdio"
      ? await programVersion(
          declaration.command,
          declaration.within ?? dirname(declaration.declaredIn),
        )
      : null;
  const says = definition === undefined ? null : hashOf(definition);
  return createHash("sha256")
    .update(canonicalText({ declaration: declaration as unknown as Json, program, says }))
    .digest("hex");
}
