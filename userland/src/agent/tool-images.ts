// Tool images: images in tool results go to the model as images, not as base64 text.
//
//   { mimeType: "image/png", base64: "iVBO…", width: 800 }     as browser.screenshot gives it, and in the
//                                                              `artifacts` of an MCP server's result
//
// TOOL-IMAGES-1  Images are removed from the text of a result; the rest stays unchanged.
// TOOL-IMAGES-2  An image whose text was cut is read in full from where the kernel stored it.

import type { Attachment, Json, JsonObject, Sys } from "@aos/protocol";

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
