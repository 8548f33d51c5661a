// CallersTools: the tools that a client offers, as the agent's model is offered them, and back.
//
// CALLERS-TOOLS-1  A function or a free-form tool is offered under its own name, one in a namespace as
//     NAMESPACE__NAME.
// CALLERS-TOOLS-2  Tools that the vendor would run itself (web_search …) are only an offer: they are left
//     out, and the answer's list of tools says so. To demand one is refused.

import type { Json, JsonObject, ToolCall, ToolOffer } from "@aos/protocol";
import { fieldRefused } from "./fields.ts";

export interface CallersTool {
  readonly kind: "function" | "custom";
  readonly name: string;
  readonly namespace?: string;
  readonly offer: ToolOffer;
  /** As it came. */
  readonly given: Json;
}

interface GivenTool {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly description?: unknown;
  readonly parameters?: unknown;
  readonly function?: GivenTool;
  readonly custom?: GivenTool;
  readonly tools?: unknown;
}

const NAME = /^[A-Za-z0-9_-]{1,128}$/;
const NO_ARGUMENTS: Json = { type: "object", properties: {} };
/** A free-form tool takes a text; a model gives arguments. */
const FREE_FORM: Json = {
  type: "object",
  properties: { input: { type: "string", description: "The whole input, as it is." } },
  required: ["input"],
  additionalProperties: false,
};

export function readTools(given: readonly unknown[], param = "tools"): CallersTool[] {
  const tools = given.flatMap((tool, index) => readTool(tool as GivenTool, `${param}[${index}]`));
  const names = tools.map(({ offer }) => offer.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw fieldRefused(param, `two tools are called ${twice}`);
  return tools;
}

function readTool(tool: GivenTool, param: string): CallersTool[] {
  if (tool?.type === "namespace") {
    const { name: namespace } = tool;
    const inner = Array.isArray(tool.tools) ? tool.tools : [];
    if (typeof namespace !== "string" || !NAME.test(namespace)) throw nameless(param);
    return readTools(inner, `${param}.tools`).map((one) => ({
      ...one,
      namespace,
      offer: { ...one.offer, name: `${namespace}__${one.name}` },
    }));
  }
  if (tool?.type !== "function" && tool?.type !== "custom") {
    if (typeof tool?.type === "string") return []; // CALLERS-TOOLS-2
    throw fieldRefused(param, "a tool has a type");
  }
  const { type: kind } = tool;
  const { name, description, parameters } = tool[kind] ?? tool;
  if (typeof name !== "string" || !NAME.test(name)) throw nameless(param);
  const input = kind === "custom" ? FREE_FORM : ((parameters ?? NO_ARGUMENTS) as Json);
  if (!isJsonObject(input)) throw fieldRefused(`${param}.parameters`, "a JSON Schema is an object");
  const text = typeof description === "string" ? description : "";
  return [
    { kind, name, offer: { name, description: text, input }, given: tool as unknown as Json },
  ];
}

const nameless = (param: string) =>
  fieldRefused(param, "a tool has a name of letters, digits, _ and -");

/** What is offered to the model, and whether it has to call. */
export interface Choice {
  readonly tools: readonly CallersTool[];
  readonly mustCall: boolean;
}

interface GivenChoice {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly function?: { readonly name?: unknown };
  readonly custom?: { readonly name?: unknown };
  readonly mode?: unknown;
  readonly tools?: unknown;
  readonly allowed_tools?: GivenChoice;
}

export function chooseTools(tools: readonly CallersTool[], choice: unknown = "auto"): Choice {
  if (choice === "none") return { tools: [], mustCall: false };
  if (choice === "auto") return { tools, mustCall: false };
  if (choice === "required") return { tools: must(tools, "any"), mustCall: true };
  const given = (choice ?? {}) as GivenChoice;
  if (given.type === "allowed_tools") {
    const { mode, tools: listed } = given.allowed_tools ?? given;
    const names = (Array.isArray(listed) ? (listed as GivenChoice[]) : []).map(nameOf);
    const allowed = tools.filter(({ name }) => names.includes(name));
    return mode === "required"
      ? { tools: must(allowed, names.join(", ")), mustCall: true }
      : { tools: allowed, mustCall: false };
  }
  const name = nameOf(given);
  return {
    tools: must(
      tools.filter((tool) => tool.name === name),
      name,
    ),
    mustCall: true,
  };
}

const nameOf = ({ name, function: fn, custom, type }: GivenChoice): string =>
  String(name ?? fn?.name ?? custom?.name ?? type);

function must(tools: readonly CallersTool[], name: string): readonly CallersTool[] {
  if (tools.length > 0) return tools;
  throw fieldRefused("tool_choice", `unknown tool ${name}`);
}

/** A call of the model, in the client's words. */
export interface CallersCall {
  readonly id: string;
  readonly kind: CallersTool["kind"];
  readonly name: string;
  readonly namespace?: string;
  /** JSON, or the text of a free-form tool. */
  readonly text: string;
}

export function callersCall(
  call: ToolCall,
  id: string,
  tools: readonly CallersTool[],
): CallersCall {
  const tool = tools.find(({ offer }) => offer.name === call.tool);
  const { kind = "function", name = call.tool, namespace } = tool ?? {};
  const input = isJsonObject(call.args) ? call.args["input"] : undefined;
  const text = kind === "custom" && typeof input === "string" ? input : JSON.stringify(call.args);
  return { id, kind, name, text, ...(namespace === undefined ? {} : { namespace }) };
}

/** The other way: what a client says that the model called. */
export function modelsCall(
  { name, namespace, kind, text }: Omit<CallersCall, "id">,
  param: string,
): Pick<ToolCall, "tool" | "args"> {
  const tool = namespace === undefined ? name : `${namespace}__${name}`;
  if (kind === "custom") return { tool, args: { input: text } };
  try {
    return { tool, args: JSON.parse(text === "" ? "{}" : text) as Json };
  } catch {
    throw fieldRefused(param, "the arguments of a call are JSON");
  }
}

const isJsonObject = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
