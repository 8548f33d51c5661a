// Tools: how a tool is defined. The arguments are a zod schema; the JSON Schema for models, the validation, and the
// types of `touches`, `sinks` and `run` follow from it.
//
// DEFINE-TOOL-1  `touches`, `sinks` and `run` only see valid arguments.
// DEFINE-TOOL-2  The result of a tool with an `output` schema matches it, or the call fails.

import type {
  CallPlace,
  DeviceContext,
  Effect,
  Json,
  JsonObject,
  Label,
  Sink,
  Tool,
  ToolUndo,
  Touch,
} from "@aos/protocol";
import { SysError } from "@aos/protocol/words";
import { z } from "zod";
import { fillTouches } from "./touch-template.ts";

type PerCall<Schema extends z.ZodType, Answer> = (
  args: z.output<Schema>,
  place: CallPlace,
) => Answer;

export interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly tags?: readonly string[];
  readonly input: Schema;
  /** DEFINE-TOOL-2. */
  readonly output?: z.ZodType;
  readonly effect: Effect;
  readonly egress?: boolean;
  readonly hints?: { readonly usd?: number; readonly ms?: number };
  readonly undo?: ToolUndo;
  readonly sandbox?: "process";
  readonly deprecated?: string;
  readonly source?: string;
  readonly needs?: readonly string[];
  readonly authority?: readonly (keyof z.output<Schema> & string)[];
  /** The resources that a call needs; none when absent. As data: see touch-template.ts. */
  readonly touches?: readonly Touch[] | PerCall<Schema, readonly Touch[]>;
  /** Where what it is given goes; when absent, the effect says. */
  readonly sinks?: readonly Sink[] | PerCall<Schema, readonly Sink[]>;
  /** What a call may turn out to touch beside that. */
  mayTouch?(args: z.output<Schema>, place: CallPlace): readonly Touch[];
  identity?(): Promise<string>;
  isUndoable?(args: z.output<Schema>, place: CallPlace): boolean;
  run(args: z.output<Schema>, context: DeviceContext): Promise<Json>;
  readonly label?: Label;
}

export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, output } = definition;
  const refuses = (args: Json): string | undefined => {
    const checked = definition.input.safeParse(args);
    return checked.success ? undefined : z.prettifyError(checked.error);
  };
  const read = (args: Json): z.output<Schema> => {
    const checked = definition.input.safeParse(args);
    if (checked.success) return checked.data;
    throw new SysError("EINVAL", `${name}: ${z.prettifyError(checked.error)}`);
  };
  const { touches = [], sinks } = definition;
  return {
    ...saidOf(definition),
    refuses,
    touches: (args, place) => {
      const fitting = read(args);
      return typeof touches === "function"
        ? touches(fitting, place)
        : fillTouches(touches, fitting as Json);
    },
    ...(sinks === undefined
      ? {}
      : {
          sinks: (args, place) => {
            const fitting = read(args);
            return typeof sinks === "function" ? sinks(fitting, place) : sinks;
          },
        }),
    ...("mayTouch" in definition
      ? { mayTouch: (args, place) => definition.mayTouch?.(read(args), place) ?? [] }
      : {}),
    ...(definition.identity === undefined ? {} : { identity: () => definition.identity!() }),
    ...("isUndoable" in definition
      ? { isUndoable: (args, place) => definition.isUndoable?.(read(args), place) ?? false }
      : {}),
    run: async (args, context) => {
      const fitting = read(args);
      if (context.signal.aborted) throw stopped(name, context.signal);
      const result = await definition.run(fitting, context);
      return output === undefined ? result : fittingOrRefused(name, output, result);
    },
  };
}

/** What is simply said of a tool. */
function saidOf<Schema extends z.ZodType>(definition: ToolDefinition<Schema>) {
  const { name, version, description, effect, output } = definition;
  const optional = ["tags", "egress", "hints", "undo", "sandbox", "deprecated"] as const;
  const more = ["authority", "label", "source", "needs"] as const;
  return {
    name,
    version,
    description,
    input: jsonSchemaOf(definition.input, "input"),
    effect,
    ...(output === undefined ? {} : { output: jsonSchemaOf(output, "output") }),
    ...Object.fromEntries(
      [...optional, ...more].flatMap((key) =>
        definition[key] === undefined ? [] : [[key, definition[key]]],
      ),
    ),
  };
}

function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _dialect, ...shown } = z.toJSONSchema(schema, { io });
  return shown as JsonObject;
}

/** DEFINE-TOOL-2. */
function fittingOrRefused(name: string, output: z.ZodType, result: Json): Json {
  const checked = output.safeParse(result);
  if (checked.success) return checked.data as Json;
  throw new SysError(
    "EUPSTREAM",
    `the result of ${name} does not match its output schema: ${z.prettifyError(checked.error)}`,
  );
}

function stopped(name: string, signal: AbortSignal): SysError {
  if (signal.reason instanceof SysError) return signal.reason;
  return new SysError("EINTR", `${name} was cancelled before it started`);
}
