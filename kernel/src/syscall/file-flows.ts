// File flows: the labels of files for reads, copies and sandboxed programs.
//
// FILE-FLOWS-1  A written file is marked with the label of the process and of every file that the same action reads:
//     a move or copy keeps the label.
// FILE-FLOWS-2  The labels of what a run can see are joined into what it may write before it starts. Afterwards only
//     the files that it wrote keep them.

import type { FileLabels, Label, Touch } from "@aos/protocol";
import { isAtMost, join } from "../label/label.ts";
import type { ResourceLabels } from "../label/resource-labels.ts";
import { locatedPath, originOf, readLocations } from "../label/workspace-location.ts";
import type { Process } from "../process/process.ts";
import type { Policies } from "../policy/policies.ts";

/** A folder that a run may write to, with the marks that were put on it. */
export interface WriteMark {
  readonly folder: string;
  readonly rest: Label;
  readonly put: Label;
}

/** What files say to who runs a program on them, and what it leaves on what it may write. */
export interface Flows {
  below(process: Process, folder: string): Promise<FileLabels | undefined>;
  mayWrite(process: Process, folder: string, seen: Label): Promise<WriteMark>;
  wrote(process: Process, mark: WriteMark, paths: readonly string[], seen: Label): Promise<void>;
}

/** Who sees files, and by which names. */
type Viewer = Pick<Process, "layers" | "tree" | "place">;

/** What runs for no process: what binds everybody counts, and paths are the machine's. */
export const EVERYBODY: Viewer = { layers: [], tree: "", place: { workspace: { isCow: false } } };

export class FileFlows implements Flows {
  readonly #resources: ResourceLabels;
  readonly #policies: Pick<Policies, "current" | "layersFor">;

  constructor(resources: ResourceLabels, policies: Pick<Policies, "current" | "layersFor">) {
    this.#resources = resources;
    this.#policies = policies;
  }

  /** FILE-FLOWS-1. */
  async written(process: Process, touches: readonly Touch[]): Promise<Label> {
    const reads = touches.filter(({ kind, verb }) => kind === "file" && verb === "read");
    if (reads.length === 0) return process.label;
    const layers = this.#policies.layersFor(process);
    const said = this.#policies.current.labelOf(reads, undefined, layers);
    // A folder that is moved takes along what is below it.
    const asFolders = reads.map((touch) => ({ ...touch, verb: "list" }));
    const marked = await this.#resources.of(readLocations([...reads, ...asFolders], process));
    const read = [said, marked].filter((label) => label !== undefined);
    return read.reduce(join, process.label);
  }

  /** The labels of files below a folder; undefined where there can be none. */
  async below(process: Viewer, folder: string): Promise<FileLabels | undefined> {
    const layers = this.#policies.layersFor(process);
    const policy = this.#policies.current;
    const origin = originOf(folder, process);
    const marks = await this.#resources.below(locatedPath(folder, process));
    const former = origin === undefined ? undefined : await this.#resources.below(origin);
    const isRuled = policy.labelsFiles(layers);
    if (marks === undefined && former === undefined && !isRuled) return undefined;
    return {
      of: (path) => {
        const touch: Touch = { kind: "file", resource: path, verb: "read" };
        const found = [
          isRuled ? policy.labelOf([touch], undefined, layers) : undefined,
          marks?.(locatedPath(path, process)),
          origin === undefined ? undefined : former?.(originOf(path, process) ?? path),
        ].filter((label) => label !== undefined);
        return found.length === 0 ? undefined : found.reduce(join);
      },
    };
  }

  /** FILE-FLOWS-2, before. Returns what takes it back where the run wrote nothing. */
  async mayWrite(process: Process, folder: string, seen: Label): Promise<WriteMark> {
    const place = locatedPath(folder, process);
    const own = process.label;
    const { before, now } = await this.#resources.markBelow(process, join(own, seen), place);
    return { folder: place, rest: join(before, own), put: now };
  }

  /** FILE-FLOWS-2, after. */
  async wrote(
    process: Process,
    mark: WriteMark,
    paths: readonly string[],
    seen: Label,
  ): Promise<void> {
    if (isAtMost(seen, process.label) || isAtMost(mark.put, mark.rest)) return;
    const located = paths.map((path) => locatedPath(path, process));
    const label = join(process.label, seen);
    await this.#resources.settleBelow(process, label, { ...mark, paths: located });
  }
}
