// Results: converts the result of a server's tool: text as one text, structure unchanged, and the rest as artifacts.
// All of it is untrusted.
//
// RESULTS-1  Content that is too large is left out, with a note and its size.

import type { Json, JsonObject } from "@aos/protocol";

const MAX_ARTIFACT_BYTES = 1_048_576;
const MAX_ARTIFACTS = 100;

/** As in the protocol, with whatever a server adds. */
interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly mimeType?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly description?: unknown;
  readonly resource?: Block & { readonly blob?: unknown };
}

export interface CallResult {
  readonly content?: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

export function toolResult({ content = [], structuredContent, isError }: CallResult): JsonObject {
  const blocks = content as readonly Block[];
  const texts = blocks.flatMap(({ type, text }) => (type === "text" ? [String(text)] : []));
  const others = blocks.filter(({ type }) => type !== "text");
  const artifacts = others.slice(0, MAX_ARTIFACTS).map(artifactOf);
  return {
    ...(isError === true ? { isError: true } : {}),
    ...(texts.length === 0 ? {} : { text: texts.join("\n") }),
    ...(structuredContent === undefined ? {} : { structured: structuredContent as Json }),
    ...(artifacts.length === 0 ? {} : { artifacts }),
    ...(others.length > artifacts.length ? { leftOut: others.length - artifacts.length } : {}),
  };
}

function artifactOf(block: Block): JsonObject {
  const { type, data, mimeType, uri, name, description, resource } = block;
  const said = words({ mimeType, uri, name, description });
  switch (type) {
    case "image":
    case "audio":
      return { type, ...said, ...bytesOf(data) };
    case "resource_link":
      return { type: "link", ...said };
    case "resource": {
      const inner = words({ mimeType: resource?.mimeType, uri: resource?.uri });
      const text = resource?.text;
      return typeof text === "string"
        ? { type: "resource", ...inner, ...textOf(text) }
        : { type: "resource", ...inner, ...bytesOf(resource?.blob) };
    }
    default:
      return { type: "unknown", said: String(type) };
  }
}

const words = (said: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said).flatMap(([key, value]) =>
      typeof value === "string" ? [[key, value]] : [],
    ),
  );

/** RESULTS-1. */
function bytesOf(base64: unknown): JsonObject {
  if (typeof base64 !== "string") return { bytes: 0 };
  const bytes = Buffer.byteLength(base64, "base64");
  return bytes > MAX_ARTIFACT_BYTES ? { bytes, cut: true } : { bytes, base64 };
}

function textOf(text: string): JsonObject {
  const bytes = Buffer.byteLength(text);
  return bytes > MAX_ARTIFACT_BYTES
    ? { bytes, text: text.slice(0, MAX_ARTIFACT_BYTES / 4), cut: true }
    : { bytes, text };
}
