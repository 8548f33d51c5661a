// Traces: a file of tool traces, read and checked. What does not fit is an error that says where.
//
//   suites.NAME.tools.TOOL      sink, the arguments that carry authority, the label of the result
//   suites.NAME.user_tasks[]    a prompt, the calls that fulfil it, and the result that is planted
//   suites.NAME.injections[]    what the planted text wants, as calls

import { readFile } from "node:fs/promises";
import type { Json, JsonObject } from "@aos/protocol";

const SINKS = ["E", "E?", "D", "W", null] as const;
const RESULTS = ["RED", "GREEN", "NONE"] as const;

export interface TracedTool {
  readonly sink: (typeof SINKS)[number];
  /** The arguments that say who gets it, or what it is done to. */
  readonly authority: readonly string[];
  /** Who could have written what it returns; not said is anybody. */
  readonly result?: (typeof RESULTS)[number];
}

export interface TracedCall {
  readonly tool: string;
  readonly args: JsonObject;
}

export interface UserTask {
  readonly id: string;
  readonly prompt: string;
  readonly calls: readonly TracedCall[];
  /** The index of the call whose result carries the planted text. */
  readonly exposedAfter: number;
}

export interface Injection {
  readonly id: string;
  readonly calls: readonly TracedCall[];
}

export interface Suite {
  readonly name: string;
  readonly tools: ReadonlyMap<string, TracedTool>;
  readonly tasks: readonly UserTask[];
  readonly injections: readonly Injection[];
}

/** What is wrong with a file of traces, for whoever named it. */
export class TraceError extends Error {}

export async function readTraces(file: string): Promise<Suite[]> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new TraceError(`${file} cannot be read: ${(error as Error).message}`);
  }
  let document: Json;
  try {
    document = JSON.parse(text) as Json;
  } catch (error) {
    throw new TraceError(`${file} is not JSON: ${(error as Error).message}`);
  }
  const suites = Object.entries(object(object(document, "the file").suites, "suites"));
  if (suites.length === 0) throw new TraceError("suites: there is none");
  return suites.map(([name, suite]) => readSuite(name, suite, `suites.${name}`));
}

function readSuite(name: string, value: Json, at: string): Suite {
  const suite = object(value, at);
  const tools = new Map(
    Object.entries(object(suite["tools"], `${at}.tools`)).map(([tool, row]) => [
      tool,
      readTool(row, `${at}.tools.${tool}`),
    ]),
  );
  const calls = (row: JsonObject, where: string) =>
    list(row["calls"], `${where}.calls`).map((call, i) =>
      readCall(call, tools, `${where}.calls[${i}]`),
    );
  const tasks = list(suite["user_tasks"], `${at}.user_tasks`).map((task, i) => {
    const where = `${at}.user_tasks[${i}]`;
    const row = object(task, where);
    const exposedAfter = row["exposedAfter"];
    const made = calls(row, where);
    if (!Number.isInteger(exposedAfter) || made[exposedAfter as number] === undefined)
      throw new TraceError(`${where}.exposedAfter is no index of its calls`);
    return {
      id: string(row["id"], `${where}.id`),
      prompt: string(row["prompt"], `${where}.prompt`),
      calls: made,
      exposedAfter: exposedAfter as number,
    };
  });
  const injections = list(suite["injections"], `${at}.injections`).map((injection, i) => {
    const where = `${at}.injections[${i}]`;
    const row = object(injection, where);
    return { id: string(row["id"], `${where}.id`), calls: calls(row, where) };
  });
  return { name, tools, tasks, injections };
}

function readTool(value: Json, at: string): TracedTool {
  const { sink = null, authority, result } = object(value, at);
  if (!(SINKS as readonly Json[]).includes(sink))
    throw new TraceError(`${at}.sink is none of ${SINKS.join(", ")}`);
  if (result !== undefined && !(RESULTS as readonly Json[]).includes(result))
    throw new TraceError(`${at}.result is none of ${RESULTS.join(", ")}`);
  return {
    sink: sink as TracedTool["sink"],
    authority: list(authority, `${at}.authority`).map((name, i) =>
      string(name, `${at}.authority[${i}]`),
    ),
    ...(result === undefined ? {} : { result: result as (typeof RESULTS)[number] }),
  };
}

function readCall(value: Json, tools: ReadonlyMap<string, TracedTool>, at: string): TracedCall {
  const { tool, args } = object(value, at);
  const name = string(tool, `${at}.tool`);
  if (!tools.has(name)) throw new TraceError(`${at}.tool: the suite has no tool ${name}`);
  return { tool: name, args: object(args, `${at}.args`) };
}

function object(value: Json | undefined, at: string): JsonObject {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as JsonObject;
  throw new TraceError(`${at} is not an object`);
}

function list(value: Json | undefined, at: string): readonly Json[] {
  if (Array.isArray(value)) return value;
  throw new TraceError(`${at} is not a list`);
}

function string(value: Json | undefined, at: string): string {
  if (typeof value === "string") return value;
  throw new TraceError(`${at} is not a text`);
}
