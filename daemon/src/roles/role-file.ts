// RoleFile: reads a role from YAML: our fields, and those of aaOS' role files as they are.
//
// ROLE-FILE-1  An unknown field, tool word or reason is an error with its line; nothing is left out in silence.
// ROLE-FILE-2  Paths of aaOS (`/data/*`) are below the workspace: a role file reaches no path of the machine.
// ROLE-FILE-3  Every capability is one that the kernel reads, with a word in the place of each placeholder.

import { readManifest } from "@aos/kernel";
import {
  agentRoleSchema,
  type AgentRole,
  type AgentRoleText,
  parameterTypes,
  rememberText,
  rolePlaceholders,
  SysError,
} from "@aos/protocol";
import { z } from "zod";
import { readYaml, type FieldProblem } from "../yaml-file.ts";

const budget = z.union([
  z.strictObject({
    max_input_tokens: z.number().int().nonnegative(),
    max_output_tokens: z.number().int().nonnegative(),
  }),
  z.strictObject({
    usd: z.number().optional(),
    tokens: z.union([z.string(), z.number()]).optional(),
    toolCalls: z.union([z.string(), z.number()]).optional(),
    wall: z.string().optional(),
  }),
]);

const escalations: Readonly<Record<string, string>> = {
  replan_retry: "replan",
  tool_repeat_guard: "loop",
  max_tokens: "cutoff",
};

const reasons: Readonly<Record<string, string>> = {
  web_fetch_5xx: "upstream",
  network: "upstream",
  error: "any",
};

const text = z.string();
const oneOrMore = z.union([text, z.array(text)]);

const roleFile = z.strictObject({
  apiVersion: z.literal("aos/v1").optional(),
  kind: z.literal("Role").optional(),
  name: text,
  description: text.optional(),
  model: oneOrMore.optional(),
  model_ladder: z.array(text).optional(),
  escalate_on: z.array(text).optional(),
  parameters: z
    .record(
      text,
      z.strictObject({
        type: z.enum(parameterTypes),
        required: z.boolean().optional(),
        description: text.optional(),
      }),
    )
    .optional(),
  capabilities: z.array(text).optional(),
  tools: z.array(text).optional(),
  system: text.optional(),
  system_prompt: text.optional(),
  message: text.optional(),
  message_template: text.optional(),
  budget: budget.optional(),
  maxTokens: z.union([text, z.number()]).optional(),
  retry: z
    .strictObject({
      max: z.number().optional(),
      max_attempts: z.number().optional(),
      on: z.array(text).optional(),
    })
    .optional(),
  lane: text.optional(),
  priority: z.number().int().min(0).max(255).optional(),
  program: text.optional(),
  scaffold: z.strictObject({ kind: text }).optional(),
  maxSteps: z.number().optional(),
  orchestration: z
    .strictObject({ max_iterations: z.number().optional(), commit_nudges: z.number().optional() })
    .optional(),
  require_declared_output: z.boolean().optional(),
  requireOutputs: z.boolean().optional(),
  output: z.strictObject({ schema: z.record(z.string(), z.unknown()) }).optional(),
});
type RoleFile = z.output<typeof roleFile>;

/** Throws EINVAL that says `file:line: field: …`. */
export const readRoleFile = rememberText((words, file): AgentRole => {
  const { read } = readYaml(words, file, roleFile, (role) => {
    const parsed = agentRoleSchema.safeParse(roleOf(role));
    if (!parsed.success)
      return parsed.error.issues.map(({ path, message }) => ({
        path: fieldOf(path as (string | number)[], role),
        message,
      }));
    return capabilityFlaws(parsed.data, role);
  });
  return agentRoleSchema.parse(roleOf(read));
});

/** The field that the file has for one of ours. */
function fieldOf(path: readonly (string | number)[], role: RoleFile): (string | number)[] {
  const [first, ...rest] = path;
  const theirs: Readonly<Record<string, keyof RoleFile>> = {
    system: "system_prompt",
    message: "message_template",
    requireOutputs: "require_declared_output",
    program: "scaffold",
  };
  const other = theirs[String(first)];
  if (other !== undefined && role[other] !== undefined) return [other];
  return first === "capabilities" ? ["capabilities"] : [first ?? "name", ...rest];
}

/** ROLE-FILE-3. */
function capabilityFlaws({ capabilities }: AgentRole, role: RoleFile): FieldProblem[] {
  return capabilities.flatMap((capability) => {
    const sample = capability.replaceAll(
      /\{[a-z][a-z0-9_]*(\.\*)?\}/g,
      capability.startsWith("file:") ? "/work/x" : "x.example",
    );
    try {
      readManifest({ apiVersion: "aos/v1", kind: "Agent", name: "role", capabilities: [sample] });
      return [];
    } catch (error) {
      if (!(error instanceof SysError)) throw error;
      const nth = (role.capabilities ?? []).indexOf(capability);
      const path = nth < 0 ? ["capabilities"] : ["capabilities", nth];
      return [{ path, message: error.message.replace(/^manifest: [^:]*: /, "") }];
    }
  });
}

/** Tools by their names in aaOS. */
const TOOLS: Readonly<Record<string, string>> = {
  web_fetch: "http.fetch",
  file_read: "file.read",
  file_read_many: "file.read_many",
  file_write: "file.write",
  file_edit: "file.edit",
  file_list: "file.list",
  cargo_run: "build.run",
  git_commit: "git.commit",
  memory_query: "memory.search",
  memory_store: "memory.write",
  grep: "file.grep",
};

const toolNamed = (name: string): string => TOOLS[name] ?? name;

function roleOf(role: RoleFile): AgentRoleText {
  const { model, model_ladder: ladder, retry, priority, orchestration, scaffold } = role;
  const { capabilities, tools } = powerOf(role);
  const models = ladder ?? (model === undefined ? undefined : [model].flat());
  const program = role.program ?? scaffold?.kind;
  const attempts = retry?.max ?? retry?.max_attempts;
  const steps = role.maxSteps ?? orchestration?.max_iterations;
  const required = role.requireOutputs ?? role.require_declared_output;
  return clean({
    name: role.name,
    description: role.description,
    model: models?.map(modelNamed),
    escalate_on: role.escalate_on?.map((word) => escalations[word] ?? word),
    parameters: parametersOf(role),
    capabilities,
    tools,
    system: role.system ?? role.system_prompt,
    message: role.message ?? role.message_template,
    budget: budgetOf(role.budget),
    maxTokens: role.maxTokens,
    retry:
      retry === undefined
        ? undefined
        : clean({ max: attempts, on: retry.on?.map((word) => reasons[word] ?? word) }),
    lane: role.lane ?? laneOf(priority),
    program,
    maxSteps: steps,
    requireOutputs: required,
    output: role.output,
  }) as unknown as AgentRoleText;
}

const clean = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A parameter that a host is made of is a URL. */
function parametersOf({ parameters = {}, capabilities = [] }: RoleFile) {
  const hosts = new Set(
    capabilities
      .filter((one) => /^(http:|network:|browser:)/.test(one))
      .flatMap(rolePlaceholders)
      .map(({ parameter }) => parameter),
  );
  const isUrl = (name: string) => hosts.has(name) || name === "url";
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { type, ...rest }]) => [
      name,
      clean({ ...rest, type: type === "string" && isUrl(name) ? "url" : type }),
    ]),
  );
}

function budgetOf(given: RoleFile["budget"]) {
  if (given === undefined || !("max_input_tokens" in given)) return given;
  return { tokens: given.max_input_tokens + given.max_output_tokens };
}

const laneOf = (priority: number | undefined): string | undefined =>
  priority === undefined ? undefined : priority >= 192 ? "high" : priority < 64 ? "low" : "normal";

const VENDORS: readonly (readonly [RegExp, string])[] = [
  [/^deepseek-/, "deepseek"],
  [/^(gpt-|o\d)/, "openai"],
  [/^claude-/, "anthropic"],
  [/^gemini-/, "google"],
];

/** aaOS has one provider, and so names of models without one. */
function modelNamed(name: string): string {
  if (name.includes("/")) return name;
  const vendor = VENDORS.find(([pattern]) => pattern.test(name))?.[1];
  return vendor === undefined ? name : `${vendor}/${name}`;
}

/** ROLE-FILE-2. What aaOS grants in its own words, in ours. */
function powerOf({ capabilities = [], tools = [], parameters = {} }: RoleFile) {
  const named = new Set(tools.map(toolNamed));
  const ours = new Set<string>();
  const isNetworked = capabilities.some((one) => /^(network:|http:)/.test(one));
  for (const one of capabilities) {
    const [, word, value] = /^([a-z_]+): (.+)$/.exec(one) ?? [];
    if (one === "web_search" || word === "tool") {
      const tool = toolNamed(value ?? "http.fetch");
      named.add(tool);
      ours.add(`tool:${tool}:call`);
      if (tool === "http.fetch" && !isNetworked) ours.add(webOf(parameters));
    } else if (word === "file_read") ours.add(`file:${inWork(value!)}:read,list`);
    else if (word === "file_write") ours.add(`file:${inWork(value!)}:write`);
    else if (word === "network") ours.add(`http:${hostOf(value!)}:get,head`);
    else if (word === "cargo_run") ours.add("shell:cargo:exec");
    else if (word === "git_commit") ours.add("shell:git:exec");
    else if (word === "spawn_child") ours.add(`agent:${value!.replace(/^\[|\]$/g, "")}:spawn`);
    else ours.add(one);
  }
  return { capabilities: [...ours], tools: [...named] };
}

/** A fetch goes where its parameter says. */
const webOf = (parameters: object): string =>
  Object.hasOwn(parameters, "url") ? "http:{url}/**:get,head" : "http:*/**:get,head";

const hostOf = (value: string): string =>
  value === "*" ? "*/**" : /^\{[a-z0-9_]+(\.\*)?\}$/.test(value) ? `${value}/**` : `${value}/**`;

function inWork(value: string): string {
  const path = value.endsWith("/*") ? `${value}*` : value;
  if (path.startsWith("{") || path.startsWith("/work/")) return path;
  return path === "*" ? "/work/**" : `/work${path}`;
}
