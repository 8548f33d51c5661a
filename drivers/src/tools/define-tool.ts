// Tools: how one is written. The arguments are a zod schema; the JSON Schema that a model is shown, the
// refusal of what does not fit, and the types of `touches`, `sinks` and `run` all come from it.
//
// T1  `touches`, `sinks` and `run` only ever see arguments that fit.

import {
  type DeviceContext,
  type Effect,
  type Json,
  type JsonObject,
  type Label,
  type Sink,
  SysError,
  type Tool,
  type Touch,
} from "@aos/protocol";
import { z } from "zod";

export interface ToolDefinition<Schema extends z.ZodType> {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly input: Schema;
  readonly effect: Effect;
  readonly egress?: boolean;
  readonly authority?: readonly (keyof z.output<Schema> & string)[];
  /** The resources that a call needs; none when absent. */
  touches?(args: z.output<Schema>): readonly Touch[];
  /** Where what it is given goes; when absent, the effect says. */
  sinks?(args: z.output<Schema>): readonly Sink[];
  run(args: z.output<Schema>, context: DeviceContext): Promise<Json>;
  readonly label?: Label;
}

export function defineTool<Schema extends z.ZodType>(definition: ToolDefinition<Schema>): Tool {
  const { name, version, description, effect, egress, label, authority } = definition;

  const refuses = (args: Json): string | undefined => {
    const checked = definition.input.safeParse(args);
    return checked.success ? undefined : z.prettifyError(checked.error);
  };
  const read = (args: Json): z.output<Schema> => {
    const checked = definition.input.safeParse(args);
    if (checked.success) return checked.data;
    throw new SysError("EINVAL", `${name}: ${z.prettifyError(checked.error)}`);
  };

  return {
    name,
    version,
    description,
    input: jsonSchemaOf(definition.input),
    effect,
    ...(egress === undefined ? {} : { egress }),
    ...(authority === undefined ? {} : { authority }),
    ...(label === undefined ? {} : { label }),
    refuses,
    touches: (args) => {
      const fitting = read(args);
      return definition.touches?.(fitting) ?? [];
    },
    ...("sinks" in definition ? { sinks: (args) => definition.sinks?.(read(args)) ?? [] } : {}),
    run: async (args, context) => {
      const fitting = read(args);
      if (context.signal.aborted) throw stopped(name, context.signal);
      return definition.run(fitting, context);
    },
  };
}

function jsonSchemaOf(input: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input" });
  return schema as JsonObject;
}

function stopped(name: string, signal: AbortSignal): SysError {
  if (signal.reason instanceof SysError) return signal.reason;
  return new SysError("EINTR", `${name} was stopped before it began`);
}
