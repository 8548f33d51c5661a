// Folder mount: a folder of the machine below /mnt/NAME.
//
// FOLDER-MOUNT-1  Every file and folder is opened as checked (tools/file/open-checked.ts): a link, or a folder that
//     was swapped, that leads out of the declared folder is asked of the gate by its real path.
// FOLDER-MOUNT-2  What a process wrote there keeps its label: it is joined to that of the mount.

import { opendir, realpath } from "node:fs/promises";
import { SysError, type DeviceContext, type Connector, type MountRequest } from "@aos/protocol";
import { withFile, withFolder } from "../tools/file/open-checked.ts";
import { readFileBytes } from "../tools/file/text.ts";
import {
  connector,
  isPlainName,
  MOST_BYTES,
  pageOfPaths,
  shownBytes,
  type DeclaredMount,
} from "./connector.ts";
import { coversFiles } from "./mount-reach.ts";

type FolderDeclaration = Extract<DeclaredMount["declaration"], { driver: "folder" }>;

/** So many entries are looked at below one path. */
const MOST_SEEN = 20_000;
const DEEPEST = 20;

export function folderMount(declared: DeclaredMount<FolderDeclaration>): Connector {
  const root = trimmed(declared.declaration.folder);
  const at = (path: string): string => (path === "" ? root : `${root}/${path}`);
  // The gate is asked about real paths: the declaration means what it leads to.
  const covered = coversReal(root);
  return connector(declared, {
    target: root,
    egress: false,
    covers: covered.covers,
    needs: ({ call, path }) => [
      { kind: "file", resource: at(path), verb: call === "list" ? "list" : "read" },
    ],
    async list(request, context) {
      await covered.look();
      const paths = await filesBelow(at(request.path), context);
      await joinLabels(context, root);
      return pageOfPaths(
        paths.map((path) => (request.path === "" ? path : `${request.path}/${path}`)),
        request,
      );
    },
    async read(request, context) {
      await covered.look();
      const bytes = await withFile(at(request.path), "read", context, (file) =>
        readFileBytes(file, 0, MOST_BYTES + 1),
      );
      if (bytes.length > MOST_BYTES)
        throw new SysError("EINVAL", `${request.path} has more than ${MOST_BYTES} bytes`);
      await joinLabels(context, root);
      return shownBytes(bytes, request);
    },
    async search(request, context) {
      await covered.look();
      return searchFolder(request, at, context, root);
    },
  });
}

const trimmed = (folder: string): string => (folder === "/" ? folder : folder.replace(/\/+$/, ""));

/** What is declared may itself be a link of the operator's. */
function coversReal(root: string) {
  let covers = coversFiles(root);
  let isKnown = false;
  return {
    covers: (touch: Parameters<typeof covers>[0]) => covers(touch),
    async look() {
      if (isKnown) return;
      const real = await realpath(root).catch(() => undefined);
      if (real === undefined) throw new SysError("EUPSTREAM", "the folder cannot be opened");
      const [named, actual] = [coversFiles(root), coversFiles(real)];
      covers = (touch) => named(touch) || actual(touch);
      isKnown = true;
    },
  };
}

/** Sorted; links are left out, since their targets have their own paths. */
async function filesBelow(folder: string, context: DeviceContext): Promise<string[]> {
  const found: string[] = [];
  const look = async (here: string, prefix: string, left: number): Promise<void> => {
    const inside: string[] = [];
    await withFolder(here, "list", context, async (opened) => {
      for await (const entry of await opendir(opened)) {
        if (found.length + inside.length > MOST_SEEN)
          throw new SysError("EINVAL", `there are more than ${MOST_SEEN} files below`, {
            hint: "list a folder further down",
          });
        if (!isPlainName(entry.name)) continue;
        if (entry.isFile()) found.push(prefix + entry.name);
        else if (entry.isDirectory()) inside.push(entry.name);
      }
    });
    context.signal.throwIfAborted();
    if (left > 0)
      for (const name of inside) await look(`${here}/${name}`, `${prefix}${name}/`, left - 1);
  };
  await look(folder, "", DEEPEST);
  return found.sort();
}

/** FOLDER-MOUNT-2. */
async function joinLabels(context: DeviceContext, root: string): Promise<void> {
  const marks = await context.labelsBelow(root);
  const label = marks?.of(root);
  if (label !== undefined) context.sees(label);
}

const MOST_SEARCHED_BYTES = 1_048_576;
const USUAL_HITS = 10;

async function searchFolder(
  request: MountRequest,
  at: (path: string) => string,
  context: DeviceContext,
  root: string,
) {
  const words = [...new Set((request.query ?? "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const found: { path: string; data: string; score: number }[] = [];
  for (const below of await filesBelow(at(request.path), context)) {
    const path = request.path === "" ? below : `${request.path}/${below}`;
    const bytes = await withFile(at(path), "read", context, (file) =>
      readFileBytes(file, 0, MOST_SEARCHED_BYTES),
    ).catch((error: unknown) => {
      if (error instanceof SysError) return undefined; // it went, or is not for this process
      throw error;
    });
    const text = bytes?.toString("utf8").toLowerCase();
    if (text === undefined || text.includes("\0")) continue;
    const hits = words.filter((word) => text.includes(word));
    if (hits.length > 0)
      found.push({
        path,
        data: lineWith(bytes!.toString("utf8"), hits),
        score: hits.length / words.length,
      });
  }
  await joinLabels(context, root);
  found.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1));
  return { found: found.slice(0, request.limit ?? USUAL_HITS), next: null };
}

const MOST_LINE = 300;

/** The line that has most of the words. */
function lineWith(text: string, words: readonly string[]): string {
  let best = "";
  let most = 0;
  for (const line of text.split("\n")) {
    const lower = line.toLowerCase();
    const count = words.filter((word) => lower.includes(word)).length;
    if (count > most) [best, most] = [line, count];
  }
  return best.trim().slice(0, MOST_LINE);
}
