// Content: what a message of a client holds, as words and attachments.
//
// CONTENT-1  Nothing is fetched: a picture or a file comes along as data, or is refused.

import type { Attachment } from "@aos/protocol";
import { fieldRefused } from "./fields.ts";

export interface Content {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

interface Part {
  readonly type?: unknown;
  readonly [member: string]: unknown;
}

/** A text, or a list of parts of either API. */
export function readContent(given: unknown, param: string): Content {
  if (given === null || given === undefined) return { text: "", attachments: [] };
  if (typeof given === "string") return { text: given, attachments: [] };
  if (!Array.isArray(given)) throw fieldRefused(param, "a text, or a list of parts");
  const texts: string[] = [];
  const attachments: Attachment[] = [];
  for (const [index, part] of (given as Part[]).entries()) {
    const read = readPart(part, `${param}[${index}]`);
    if (typeof read === "string") texts.push(read);
    else attachments.push(read);
  }
  return { text: texts.join("\n"), attachments };
}

function readPart(part: Part, param: string): string | Attachment {
  switch (part?.type) {
    case "text":
    case "input_text":
    case "output_text":
      return textOf(part["text"], param);
    case "refusal":
      return textOf(part["refusal"], param);
    case "image_url":
      return readData((part["image_url"] as { url?: unknown } | undefined)?.url, param);
    case "input_image":
      return readData(part["image_url"], param);
    case "file":
      return readFile(part["file"] as Part, param);
    case "input_file":
      return readFile(part, param);
    default:
      throw fieldRefused(param, `parts of type ${JSON.stringify(part?.type)} cannot be taken`);
  }
}

function textOf(value: unknown, param: string): string {
  if (typeof value === "string") return value;
  throw fieldRefused(param, "a part with no text");
}

function readFile(file: Part | undefined, param: string): Attachment {
  const { mediaType, data } = readData(file?.["file_data"], param);
  const name = file?.["filename"];
  return { mediaType, data, ...(typeof name === "string" ? { name } : {}) };
}

/** CONTENT-1. */
function readData(url: unknown, param: string): Attachment {
  const parts = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,([A-Za-z0-9+/]*={0,2})$/.exec(
    typeof url === "string" ? url : "",
  );
  if (parts !== null) return { mediaType: parts[1]!, data: parts[2]! };
  throw fieldRefused(
    param,
    "images and files must be data: URLs; nothing is fetched",
    "send data:image/png;base64,…",
  );
}
