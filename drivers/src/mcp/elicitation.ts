// Elicitation: turns a question of a server into a question to a person, who answers before the call continues.
//
// ELICITATION-1  The person is told that the text is the server's. A server may ask for what the protocol allows: a
//     flat form, or opening an address.
// ELICITATION-2  A no declines. A question that belongs to no call, or to one of several, is cancelled without
//     asking.
// ELICITATION-3  An answer that does not match the form is asked for again.

import { type DeviceContext, type Json, type JsonObject, SysError } from "@aos/protocol";
import { checkOf } from "./argument-check.ts";
import type { CallRegistry } from "./call-registry.ts";

/** As the protocol gives it. */
export interface Elicitation {
  readonly mode?: string | undefined;
  readonly message: string;
  readonly requestedSchema?: unknown;
  readonly url?: string | undefined;
}

type Primitive = string | number | boolean | string[];

export type ElicitationResult =
  | { readonly action: "accept"; readonly content?: Record<string, Primitive> }
  | { readonly action: "decline" | "cancel" };

const MAX_MESSAGE_CHARS = 2000;
const MAX_TRIES = 3;

export async function elicit(
  server: string,
  question: Elicitation,
  registry: CallRegistry,
): Promise<ElicitationResult> {
  const asked = registry.asked();
  if (asked === undefined) return { action: "cancel" };
  const { context, waits } = asked;
  waits.pause();
  try {
    return question.mode === "url"
      ? await showUrl(server, question, context)
      : await fillForm(server, question, context);
  } catch (error) {
    if (error instanceof SysError && error.code === "EDENIED") return { action: "decline" };
    throw error;
  } finally {
    waits.resume();
  }
}

async function showUrl(
  server: string,
  { message, url = "" }: Elicitation,
  context: DeviceContext,
): Promise<ElicitationResult> {
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== "https:" && protocol !== "http:") return { action: "cancel" };
  await context.ask({
    text: `${said(server, message)}\nPlease open ${url}\nThen answer yes, or no to decline.`,
  });
  return { action: "accept" };
}

async function fillForm(
  server: string,
  { message, requestedSchema }: Elicitation,
  context: DeviceContext,
): Promise<ElicitationResult> {
  const schema = (requestedSchema ?? { type: "object", properties: {} }) as JsonObject;
  const check = checkOf(schema);
  let complaint = "";
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const text = `${said(server, message)}${complaint}`;
    const written = readAnswer(await context.ask({ text, schema }));
    if (written === "declined") return { action: "decline" };
    const answer = written && { ...defaultsOf(schema), ...written };
    const problem = answer === undefined ? "the answer is not a JSON object" : check(answer);
    if (problem === undefined)
      return { action: "accept", content: answer as Record<string, Primitive> };
    complaint = `\nThe last answer is invalid: ${problem}`;
  }
  return { action: "cancel" };
}

/** What the form says for what is left out. */
function defaultsOf({ properties = {} }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(properties as Readonly<Record<string, JsonObject>>).flatMap(([name, field]) =>
      field["default"] === undefined ? [] : [[name, field["default"]]],
    ),
  );
}

/** ELICITATION-1. */
const said = (server: string, message: string): string =>
  `The MCP server ${server} asks: ${message.slice(0, MAX_MESSAGE_CHARS)}`;

/** People write text; it is JSON, or a no. */
function readAnswer(answer: Json): JsonObject | "declined" | undefined {
  let value = answer;
  if (typeof answer === "string") {
    if (["no", "decline"].includes(answer.trim().toLowerCase())) return "declined";
    try {
      value = JSON.parse(answer) as Json;
    } catch {
      return undefined;
    }
  }
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}
