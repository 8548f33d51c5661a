// Call options: converts a request to the options of the vendors' packages.

import type {
  JSONSchema7,
  LanguageModelV4CallOptions,
  LanguageModelV4FunctionTool,
} from "@ai-sdk/provider";
import { canonicalText, type Json, type SyscallArgs } from "@aos/protocol";
import { promptOf } from "./prompt.ts";
import type { ToolNames } from "./tool-names.ts";
import type { VendorRequest, Vendor } from "./vendors.ts";

export function callOptions(
  fitting: VendorRequest,
  vendor: Vendor,
  names: ToolNames,
  more: { readonly signal: AbortSignal; readonly structured: boolean },
): LanguageModelV4CallOptions {
  const { request, maxTokens, provider } = fitting;
  const { temperature, toolChoice, tools = [], output } = request;
  const { options, reasoning } = vendor.fit(fitting);
  const asked = output === undefined || more.structured ? request : withSchemaInWords(request);
  return {
    prompt: promptOf(asked, provider, vendor, names),
    maxOutputTokens: maxTokens,
    abortSignal: more.signal,
    includeRawChunks: true,
    ...(temperature === undefined ? {} : { temperature }),
    ...(tools.length === 0 ? {} : { tools: toolsOf(tools, vendor, names) }),
    ...(toolChoice === undefined || tools.length === 0 ? {} : { toolChoice: { type: toolChoice } }),
    ...(output === undefined ? {} : { responseFormat: formOf(output) }),
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(options === undefined ? {} : { providerOptions: options }),
  };
}

type Request = SyscallArgs<"infer">;

function toolsOf(
  tools: NonNullable<Request["tools"]>,
  { caches }: Vendor,
  names: ToolNames,
): LanguageModelV4FunctionTool[] {
  const offered: LanguageModelV4FunctionTool[] = tools.map(({ name, description, input }) => ({
    type: "function",
    name: names.wire(name),
    description,
    inputSchema: objectSchema(input),
  }));
  const last = offered.at(-1);
  if (last !== undefined && caches !== undefined) last.providerOptions = caches;
  return offered;
}

/** Vendors take arguments by name only, and want that said. */
export const objectSchema = (input: Json): JSONSchema7 =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? ({ type: "object", ...input } as JSONSchema7)
    : { type: "object" };

export const formOf = ({ schema, name }: NonNullable<Request["output"]>) => ({
  type: "json" as const,
  schema: schema as JSONSchema7,
  name: name?.replaceAll(/[^a-zA-Z0-9_-]/g, "_") ?? "answer",
});

/** For servers that can be asked for JSON, but not for which. */
export function withSchemaInWords(request: Request): Request {
  const content = `Answer with JSON that fits this JSON Schema, and nothing else:\n${canonicalText(request.output!.schema)}`;
  return { ...request, messages: [{ role: "system", content }, ...request.messages] };
}
