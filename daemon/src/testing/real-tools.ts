// Real tools: which of them a test lets run.
//
// REAL-TOOLS-1  A tool that the test neither fakes nor calls real does not run, and the test fails and
//     says so.
// REAL-TOOLS-2  Without a word run what needs nothing but the test's own workspace: files below /work,
//     json.query, echo.
// REAL-TOOLS-3  A test has no network: what reaches outside does not run, whatever the test says.

import { isNamed, SysError, type CallPlace, type Json, type Tool } from "@aos/protocol";
import { valueText } from "./match-value.ts";

const HARMLESS = ["echo", "json.query", "file.*"];

export interface RealTools {
  /** Names, as the test gives them. */
  readonly real: readonly string[];
  readonly onRefused: (problem: string) => void;
}

export function guarded(tool: Tool, { real, onRefused }: RealTools): Tool {
  return {
    ...tool,
    run: async (args, context) => {
      const why = whyNot(tool, args, { workspace: context.workspace }, real);
      if (why === undefined) return tool.run(args, context);
      const problem = `${tool.name} was called with ${valueText(args)}, and ${why}`;
      onRefused(problem);
      throw new SysError("EUPSTREAM", problem);
    },
  };
}

function whyNot(
  tool: Tool,
  args: Json,
  place: CallPlace,
  real: readonly string[],
): string | undefined {
  const { name } = tool;
  if (reachesOut(tool, args, place)) return "it reaches outside: a test must fake it"; // REAL-TOOLS-3
  if (isNamed(name, real)) return undefined;
  const advice = `the test must fake it, or say real: [${name}]`;
  if (!isNamed(name, HARMLESS)) return advice; // REAL-TOOLS-1
  const elsewhere = tool.touches(args, place).find((touch) => !isOwn(touch.resource));
  return elsewhere === undefined ? undefined : `${elsewhere.resource} is not in /work: ${advice}`;
}

function reachesOut(tool: Tool, args: Json, place: CallPlace): boolean {
  const sinks = tool.sinks?.(args, place) ?? (tool.effect === "external" ? ["egress"] : []);
  return tool.egress === true || sinks.includes("egress");
}

const isOwn = (path: string): boolean => path === "/work" || path.startsWith("/work/");
