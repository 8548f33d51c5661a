// DeclaredVisibility: which files an operator's server can see, and the labels that follow from them.
//
// DECLARED-VISIBILITY-1  The labels of the files below the declared paths are joined into the result of a call and
//     into what the server may write.
// DECLARED-VISIBILITY-2  A server with hosts starts without confidential and secret files: they look empty. If a file
//     became so after its start, the gate is asked about its hosts again with those labels, and the server restarts
//     as soon as it is unused.
// DECLARED-VISIBILITY-3  Files that the policy forbids to everyone (`.env`, keys) look empty below a declared folder.
//     A file or folder that is itself declared is shown.
// DECLARED-VISIBILITY-4  What a caller had read, and what the server has seen, counts for later callers, since the
//     server may remember it (retained-secrecy.ts).

import { statSync } from "node:fs";
import type { DeviceContext, MachineFiles } from "@aos/protocol";
import { RetainedSecrecy } from "../workspace/retained-secrecy.ts";
import type { Mount } from "../sandbox/index.ts";
import { findHidden, type MachinePath } from "../workspace/hidden.ts";
import { VisibleFiles } from "../workspace/visible-files.ts";
import { seenAt } from "../tools/program-runner.ts";
import type { StdioDeclaration } from "./declaration.ts";
import { readDeclaredHost } from "./declared-gate.ts";

type Placed = Mount & { readonly at: string };

export class DeclaredVisibility {
  readonly #declaration: StdioDeclaration;
  readonly #kept = new RetainedSecrecy();
  /** What the program that runs now is not shown, as it would see it. */
  #masked: ReadonlySet<string> = new Set();

  constructor(declaration: StdioDeclaration) {
    this.#declaration = declaration;
  }

  /** DECLARED-VISIBILITY-2, DECLARED-VISIBILITY-3. What the program that is about to start must not see. */
  async hiddenFor(
    mounts: readonly Placed[],
    files: MachineFiles | undefined,
  ): Promise<MachinePath[]> {
    this.#kept.forget();
    this.#masked = new Set();
    const mayRead = (await files?.readableFiles()) ?? (() => true);
    const hidden: MachinePath[] = [];
    for (const mount of mounts) {
      const { from, at } = mount;
      if (!statSync(from).isDirectory()) continue;
      const isNamed = !mayRead(at) || !mayRead(`${at}/x`);
      const found = await findHidden(from, at, isNamed ? () => true : mayRead); // DECLARED-VISIBILITY-3
      hidden.push(...found.flatMap((path) => seenAt(path, mount) ?? []));
    }
    if (this.#declaration.hosts.length === 0 || files === undefined) return hidden;
    const { masked } = await VisibleFiles.of(mounts, (folder) => files.fileLabels(folder), true);
    this.#masked = new Set(masked.map(String));
    return [...hidden, ...masked];
  }

  /** DECLARED-VISIBILITY-1, DECLARED-VISIBILITY-2, DECLARED-VISIBILITY-4. `onExposed`: the program that runs sees what it should not. */
  async see(context: DeviceContext, onExposed: () => void): Promise<void> {
    const { paths, hosts } = this.#declaration;
    this.#kept.joinInto(context);
    const shown = paths.map(({ path, mode }) => ({ from: path, at: path, mode }));
    const look = (isOnline: boolean) =>
      VisibleFiles.of(shown, (folder) => context.labelsBelow(folder), isOnline);
    let sight = await look(hosts.length > 0);
    if (sight.masked.some((place) => !this.#masked.has(String(place)))) {
      onExposed();
      sight = await look(false);
    }
    for (const label of sight.labels) {
      context.sees(label);
      this.#kept.hear(label);
    }
    if (sight.labels.length > 0) this.#askAgain(context);
    this.#kept.hear(context.hasRead);
  }

  #askAgain(context: DeviceContext): void {
    for (const written of this.#declaration.hosts) {
      const host = readDeclaredHost(written);
      if (host === undefined) continue;
      const resource = `${host.host}:${host.port}/`;
      context.authorize({ kind: "http", resource, verb: "post" }); // DECLARED-VISIBILITY-2
    }
  }
}
