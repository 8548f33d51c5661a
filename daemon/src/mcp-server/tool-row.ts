// ToolRow: a tool that other programs may call over MCP: its name, arguments, result and effect.
//
//   operation   the row that the tool stands for: its role decides who sees the tool
//   takes       the arguments that it takes over from that row, with their schemas and descriptions
//   notes       what this tool adds to such a description
//   own         arguments of the tool alone
//
// TOOL-ROW-1  Arguments are checked against the schema. A refusal, by the schema or by the kernel, is a result that
//     says so, so that the calling model can read it and try again.

import type {
  CallToolResult,
  ServerContext,
  Tool,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import { argumentFields, SysError, type OperationName } from "@aos/protocol";
import { z } from "zod";
import { someOf } from "../gateway/read-request.ts";
import type { CallOperation } from "./operations-as.ts";
import type { ToolCallOutcome } from "./task.ts";

/** One call, by somebody. */
export interface ToolCallContext {
  readonly ask: CallOperation;
  readonly context: ServerContext;
  /** Aborted when the caller hangs up or cancels, and when the daemon stops. */
  readonly signal: AbortSignal;
  /** Whether it was the caller who ended it: not the daemon, and not the end of its token. */
  readonly isCancelled: () => boolean;
  /** The caller's own; null for one of all tenants. */
  readonly tenant: string | null;
  /** Where the caller is, on this machine: its project's agents are there too. */
  readonly cwd: string | undefined;
  /** Whether questions are approved over MCP at all. */
  readonly mayApprove: boolean;
}

export interface ToolRow {
  readonly tool: Tool;
  /** The operation without which it can do nothing: who may not call that is not shown it. */
  readonly needs?: OperationName;
  readonly run: (args: Record<string, unknown>, asked: ToolCallContext) => Promise<ToolCallOutcome>;
}

type Fields<Name extends OperationName> = ReturnType<typeof argumentFields<Name>>;
type ArgumentOf<Name extends OperationName> = keyof Fields<Name> & string;

type Input<
  Name extends OperationName,
  Taken extends ArgumentOf<Name>,
  Own extends z.ZodRawShape,
> = z.output<z.ZodObject<Pick<Fields<Name>, Taken> & Own>>;

interface Declared<
  Name extends OperationName,
  Taken extends ArgumentOf<Name>,
  Own extends z.ZodRawShape,
> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly operation: Name;
  readonly takes: readonly Taken[];
  readonly notes?: { readonly [Argument in Taken]?: string };
  readonly own: Own;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
  readonly run: (args: Input<Name, Taken, Own>, asked: ToolCallContext) => Promise<ToolCallOutcome>;
}

export function toolRow<
  Name extends OperationName,
  Taken extends ArgumentOf<Name>,
  Own extends z.ZodRawShape,
>(declared: Declared<Name, Taken, Own>): ToolRow {
  const { name, title, description, output, annotations, operation: needs } = declared;
  const input = inputOf(declared);
  return {
    needs,
    tool: {
      name,
      title,
      description,
      inputSchema: schemaOf(input, "input"),
      outputSchema: schemaOf(output, "output"),
      annotations: { title, ...annotations },
    },
    async run(args, asked) {
      const read = input.safeParse(args);
      if (read.success) return declared.run(read.data as Input<Name, Taken, Own>, asked);
      const problems = read.error.issues.map((issue) =>
        issue.code === "unrecognized_keys"
          ? `unknown argument ${someOf(issue.keys)}; ${name} takes ${Object.keys(input.shape).join(", ")}`
          : `${issue.path.join(".")}: ${issue.message}`,
      );
      throw new SysError("EINVAL", problems.join("; "));
    },
  };
}

function inputOf({
  operation,
  takes,
  notes = {},
  own,
}: {
  readonly operation: OperationName;
  readonly takes: readonly string[];
  readonly notes?: { readonly [argument: string]: string | undefined };
  readonly own: z.ZodRawShape;
}): z.ZodObject {
  const fields = argumentFields(operation) as Readonly<Record<string, z.ZodType>>;
  const taken = takes.map((argument) => {
    const field = fields[argument]!;
    const said = [field.description, notes[argument]].filter((one) => one !== undefined);
    return [argument, said.length === 0 ? field : field.describe(said.join("; "))] as const;
  });
  return z.strictObject({ ...Object.fromEntries(taken), ...own });
}

function schemaOf(schema: z.ZodObject, io: "input" | "output"): Tool["inputSchema"] {
  const written = z.toJSONSchema(schema, { io, target: "draft-2020-12" });
  return written as unknown as Tool["inputSchema"];
}

/** An answer for programs, and the same as text for whoever reads nothing else. */
export const successResult = (value: Record<string, unknown>, isError = false): CallToolResult => ({
  content: [{ type: "text", text: JSON.stringify(value, null, 2) }],
  structuredContent: value,
  ...(isError ? { isError } : {}),
});

/** TOOL-ROW-1. */
export const errorResult = ({ code, message, hint }: SysError): CallToolResult => ({
  content: [
    { type: "text", text: `${code}: ${message}${hint === undefined ? "" : `\nhint: ${hint}`}` },
  ],
  isError: true,
});
