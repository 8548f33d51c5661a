// FROZEN with version 3 of `agent` (see agent.ts beside it).
//
// Tool run: makes the calls of one reply concurrently and builds the result messages for the model.
//
// Images in tool results go to the model as images, not as base64 text:
//
//   { mimeType: "image/png", base64: "iVBO…", width: 800 }     as browser.screenshot gives it, and in the
//                                                              `artifacts` of an MCP server's result
//
// TOOL-IMAGES-1  Images are removed from the text of a result; the rest stays unchanged.
// TOOL-IMAGES-2  An image whose text was cut is read in full from where the kernel stored it.

import {
  type Attachment,
  type FailureCode,
  type Json,
  type JsonObject,
  type Message,
  type Sys,
  SysError,
  type ToolCall,
} from "@aos/protocol";
import { runSyscall } from "./toolbox.ts";

/** Whether a failed call is the model's to deal with. The rest is the kernel's. */
const modelsMatter: Readonly<Record<FailureCode, boolean>> = {
  EACCES: true,
  EPOLICY: true,
  EDENIED: true,
  EBUDGET: true,
  EAGAIN: true,
  ERATE: true,
  EVELOCITY: true,
  ECONTEXT: false,
  ETIMEDOUT: true,
  EINVAL: true,
  ENOENT: true,
  EEXIST: true,
  ESTATE: true,
  EINDOUBT: true,
  EUPSTREAM: true,
  EINTR: false,
  EFENCED: false,
  REPLAY_DIVERGED: false,
  ECORRUPT: false,
  EERASED: false,
  ESTORE: false,
  ESHUTDOWN: false,
  EPROGRAM: false,
  EINTERNAL: false,
};

/** Characters of a result that a model is shown; the rest it can ask for. */
const MOST_SHOWN = 32_000;

/** One message for each call, in the order of the calls. `own` are the tools that are system calls. */
export const runTools = (
  sys: Sys,
  calls: readonly ToolCall[],
  own: ReadonlySet<string>,
): Promise<Message[]> =>
  Promise.all(
    calls.map(async ({ id, tool, args }) => {
      const { text, attachments } = await resultOf(sys, tool, args, own);
      return {
        role: "tool" as const,
        content: text,
        toolCallId: id,
        ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
      };
    }),
  );

interface ToolMessage {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

async function resultOf(
  sys: Sys,
  tool: string,
  args: Json,
  own: ReadonlySet<string>,
): Promise<ToolMessage> {
  try {
    const { value, attachments } = own.has(tool)
      ? { value: await runSyscall(sys, tool, args), attachments: [] }
      : await extractImages(sys, await sys.exec(tool, args, { cutAt: MOST_SHOWN }));
    return { text: typeof value === "string" ? value : JSON.stringify(value), attachments };
  } catch (error) {
    if (!isReportedToModel(error)) throw error;
    return { text: failureText(error), attachments: [] };
  }
}

/** Whether whoever asked can go on after it. */
export const isReportedToModel = (error: unknown): error is SysError =>
  error instanceof SysError && modelsMatter[error.code];

function failureText({ code, message, hint, retryAfter }: SysError): string {
  return [
    `${code}: ${message}`,
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
    ...(retryAfter === undefined ? [] : [`may succeed after ${retryAfter} ms`]),
  ].join("\n");
}

const PICTURE = /^image\/[\w.+-]+$/;
const KEPT = /the whole result is (\/self\/results\/\w+)\]/;
const MOST_CHARS = 8_000_000;

export interface ImageResult {
  readonly value: Json;
  readonly attachments: readonly Attachment[];
}

export async function extractImages(sys: Sys, result: Json): Promise<ImageResult> {
  if (picturesOf(result).length === 0) return { value: result, attachments: [] };
  const whole = await wholeOf(sys, result); // TOOL-IMAGES-2
  const attachments = picturesOf(whole).map(({ mimeType, base64 }) => ({
    mediaType: mimeType,
    data: base64,
  }));
  return { value: withoutPictures(result), attachments };
}

interface Picture extends JsonObject {
  readonly mimeType: string;
  readonly base64: string;
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isPicture = (value: Json): value is Picture =>
  isObject(value) &&
  typeof value.mimeType === "string" &&
  PICTURE.test(value.mimeType) &&
  typeof value.base64 === "string";

function picturesOf(result: Json): readonly Picture[] {
  if (isPicture(result)) return [result];
  const { artifacts } = isObject(result) ? result : {};
  return Array.isArray(artifacts) ? artifacts.filter(isPicture) : [];
}

async function wholeOf(sys: Sys, result: Json): Promise<Json> {
  const kept = picturesOf(result).map(({ base64 }) => KEPT.exec(base64)?.[1]);
  const place = kept.find((found) => found !== undefined);
  if (place === undefined) return result;
  const { text, next } = (await sys.read(place, { offset: 0, length: MOST_CHARS })) as {
    text: string;
    next: number | null;
  };
  return next === null ? (JSON.parse(text) as Json) : withoutPictures(result);
}

/** TOOL-IMAGES-1. */
function withoutPictures(result: Json): Json {
  if (isPicture(result)) return withoutLetters(result);
  const { artifacts, ...rest } = result as JsonObject;
  return {
    ...rest,
    artifacts: (artifacts as Json[]).map((one) => (isPicture(one) ? withoutLetters(one) : one)),
  };
}

const withoutLetters = ({ base64: _shown, ...rest }: Picture): JsonObject => rest;
