// Adds a provider to config.yaml and its key to the vault.
//
// ADD-PROVIDER-1  Comments, order and other fields of the file are kept.
// ADD-PROVIDER-2  The file is written atomically, for its owner only, and only if it can be parsed again.
// ADD-PROVIDER-3  The key is sealed before the file names it, bound to the provider's address, and is in no file.

import { realpathSync, renameSync, writeFileSync } from "node:fs";
import { keyNameOf, SysError, type Json, type OperationArgs } from "@aos/protocol";
import { parseDocument, type Document } from "yaml";
import { configText } from "../config-text.ts";
import { baseUrlOf, isLoopbackUrl, keyHeaders } from "./provider-types.ts";

type AddProviderArgs = OperationArgs<"addProvider">;

interface Parts {
  readonly file: string;
  /** Throws what is wrong with the text. */
  readonly check: (text: string) => void;
  readonly seal: (secret: { name: string; value: string; bindings: Json[] }) => Promise<void>;
}

export async function addProvider(
  { name, type, baseUrl: given, key }: AddProviderArgs,
  { file, check, seal }: Parts,
): Promise<{ name: string; file: string; secret: string | null }> {
  const before = configText(file);
  check(before);
  const document = parseDocument(before);
  const place = (field: string) => ["providers", name, field];
  const isSameType = document.getIn(place("type")) === type;
  const written = isSameType ? (document.getIn(place("baseUrl")) as string | undefined) : undefined;
  const baseUrl = given ?? written ?? baseUrlOf(name, type);
  if (baseUrl === undefined)
    throw new SysError("EINVAL", `a provider of type ${type} needs the URL of its server`, {
      hint: "--base-url http://127.0.0.1:8080/v1",
    });

  set(document, place("type"), type);
  if (given !== undefined) set(document, place("baseUrl"), given);
  else if (written === undefined) document.deleteIn(place("baseUrl"));
  const secret = keyOf(document, place("key"), { name, type, baseUrl, isGiven: key !== undefined });
  const text = document.toString();
  check(text); // ADD-PROVIDER-2
  if (key !== undefined && secret !== null)
    await seal({
      name: secret,
      value: key,
      bindings: [{ kind: "header", origin: new URL(baseUrl).origin, header: keyHeaders[type] }],
    });
  write(file, text);
  return { name, file, secret };
}

/** The name of the key in the file: as it is written, and where none is needed, that. */
function keyOf(
  document: Document,
  place: string[],
  request: { name: string; type: AddProviderArgs["type"]; baseUrl: string; isGiven: boolean },
): string | null {
  const written = document.getIn(place) as string | false | undefined;
  if (typeof written === "string") return written;
  const isOpen = request.type === "openai-compatible" || request.type === "ollama";
  if (!request.isGiven && (isOpen || isLoopbackUrl(request.baseUrl))) {
    set(document, place, false);
    return null;
  }
  const secret = keyNameOf(request.name);
  if (request.isGiven) set(document, place, secret);
  return secret;
}

/** ADD-PROVIDER-1: a comment belongs to the value, which is changed in its place. */
function set(document: Document, path: string[], value: Json): void {
  if (document.getIn(path) !== value) document.setIn(path, value);
}

function write(file: string, text: string): void {
  const target = realPlace(file);
  writeFileSync(`${target}.new`, text, { mode: 0o600 });
  renameSync(`${target}.new`, target);
}

/** What a link leads to is changed, not the link. */
function realPlace(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
