// Reports of tools.

import type { Tool, ToolDetail, ToolReport } from "@aos/protocol";
import type { Kernel } from "@aos/kernel";
import { SYSTEM_CALL } from "../tools/syscall-tool-list.ts";

type Known = Awaited<ReturnType<Kernel["tools"]>>[number];

export function toolReportOf({ tool, health }: Known): ToolReport {
  const { calls, failures, p50Ms, p95Ms } = health;
  return {
    name: tool.name,
    version: tool.version,
    description: tool.description,
    source: tool.source ?? "built-in",
    effect: tool.effect,
    tags: tool.tags ?? [],
    deprecated: tool.deprecated ?? null,
    calls,
    failures,
    p50Ms,
    p95Ms,
  };
}

export function toolDetailOf(known: Known): ToolDetail {
  const { tool, health } = known;
  const { lastFailure } = health;
  return {
    ...toolReportOf(known),
    input: tool.input,
    output: tool.output ?? null,
    sandbox: tool.sandbox ?? null,
    undo: typeof tool.undo === "object" ? tool.undo.tool : (tool.undo ?? null),
    egress: tool.egress ?? false,
    hints: tool.hints ?? {},
    lastFailure:
      lastFailure === null
        ? null
        : { at: new Date(lastFailure.at).toISOString(), message: lastFailure.message },
    needs: needsOf(tool),
  };
}

/** What a call needs whatever its arguments; more where the arguments name files, hosts or programs. */
function needsOf(tool: Tool): string[] {
  const { name, source, needs = [] } = tool;
  return source === SYSTEM_CALL ? [...needs] : [`tool:${name}:call`, ...needs];
}
