// Describe: the tools that a module exports, as data, and the problems of invalid ones.
//
// DESCRIBE-1  Touches and sinks must be known before a call runs, outside this process: they are data, and a function
//     is refused.
// DESCRIBE-2  Sandbox output is untrusted: a tool here cannot set its own label.

import type { Json, Tool } from "@aos/protocol";
import type { ToolDefinition } from "../../tools/define-tool.ts";
import type { z } from "zod";
import type { ToolFileProblem } from "../host-protocol.ts";
import { stated } from "./agent-os.ts";

export interface ModuleTools {
  readonly tools: Tool[];
  readonly flaws: ToolFileProblem[];
}

export function toolsOf(module: object, file: string): ModuleTools {
  const tools = Object.values(module).filter((value): value is Tool => stated.has(value as Tool));
  if (tools.length === 0)
    return { tools, flaws: [{ file, what: "the file exports no tool made with defineTool" }] };
  const flaws = tools.flatMap((tool) => {
    const flaw = flawOf(stated.get(tool)!);
    return flaw === undefined ? [] : [{ file, what: `${tool.name}: ${flaw}` }];
  });
  const sound = tools.filter((tool) => flawOf(stated.get(tool)!) === undefined);
  return { tools: [...new Set(sound)], flaws };
}

/** DESCRIBE-1, DESCRIBE-2. */
function flawOf(definition: ToolDefinition<z.ZodType>): string | undefined {
  if (typeof definition.touches === "function")
    return 'touches is a function; the tool of a project must declare it as data: touches: [{ kind: "http", resource: "api.example.com/{path}", verb: "get" }]';
  if (typeof definition.sinks === "function")
    return 'sinks is a function; the tool of a project must declare it as data: sinks: ["write"]';
  if (definition.label !== undefined)
    return "a label is not allowed: results of a project's tool are always untrusted";
  return undefined;
}

const SAID = [
  ...(["name", "version", "description", "tags", "input", "output", "effect", "egress"] as const),
  ...(["hints", "undo", "deprecated", "needs", "authority"] as const),
];

export function statementOf(tool: Tool, file: string): Json {
  const { touches = [], sinks } = stated.get(tool)!;
  return {
    file,
    ...Object.fromEntries(
      SAID.flatMap((key) => (tool[key] === undefined ? [] : [[key, tool[key] as Json]])),
    ),
    touches: touches as unknown as Json,
    ...(sinks === undefined ? {} : { sinks: sinks as unknown as Json }),
  };
}
