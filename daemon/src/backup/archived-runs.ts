// ArchivedRuns: what was archived, listed, read and verified.
//
// ARCHIVED-RUNS-1  A bundle is read only where the ledger names it with the digest that it has: what somebody else put
//     there, or changed, is never shown as a run of this home.
// ARCHIVED-RUNS-2  A run is of the tenant whose folder it is in, and says so itself.

import { access, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  openRunReader,
  RUNS_ARCHIVED,
  SCHEMA_VERSION,
  type Kernel,
  type KernelOptions,
  type RunReader,
} from "@aos/kernel";
import { SysError, type ArchivedRun, type ArchiveVerification } from "@aos/protocol";
import { digestOfFile, type ArchiveFolder } from "./archive-folder.ts";
import { openBundle } from "./bundle.ts";

/** An opened bundle stays open for so long: the pages of a journal are asked for one after the other. */
const OPEN_MS = 10_000;
const MOST_ENTRIES = 100_000;
const LISTED = 100;

interface Parts {
  readonly folder: ArchiveFolder;
  readonly kernel: Pick<Kernel, "ledger">;
  /** What a kernel is made of that replays and does nothing else. */
  readonly options: () => KernelOptions;
}

interface Opened {
  readonly bundle: string;
  readonly reader: RunReader;
  readonly close: () => Promise<void>;
}

interface Wanted {
  readonly tenant?: string | undefined;
  readonly agent?: string | undefined;
  readonly limit?: number | undefined;
}

export class ArchivedRuns {
  readonly #parts: Parts;
  #digests = new Map<string, string>();
  #opened: Opened | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** One reading after the other: each has a whole bundle on the disk. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async list({ tenant, agent, limit = LISTED }: Wanted = {}): Promise<ArchivedRun[]> {
    const found = new Map<string, ArchivedRun>();
    for (const { bundle } of await this.#parts.folder.names(tenant)) {
      if (found.size >= limit) break;
      for (const run of await this.#contents(bundle)) {
        if (agent !== undefined && run.agent !== agent) continue;
        const known = found.get(run.pid);
        if (known === undefined || (run.hasHistory && !known.hasHistory))
          found.set(run.pid, { ...run, bundle });
      }
    }
    return [...found.values()].toSorted((a, b) => (a.endedAt < b.endedAt ? 1 : -1)).slice(0, limit);
  }

  /** Those whose pids begin so; where two bundles have one, the one with its history. */
  async find(beginning: string, tenant?: string): Promise<ArchivedRun[]> {
    const cut = (pid: string) => pid.slice(0, beginning.length);
    const found = new Map<string, ArchivedRun>();
    for (const { bundle, first, last } of await this.#parts.folder.names(tenant)) {
      if (beginning < cut(first) || beginning > cut(last)) continue;
      for (const run of await this.#contents(bundle))
        if (run.pid.startsWith(beginning) && found.get(run.pid)?.hasHistory !== true)
          found.set(run.pid, { ...run, bundle });
    }
    return [...found.values()];
  }

  /** Undefined where it is not archived. */
  async read<T>(
    pid: string,
    work: (reader: RunReader, run: ArchivedRun) => Promise<T>,
  ): Promise<{ readonly answer: T } | undefined> {
    const run = (await this.find(pid)).find((one) => one.pid === pid);
    if (run === undefined) return undefined;
    return this.#inTurn(async () => {
      const { reader } = await this.#open(run.bundle);
      const { tenant } = await reader.show(pid);
      if (tenant !== run.bundle.split("/")[0])
        throw new SysError("ECORRUPT", `${run.bundle} has a run of another tenant`); // ARCHIVED-RUNS-2
      return { answer: await work(reader, run) };
    });
  }

  /** Whether its folder can be read. */
  isThere(): Promise<boolean> {
    return access(this.#parts.folder.folder).then(
      () => true,
      () => false,
    );
  }

  async verify(): Promise<ArchiveVerification> {
    const findings: { bundle: string; message: string }[] = [];
    this.#digests = await this.#readDigests();
    const names = await this.#parts.folder.names();
    const there = new Set(names.map(({ bundle }) => bundle));
    let runs = 0;
    for (const bundle of this.#digests.keys()) {
      if (!there.has(bundle)) {
        findings.push({ bundle, message: "is missing" });
        continue;
      }
      const message = await this.#inTurn(async () => {
        try {
          const { reader } = await this.#open(bundle);
          const contents = await reader.runs();
          runs += contents.length;
          const damaged = await reader.damaged();
          return damaged.length === 0 ? undefined : `the records of ${damaged[0]} are damaged`;
        } catch (error) {
          return (error as Error).message;
        }
      });
      if (message !== undefined) findings.push({ bundle, message });
    }
    const bundles = this.#digests.size;
    const unlisted = names.filter(({ bundle }) => !this.#digests.has(bundle)).length;
    return { ok: findings.length === 0, bundles, runs, unlisted, findings };
  }

  async close(): Promise<void> {
    await this.#inTurn(() => this.#shut());
  }

  /** What is in a bundle; read from the bundle itself where that is not beside it. */
  async #contents(bundle: string) {
    const known = await this.#parts.folder.contents(bundle);
    if (known !== undefined) return known;
    try {
      return await this.#inTurn(async () => {
        const runs = await (await this.#open(bundle)).reader.runs();
        await this.#parts.folder.writeContents(bundle, runs);
        return runs;
      });
    } catch {
      return []; // `aos archive verify` says what is wrong with it
    }
  }

  async #open(bundle: string): Promise<Opened> {
    clearTimeout(this.#timer);
    if (this.#opened?.bundle !== bundle) {
      await this.#shut();
      this.#opened = await this.#unpack(bundle);
    }
    this.#timer = setTimeout(() => void this.close().catch(() => {}), OPEN_MS);
    this.#timer.unref();
    return this.#opened!;
  }

  async #unpack(bundle: string): Promise<Opened> {
    const { folder, options } = this.#parts;
    const file = join(folder.folder, bundle);
    await this.#mustBeOurs(bundle, file);
    const scratch = await folder.scratch();
    const close = () => rm(scratch, { recursive: true, force: true });
    try {
      const into = join(scratch, "read");
      await mkdir(into);
      const { database } = await openBundle(file, into, SCHEMA_VERSION);
      const reader = await openRunReader({ ...options(), store: { file: database } });
      return {
        bundle,
        reader,
        close: async () => {
          await reader.close();
          await close();
        },
      };
    } catch (error) {
      await close();
      throw error;
    }
  }

  async #shut(): Promise<void> {
    clearTimeout(this.#timer);
    const opened = this.#opened;
    this.#opened = undefined;
    await opened?.close();
  }

  /** ARCHIVED-RUNS-1. */
  async #mustBeOurs(bundle: string, file: string): Promise<void> {
    const digest = await digestOfFile(file);
    if (!this.#digests.has(bundle)) this.#digests = await this.#readDigests();
    const known = this.#digests.get(bundle);
    if (known === digest) return;
    throw new SysError(
      "ECORRUPT",
      known === undefined
        ? `${bundle} of the archive is not in the ledger of this home`
        : `${bundle} of the archive was changed`,
      { hint: "`aos replay FILE` and `aos import FILE` read it as a file of somebody else" },
    );
  }

  async #readDigests(): Promise<Map<string, string>> {
    const entries = await this.#parts.kernel.ledger({ limit: MOST_ENTRIES });
    return new Map(
      entries
        .filter(({ what }) => what === RUNS_ARCHIVED)
        .map(({ detail }) => {
          const { bundle, sha256 } = detail as { bundle: string; sha256: string };
          return [bundle, sha256];
        }),
    );
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
