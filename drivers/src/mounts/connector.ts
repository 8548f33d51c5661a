// Connector: what all drivers of mounts have in common: reach, time and label, and how a path is put together.

import {
  SysError,
  type DeviceContext,
  type Json,
  type Label,
  type Connector,
  type MountDeclaration,
  type MountSearchResult,
  type MountPage,
  type MountRequest,
  type Touch,
} from "@aos/protocol";
import { coversNothing, withinReach, type Covers } from "./mount-reach.ts";

export interface DeclaredMount<Declaration extends MountDeclaration = MountDeclaration> {
  readonly name: string;
  readonly declaration: Declaration;
  readonly declaredBy: "config.yaml" | "manifest";
}

/** What a driver does; the context is within the reach of the declaration. */
export interface ConnectorParts {
  readonly target: string;
  readonly egress: boolean;
  /** What the operator's declaration covers. */
  readonly covers: Covers;
  /** What a call needs where nothing is covered, and the secrets that it always needs. */
  readonly needs: (request: MountRequest) => readonly Touch[];
  readonly list: (request: MountRequest, context: DeviceContext) => Promise<MountPage>;
  readonly read: (request: MountRequest, context: DeviceContext) => Promise<Json>;
  readonly search?: (request: MountRequest, context: DeviceContext) => Promise<MountSearchResult>;
}

export const USUAL_TIMEOUT_MS = 30_000;
/** The most that one call brings. */
export const MOST_BYTES = 8_388_608;
export const MOST_ENTRIES = 1000;

/** Its author is unknown, and it is not declared public. */
const usualLabel: Label = { integrity: "untrusted", secrecy: "internal" };

export function connector(declared: DeclaredMount, parts: ConnectorParts): Connector {
  const { name, declaration, declaredBy } = declared;
  const covers = declaredBy === "config.yaml" ? parts.covers : coversNothing;
  const timeoutMs = declaration.timeout ?? USUAL_TIMEOUT_MS;
  const within = async <Result>(
    context: DeviceContext,
    act: (inner: DeviceContext) => Promise<Result>,
  ): Promise<Result> => {
    const inner = withinReach(context, covers, timeoutMs);
    try {
      return await inTime(act(inner), inner.signal);
    } catch (error) {
      if (inner.signal.aborted && !context.signal.aborted)
        throw new SysError("ETIMEDOUT", `it took longer than ${timeoutMs} ms`);
      throw error;
    }
  };
  const { list, read, search } = parts;
  return {
    name,
    driver: declaration.driver,
    target: parts.target,
    declaredBy,
    egress: parts.egress,
    ...("semantic" in declaration && declaration.semantic === true ? { isSemantic: true } : {}),
    label: {
      integrity: declaration.integrity ?? usualLabel.integrity,
      secrecy: declaration.secrecy ?? usualLabel.secrecy,
    },
    touches: (request) => parts.needs(request).filter((touch) => !covers(touch)),
    list: (request, context) => within(context, (inner) => list(request, inner)),
    read: (request, context) => within(context, (inner) => read(request, inner)),
    ...(search === undefined
      ? {}
      : {
          search: (request: MountRequest, context: DeviceContext) =>
            within(context, (inner) => search(request, inner)),
        }),
  };
}

/** A driver that does not listen to the signal is left behind. */
function inTime<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason as Error);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener("abort", stop));
}

export const noFile = (path: string): SysError =>
  new SysError("ENOENT", `there is no file ${path}`);

/** A piece of a text, or all of it where no place and no length is given. */
export function pieceOfText(text: string, { offset, length }: MountRequest): Json {
  if (offset === undefined && length === undefined) return text;
  const from = offset ?? 0;
  const piece = text.slice(from, from + (length ?? 65_536));
  const next = from + piece.length;
  return { text: piece, next: next < text.length ? next : null, of: text.length };
}

/** Bytes as text where they are UTF-8, else as base64. */
export function shownBytes(bytes: Uint8Array, request: MountRequest): Json {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return pieceOfText(text, request);
  } catch {
    // It is no text.
  }
  return { base64: Buffer.from(bytes).toString("base64") };
}

/** A page of paths in order, after the cursor, which is the last path of the page before. */
export function pageOfPaths(paths: readonly string[], { cursor, limit }: MountRequest): MountPage {
  const rest =
    cursor === undefined || cursor === "" ? paths : paths.filter((path) => path > cursor);
  const most = Math.min(limit ?? MOST_ENTRIES, MOST_ENTRIES);
  const shown = rest.slice(0, most);
  return { paths: shown, next: rest.length > most ? shown.at(-1)! : null };
}

/** Whether a name of others can be a segment of a path here. */
export const isPlainName = (name: string): boolean =>
  name !== "" &&
  name !== "." &&
  name !== ".." &&
  name.length <= 255 &&
  name === name.normalize("NFC") &&
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u001f\u007f/\\]/.test(name);
