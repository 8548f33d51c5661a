// Attachments: files sent with the input of an agent, and their media types.
//
// CLI-ATTACHMENTS-1  The media type follows from the first bytes if they are known, else from the file name.
// CLI-ATTACHMENTS-2  All attachments fit into one request; more is refused here.

import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import type { Attachment } from "@aos/protocol";
import { SysError, type Json } from "@aos/protocol/words";

/** Bytes; in base64 they are a third more, and a request has room for 16 MB. */
const MOST_BYTES = 11 * 1024 * 1024;

const beginnings: readonly (readonly [bytes: string, mediaType: string])[] = [
  ["89504e470d0a1a0a", "image/png"],
  ["ffd8ff", "image/jpeg"],
  ["474946383761", "image/gif"],
  ["474946383961", "image/gif"],
  ["255044462d", "application/pdf"],
];

const endings: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".wav": "audio/wav",
  ".webp": "image/webp",
  ".xml": "application/xml",
};

export function mediaTypeOf(name: string, bytes: Uint8Array): string {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("hex");
  const known = beginnings.find(([beginning]) => start.startsWith(beginning));
  if (known !== undefined) return known[1];
  if (/^52494646.{8}57454250/.test(start)) return "image/webp";
  return endings[extname(name).toLowerCase()] ?? (isText(bytes) ? "text/plain" : UNKNOWN);
}

const UNKNOWN = "application/octet-stream";

function isText(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}

/** The input with its files. Without files it is the input. */
export function withAttachments(
  input: Json | undefined,
  files: readonly string[],
): Json | undefined {
  if (files.length === 0) return input;
  if (input !== undefined && typeof input !== "string") {
    throw new SysError("EINVAL", "--attach needs a text input", {
      hint: 'or pass the whole input as JSON: {"text": "…", "attachments": [{"mediaType": …, "data": BASE64}]}',
    });
  }
  const attachments = files.map(attachmentOf);
  const bytes = attachments.reduce((sum, { data }) => sum + Buffer.byteLength(data, "base64"), 0);
  if (bytes > MOST_BYTES)
    throw new SysError("EINVAL", `the attachments have ${bytes} bytes; the limit is ${MOST_BYTES}`); // CLI-ATTACHMENTS-2
  return { text: input ?? "", attachments: attachments as unknown as Json };
}

export function asAttachment(name: string, bytes: Uint8Array): Attachment {
  const data = Buffer.from(bytes).toString("base64");
  return { mediaType: mediaTypeOf(name, bytes), data, name };
}

function attachmentOf(file: string): Attachment {
  try {
    return asAttachment(basename(file), readFileSync(file));
  } catch (error) {
    throw new SysError("EINVAL", `cannot read ${file}: ${(error as Error).message}`);
  }
}
