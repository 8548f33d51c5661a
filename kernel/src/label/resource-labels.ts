// Resource labels: the labels of machine files, from the labels of the processes that wrote them. Reading a file
// joins its label.
//
// RESOURCE-LABELS-1  A mark is queued for the disk before the writing tool starts: a crash cannot lose it.
// RESOURCE-LABELS-2  A mark only adds: a write by a trusted process does not make a file trusted, since other
//     programs write files too.
// RESOURCE-LABELS-3  Files belong to the machine, not to a tenant: marks are the same for all tenants.
// RESOURCE-LABELS-4  Where a sandboxed program may write unobserved, the folder is marked: the mark covers everything
//     below it, and later writes do not remove it.
// RESOURCE-LABELS-5  The part of a folder's mark that came from what a run could see is removed once the written
//     files are known, and those files keep it. If the end of a run was not observed, the mark stays.
// RESOURCE-LABELS-6  A commit puts the marks of the copy's files on the project's files before it writes them; its
//     undo restores the earlier marks, unless another process has marked the file since.

import type { CarriedMark, CopyPlace, Label, Touch } from "@aos/protocol";
import type { Journal } from "../journal/journal.ts";
import type { ChainEnd } from "../journal/group-commit.ts";
import type { TenantKey } from "../store/rows.ts";
import { CLEAN, isAtMost, join, labelText, readLabel } from "./label.ts";

const MARKED_VERBS: ReadonlySet<string> = new Set(["write"]);
/** RESOURCE-LABELS-3. */
const MACHINE: TenantKey = 0;

const MAX_KNOWN = 10_000;

const resourceOf = ({ kind, resource }: Touch): string => `${kind}:${resource}`;

/** No file is called so: a name has no slash. */
const allBelow = (folder: string): string => `${folder}//`;

/** A folder below which something was written, and its label while the written files were unknown. */
export interface SettledFolder {
  readonly folder: string;
  readonly paths: readonly string[];
  /** The mark that is to stay on the folder. */
  readonly rest: Label;
  /** The mark that was put when the run began. */
  readonly put: Label;
}

export class ResourceLabels {
  readonly #journal: Journal;
  /** What the next commit will write. */
  readonly #pending = new Map<string, Label>();
  /** The stored label, null for none; cached only where this node is the only writer. */
  readonly #known = new Map<string, Label | null>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** RESOURCE-LABELS-1. `replaces`: what was there before is gone, and its mark with it. */
  async mark(
    writer: ChainEnd,
    written: Label,
    touches: readonly Touch[],
    replaces: boolean,
  ): Promise<void> {
    for (const touch of touches) {
      if (touch.kind !== "file" || !MARKED_VERBS.has(touch.verb)) continue;
      const before = await this.#find(resourceOf(touch));
      if (before === undefined && isAtMost(written, CLEAN)) continue;
      const label = replaces || before === undefined ? written : join(before, written);
      this.#put(writer, resourceOf(touch), label);
    }
  }

  /** RESOURCE-LABELS-4. */
  async markBelow(
    writer: ChainEnd,
    label: Label,
    folder: string,
  ): Promise<{ readonly before: Label; readonly now: Label }> {
    const resource = allBelow(`file:${folder}`);
    const before = (await this.#find(resource)) ?? CLEAN;
    const now = join(before, label);
    if (!isAtMost(label, before)) this.#put(writer, resource, now);
    return { before, now };
  }

  /**
   * RESOURCE-LABELS-5. What was written below it is known: those files are marked, and the folder has the mark that it
   * would have without them, unless another has marked it meanwhile.
   */
  async settleBelow(
    writer: ChainEnd,
    label: Label,
    { folder, paths, rest, put }: SettledFolder,
  ): Promise<void> {
    for (const path of paths) {
      const resource = `file:${path}`;
      const before = (await this.#find(resource)) ?? CLEAN;
      if (!isAtMost(label, before)) this.#put(writer, resource, join(before, label));
    }
    const resource = allBelow(`file:${folder}`);
    const now = (await this.#find(resource)) ?? CLEAN;
    if (isAtMost(now, put) && isAtMost(put, now)) this.#put(writer, resource, rest);
  }

  /** RESOURCE-LABELS-6. They are on their way to the disk when it resolves. */
  async carry({ tree, project }: CopyPlace, paths: readonly string[]): Promise<CarriedMark[]> {
    const marks = await this.below(`${tree}:`);
    if (marks === undefined) return [];
    const carried: CarriedMark[] = [];
    for (const path of paths) {
      const label = marks(`${tree}:/${path}`) ?? CLEAN;
      const resource = `file:${project}/${path}`;
      const before = await this.#find(resource);
      if (isAtMost(label, before ?? CLEAN)) continue;
      const put = join(before ?? CLEAN, label);
      this.#put(undefined, resource, put);
      carried.push({
        path,
        before: before === undefined ? null : labelText(before),
        put: labelText(put),
      });
    }
    return carried;
  }

  /** RESOURCE-LABELS-6. */
  async takeBack({ project }: CopyPlace, marks: readonly CarriedMark[]): Promise<void> {
    for (const { path, before, put } of marks) {
      const resource = `file:${project}/${path}`;
      const now = await this.#find(resource);
      if (now === undefined || labelText(now) !== put) continue;
      this.#put(undefined, resource, before === null ? CLEAN : readLabel(before));
    }
  }

  /** What marks say of files below a folder; undefined where there are none. */
  async below(folder: string): Promise<((path: string) => Label | undefined) | undefined> {
    const top = `file:${folder}`;
    const marks = new Map<string, Label>();
    const kept = await this.#journal.store.resourceMarksBelow(MACHINE, top);
    for (const { resource, label } of kept) marks.set(resource, readLabel(label));
    for (const [resource, label] of this.#pending)
      if (resource.startsWith(top)) marks.set(resource, label);
    for (const [resource, label] of marks) if (isAtMost(label, CLEAN)) marks.delete(resource);
    const above = await this.#above(top);
    if (marks.size === 0 && above.length === 0) return undefined;
    return (path) => {
      const found = [...above];
      const resource = `file:${path}`;
      const own = marks.get(resource);
      if (own !== undefined) found.push(own);
      for (let at = resource.length; at >= top.length; at = resource.lastIndexOf("/", at - 1)) {
        const wide = marks.get(allBelow(resource.slice(0, at)));
        if (wide !== undefined) found.push(wide);
      }
      return found.length === 0 ? undefined : found.reduce(join);
    };
  }

  /** The join of the marks on what is read; undefined where there are none. */
  async of(touches: readonly Touch[]): Promise<Label | undefined> {
    const found: Label[] = [];
    for (const touch of touches) {
      if (touch.kind !== "file") continue;
      if (touch.verb !== "list" && touch.verb !== "read") continue;
      const resource = resourceOf(touch);
      if (touch.verb === "list") found.push(...(await this.#below(resource)));
      const label = touch.verb === "read" ? await this.#find(resource) : undefined;
      if (label !== undefined) found.push(label);
      found.push(...(await this.#above(touch.verb === "list" ? `${resource}/` : resource)));
    }
    return found.length === 0 ? undefined : found.reduce(join);
  }

  /** Names are words too: what is in a folder says who put it there. */
  async #below(folder: string): Promise<Label[]> {
    const under = folder.endsWith("/") ? folder : `${folder}/`;
    const pending = [...this.#pending].filter(([place]) => place.startsWith(under));
    const kept = await this.#journal.store.resourceLabelsBelow(MACHINE, under);
    return [...pending.map(([, label]) => label), ...kept.map(readLabel)];
  }

  /** RESOURCE-LABELS-4. The marks of the folders that it is in. */
  async #above(resource: string): Promise<Label[]> {
    const found: Label[] = [];
    for (let at = resource.lastIndexOf("/"); at > 0; at = resource.lastIndexOf("/", at - 1)) {
      const label = await this.#find(allBelow(resource.slice(0, at)));
      if (label !== undefined) found.push(label);
    }
    return found;
  }

  /** Without a writer it is the operator's act. */
  #put(writer: ChainEnd | undefined, resource: string, label: Label): void {
    this.#pending.set(resource, label);
    this.#known.delete(resource);
    const write = { op: "label.put", tenant: MACHINE, resource, label: labelText(label) } as const;
    if (writer === undefined) this.#journal.write(write);
    else this.#journal.amend(writer, write);
    this.#journal.afterNextCommit(() => {
      if (this.#pending.get(resource) === label) this.#pending.delete(resource);
    });
  }

  async #find(resource: string): Promise<Label | undefined> {
    const known = this.#pending.get(resource) ?? this.#known.get(resource);
    if (known !== undefined) return known ?? undefined;
    const text = await this.#journal.store.resourceLabel(MACHINE, resource);
    const label = text === undefined ? undefined : readLabel(text);
    const meanwhile = this.#pending.get(resource);
    if (meanwhile !== undefined) return meanwhile;
    this.#remember(resource, label);
    return label;
  }

  /** A mark that was put while it was looked for is on its way, and was returned. */
  #remember(resource: string, label: Label | undefined): void {
    if (this.#journal.store.kind !== "sqlite") return;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(resource, label ?? null);
  }
}
