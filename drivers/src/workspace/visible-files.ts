// VisibleFiles: the labelled files that a sandboxed program can see, and those that it wrote.
//
// VISIBLE-FILES-1  A run without network sees everything it was given, and the labels are known before it starts.
// VISIBLE-FILES-2  For a run with network, confidential and secret files look empty.
// VISIBLE-FILES-3  Where no file can have a label, nothing is scanned.
// VISIBLE-FILES-4  A file that is new, moved, linked or changed since the run began was written by it.
// VISIBLE-FILES-5  A name need not be UTF-8. Files below such a folder are masked and joined like the rest; after a
//     run the whole folder keeps the run's mark, because no mark can name it.

import type { FileLabels, Label } from "@aos/protocol";
import { statSync } from "node:fs";
import { walkBytes } from "./byte-walk.ts";
import { Folder } from "./folder.ts";
import type { MachinePath } from "./hidden.ts";
import type { PathState } from "./path-state.ts";
import { type SkippedEntry, walkTree } from "./walk.ts";

export interface VisibleMount {
  /** On the machine, and as the program sees it. */
  readonly from: string;
  readonly at: string;
  readonly mode: "read" | "write";
}

type Entries = ReadonlyMap<string, PathState>;

interface Looked {
  readonly shown: VisibleMount;
  /** Undefined where it is one file. */
  readonly entries: Entries | undefined;
}

export class VisibleFiles {
  /** VISIBLE-FILES-2, as the program would see them. */
  readonly masked: MachinePath[] = [];
  /** The labels of all that it can see. */
  readonly labels: Label[] = [];
  readonly #looked: Looked[] = [];

  static async of(
    mounts: readonly VisibleMount[],
    labelsBelow: (folder: string) => Promise<FileLabels | undefined>,
    isOnline: boolean,
  ): Promise<VisibleFiles> {
    const sight = new VisibleFiles();
    for (const shown of mounts) {
      const labels = await labelsBelow(shown.at);
      if (labels !== undefined) await sight.#look(shown, labels, isOnline); // VISIBLE-FILES-3
    }
    return sight;
  }

  /** VISIBLE-FILES-4. The files below each folder that it may have written, by the names that the program has for them. */
  async written(): Promise<readonly { readonly at: string; readonly paths: readonly string[] }[]> {
    const changed: { at: string; paths: string[] }[] = [];
    for (const { shown, entries } of this.#looked) {
      if (shown.mode !== "write" || this.labels.length === 0) continue;
      const found = entries === undefined ? undefined : await snapshotOf(shown.from);
      if (found?.skipped.some(isNameless) === true) continue; // VISIBLE-FILES-5
      const after = found?.entries;
      const isChanged = (path: string, seen: PathState) => !isSame(entries?.get(path), seen);
      const paths = [...(after ?? [])].flatMap(([path, seen]) =>
        isChanged(path, seen) ? [`${shown.at}/${path}`] : [],
      );
      changed.push({ at: shown.at, paths: after === undefined ? [shown.at] : paths });
    }
    return changed;
  }

  async #look(shown: VisibleMount, labels: FileLabels, isOnline: boolean): Promise<void> {
    const isThere = statSync(shown.from, { throwIfNoEntry: false });
    const found = isThere?.isDirectory() ? await snapshotOf(shown.from) : undefined;
    const entries = found?.entries;
    if (entries === undefined) this.#see(shown.at, "file", labels, isOnline);
    for (const [path, { kind }] of entries ?? [])
      this.#see(`${shown.at}/${path}`, kind, labels, isOnline);
    if (found?.skipped.some(isNameless) === true) await this.#lookByBytes(shown, labels, isOnline);
    this.#looked.push({ shown, entries });
  }

  /** VISIBLE-FILES-5. */
  async #lookByBytes(
    { from, at }: VisibleMount,
    labels: FileLabels,
    isOnline: boolean,
  ): Promise<void> {
    await using folder = await Folder.open(from);
    await walkBytes(folder, ({ entries }) => {
      for (const { path, text, kind } of entries) {
        if (path.equals(Buffer.from(text))) continue; // seen by its name
        const place = Buffer.concat([Buffer.from(`${at}/`), path]);
        this.#see(`${at}/${text}`, kind, labels, isOnline, place);
      }
    });
  }

  #see(
    path: string,
    kind: PathState["kind"],
    labels: FileLabels,
    isOnline: boolean,
    place: MachinePath = path,
  ): void {
    const label = labels.of(path);
    if (label === undefined) return;
    const mayGo = label.secrecy === "public" || label.secrecy === "internal";
    if (!isOnline || mayGo) this.labels.push(label);
    else if (kind === "file") this.masked.push(place); // a folder has names, a link the name of another
  }
}

async function snapshotOf(root: string) {
  await using folder = await Folder.open(root);
  return await walkTree(folder); // it is closed when this is over
}

const isNameless = ({ reason }: SkippedEntry): boolean => reason === "name-not-text";

const isSame = (a: PathState | undefined, b: PathState): boolean =>
  a !== undefined &&
  a.ino === b.ino &&
  a.kind === b.kind &&
  (a.kind === "folder" || a.ctimeNs === b.ctimeNs);
