// The transparency log of the journal: an append-only Merkle tree in a folder, its head signed.
//
//   append(entries)      taken into memory; nothing is promised yet
//   publish()            once it resolves, they are on disk under a signed checkpoint
//   entries(from)        what is under the signed head, proven against it
//   prune(beforeIndex)   deletes old entries and keeps their hashes
//
// The folder follows c2sp.org/tlog-tiles, so other tools can read it. A folder alone cannot reveal that all of it was
// restored to an older state: keep a checkpoint elsewhere and ask for a consistency proof.
//
// TLOG-LOG-1  The checkpoint is replaced last and at once. A crash at any point leaves a log that is
//     sound at the old size or at the new one.
// TLOG-LOG-2  The log never signs two heads of which one is not a prefix of the other: it goes on only
//     from the checkpoint it wrote itself, and refuses if another is found on disk.
// TLOG-LOG-3  Entries keep their order, and a failed publish loses none: the next one takes them along.
// TLOG-LOG-4  Memory holds the right edge and what is not yet published, whatever the size of the log.

import { formatCheckpoint, formatPruned } from "./checkpoint.ts";
import { DurableFolder } from "./durable-folder.ts";
import { MAX_ENTRY_BYTES } from "./entry-bundle.ts";
import { removeOutgrown, removePruned, removeStrays } from "./leftovers.ts";
import { loadEdge, loadHead, loadMinimum } from "./load-log.ts";
import { rootOfEdge } from "./merkle.ts";
import type { Hash } from "./merkle.ts";
import { consistencyPath, inclusionPath } from "./proof.ts";
import { ProvenTiles } from "./proven-tiles.ts";
import { EMPTY_EDGE, grow } from "./right-edge.ts";
import type { RightEdge } from "./right-edge.ts";
import { signNote } from "./signed-note.ts";
import type { Signer } from "./signer.ts";
import { TILE_WIDTH, tilePath } from "./tile-path.ts";

export interface LogEntry {
  readonly index: number;
  readonly data: Uint8Array;
}

// Hashing blocks the event loop; a longer queue is published in several heads.
const MAX_ENTRIES_PER_HEAD = 8192;

export class TransparencyLog {
  readonly #disk: DurableFolder;
  readonly #signer: Signer;
  #edge: RightEdge;
  #minimum: number;
  #pending: Uint8Array[] = [];
  // The checkpoints that may rightly be on disk: the last one, and one whose rename may have failed.
  #written: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  private constructor(disk: DurableFolder, signer: Signer, edge: RightEdge, minimum: number) {
    this.#disk = disk;
    this.#signer = signer;
    this.#edge = edge;
    this.#minimum = minimum;
  }

  // `disk` is for tests that crash in the middle of a write.
  static async open(
    folder: string,
    signer: Signer,
    disk: DurableFolder = new DurableFolder(folder),
  ): Promise<TransparencyLog> {
    await disk.create();
    const head = await loadHead(disk, signer.verifierKey);
    if (head === undefined) {
      const log = new TransparencyLog(disk, signer, EMPTY_EDGE, 0);
      await log.#signHead(EMPTY_EDGE);
      return log;
    }
    const edge = await loadEdge(disk, head, signer.verifierKey);
    const minimum = await loadMinimum(disk, head, signer.verifierKey);
    const log = new TransparencyLog(disk, signer, edge, minimum);
    log.#written = [String(await disk.read("checkpoint"))];
    await removeStrays(disk, edge.size);
    await removePruned(disk, minimum);
    return log;
  }

  // Entries under the signed head. Those that wait for publish() are not among them.
  get size(): number {
    return this.#edge.size;
  }

  get pending(): number {
    return this.#pending.length;
  }

  get root(): Hash {
    return rootOfEdge(this.#edge.levels);
  }

  // The first index whose entry was not pruned.
  get minimumIndex(): number {
    return this.#minimum;
  }

  append(entries: readonly Uint8Array[]): void {
    this.#refuseIfClosed();
    for (const { length } of entries) {
      if (length > MAX_ENTRY_BYTES) {
        throw new RangeError(`an entry has ${length} bytes; ${MAX_ENTRY_BYTES} is the most`);
      }
    }
    for (const entry of entries) this.#pending.push(new Uint8Array(entry));
  }

  async publish(): Promise<void> {
    this.#refuseIfClosed();
    await this.#inTurn(() => this.#publishPending());
  }

  async #publishPending(): Promise<void> {
    const until = this.size + this.pending;
    while (this.size < until) {
      const before = this.#edge;
      const entries = this.#pending.slice(0, Math.min(until - this.size, MAX_ENTRIES_PER_HEAD));
      const { edge, files } = grow(before, entries);
      await this.#refuseForeignHead();
      await this.#disk.writeAll(files);
      await this.#disk.sync();
      await this.#signHead(edge);
      this.#edge = edge;
      this.#pending.splice(0, entries.length);
      await removeOutgrown(this.#disk, before.size, edge.size);
    }
  }

  async #signHead(edge: RightEdge): Promise<void> {
    const head = { origin: this.#signer.name, size: edge.size, root: rootOfEdge(edge.levels) };
    const note = signNote(formatCheckpoint(head), this.#signer);
    this.#written.push(note);
    await this.#disk.write("checkpoint", Buffer.from(note));
    await this.#disk.sync();
    this.#written = [note];
  }

  async #refuseForeignHead(): Promise<void> {
    const found = await this.#disk.read("checkpoint");
    if (found !== undefined && this.#written.includes(String(found))) return;
    throw new Error(`the checkpoint in ${this.#disk.root} was changed by someone else`);
  }

  // Pruned entries are passed over: the first index may be larger than asked for.
  async *entries(from = 0): AsyncGenerator<LogEntry> {
    const { size } = this.#edge;
    const tiles = new ProvenTiles(this.#disk, this.#edge);
    let index = Math.max(from, this.#minimum);
    while (index < size) {
      const bundle = Math.floor(index / TILE_WIDTH);
      const entries = await tiles.entries(bundle);
      if (entries === undefined) {
        // It may have been pruned since the last look.
        if (this.#minimum <= index) throw new Error(`${tilePath("entries", bundle)} is missing`);
        index = this.#minimum;
        continue;
      }
      for (const data of entries.slice(index % TILE_WIDTH)) {
        yield { index, data };
        index += 1;
      }
    }
  }

  // The same from the last to the first, a bundle at a time, down to what was pruned.
  async *bundlesBackwards(): AsyncGenerator<Uint8Array[]> {
    const { size } = this.#edge;
    const tiles = new ProvenTiles(this.#disk, this.#edge);
    for (let bundle = Math.ceil(size / TILE_WIDTH) - 1; bundle >= 0; bundle--) {
      if ((bundle + 1) * TILE_WIDTH <= this.#minimum) return;
      const entries = await tiles.entries(bundle);
      if (entries === undefined) throw new Error(`${tilePath("entries", bundle)} is missing`);
      yield entries.toReversed();
    }
  }

  // That the entry is in the tree of the first `size` entries.
  async inclusionProof(index: number, size = this.size): Promise<Hash[]> {
    refuseUnless(0 <= index && index < size && size <= this.size, `no entry ${index} in ${size}`);
    const tiles = new ProvenTiles(this.#disk, this.#edge);
    return await inclusionPath(index, size, (start, end) => tiles.subtree(start, end));
  }

  // That the tree of the first `to` entries begins with that of the first `from`.
  async consistencyProof(from: number, to = this.size): Promise<Hash[]> {
    refuseUnless(0 <= from && from <= to && to <= this.size, `no trees of ${from} and ${to}`);
    const tiles = new ProvenTiles(this.#disk, this.#edge);
    return await consistencyPath(from, to, (start, end) => tiles.subtree(start, end));
  }

  // Deletes the bundles that lie wholly below the index; their hashes stay. The statement is
  // signed and written first: a bundle that is missing without it is a finding.
  async prune(beforeIndex: number): Promise<void> {
    this.#refuseIfClosed();
    await this.#inTurn(async () => {
      refuseUnless(0 <= beforeIndex && beforeIndex <= this.size, `no entry before ${beforeIndex}`);
      const minimum = beforeIndex - (beforeIndex % TILE_WIDTH);
      if (minimum <= this.#minimum) return;
      const note = signNote(formatPruned(this.#signer.name, minimum), this.#signer);
      await this.#disk.write("pruned", Buffer.from(note));
      await this.#disk.sync();
      this.#minimum = minimum;
      await removePruned(this.#disk, minimum);
    });
  }

  // Publishes what still waits.
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#inTurn(() => this.#publishPending());
  }

  // One change of the folder at a time, in the order they were asked for.
  async #inTurn(change: () => Promise<void>): Promise<void> {
    const run = this.#turn.then(change);
    this.#turn = run.catch(() => {});
    await run;
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new Error(`the log in ${this.#disk.root} is closed`);
  }
}

function refuseUnless(holds: boolean, problem: string): void {
  if (!holds) throw new RangeError(problem);
}
