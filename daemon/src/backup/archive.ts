// Archive: the content of a sealed file: named files as one compressed stream of bytes.
//
//   [u32 length][JSON: name, mode]  then  [u32 length][bytes]…[u32 0]   for each file
//   the last one is manifest.json: every file before it, with size and SHA-256
//
// ARCHIVE-1  A name is a relative path of plain parts: no `..`, no `.`, no empty part, no NUL. Every reader checks that
//     before it builds a path from the name. Other characters are an agent's choice, and must not stop a backup.
// ARCHIVE-2  It contains plain files and empty folders only: there is no entry for a link or a device.
// ARCHIVE-3  A reader compares the files with the manifest: a missing, added or changed file is found.

import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { createGunzip, createGzip } from "node:zlib";
import { SysError } from "@aos/protocol";
import { z } from "zod";

const COMPRESSION = 3;
/** Each piece waits for a turn of the event loop, which agents fill: small ones would take minutes. */
const ZIP_PIECE_BYTES = 1024 * 1024;
/** A path of 4,096 characters, each of which may be six in JSON. */
const MOST_HEADER_BYTES = 32 * 1024;
const MOST_PIECE_BYTES = 16 * 1024 * 1024;
const MOST_MANIFEST_BYTES = 512 * 1024 * 1024;
export const MANIFEST = "manifest.json";

const entrySchema = z.strictObject({
  name: z.string().min(1).max(4096),
  mode: z.number().int().min(0).max(0o777),
  /** A folder with nothing in it. */
  isFolder: z.literal(true).optional(),
});
export type ArchiveEntry = z.output<typeof entrySchema>;

export interface ArchivedFile {
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** ARCHIVE-1. */
export function checkEntryName(name: string): void {
  const parts = name.split("/");
  const isPlain = parts.every(
    (part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0"),
  );
  if (!isPlain)
    throw new SysError(
      "EINVAL",
      `the archive has an entry with an invalid path: ${JSON.stringify(name)}`,
    );
}

export class ArchiveWriter {
  readonly #zip = createGzip({ level: COMPRESSION, chunkSize: ZIP_PIECE_BYTES });
  readonly #written: Promise<void>;
  readonly files: ArchivedFile[] = [];

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    this.#written = (async () => {
      for await (const piece of this.#zip) await write(piece as Buffer);
    })();
    this.#written.catch((error: unknown) => this.#zip.destroy(error as Error)); // who adds is told
  }

  async add(
    name: string,
    content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { mode = 0o600, isFolder = false } = {},
  ): Promise<void> {
    checkEntryName(name);
    const entry: ArchiveEntry = { name, mode, ...(isFolder ? { isFolder } : {}) };
    await this.#send(withLength(Buffer.from(JSON.stringify(entry))));
    const hash = createHash("sha256");
    let size = 0;
    for await (const piece of content) {
      if (piece.length === 0) continue;
      hash.update(piece);
      size += piece.length;
      for (let at = 0; at < piece.length; at += MOST_PIECE_BYTES)
        await this.#send(withLength(piece.subarray(at, at + MOST_PIECE_BYTES)));
    }
    await this.#send(withLength(new Uint8Array()));
    this.files.push({ name, size, sha256: hash.digest("hex") });
  }

  /** With what the manifest says beside the files. */
  async end(about: Readonly<Record<string, unknown>>): Promise<void> {
    const manifest = { ...about, files: [...this.files] };
    await this.add(MANIFEST, [Buffer.from(`${JSON.stringify(manifest, null, 1)}\n`)]);
    this.#zip.end();
    await this.#written;
  }

  async #send(bytes: Buffer): Promise<void> {
    if (this.#zip.errored !== null) throw this.#zip.errored;
    if (this.#zip.write(bytes)) return;
    await Promise.race([once(this.#zip, "drain"), this.#written]);
  }
}

function withLength(bytes: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Where an entry goes. */
export interface EntrySink {
  write(bytes: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** Hands every file to a sink, and returns the manifest (ARCHIVE-3). */
export async function readArchive(
  compressed: AsyncIterable<Uint8Array>,
  sinkOf: (entry: ArchiveEntry) => Promise<EntrySink>,
): Promise<Readonly<Record<string, unknown>>> {
  const source = Readable.from(compressed, { objectMode: false });
  const zip = createGunzip({ chunkSize: ZIP_PIECE_BYTES });
  source.once("error", (error) => zip.destroy(error));
  const bytes = new ByteReader(source.pipe(zip));
  const found: ArchivedFile[] = [];
  try {
    for (;;) {
      const entry = await readEntry(bytes);
      if (entry === undefined) throw malformed("it has no manifest");
      if (entry.name === MANIFEST) return await checkedManifest(bytes, found);
      const sink = await sinkOf(entry);
      const hash: Hash = createHash("sha256");
      let size = 0;
      for await (const piece of contentOf(bytes)) {
        hash.update(piece);
        size += piece.length;
        await sink.write(piece);
      }
      await sink.end();
      found.push({ name: entry.name, size, sha256: hash.digest("hex") });
    }
  } finally {
    source.destroy();
    zip.destroy();
  }
}

async function readEntry(bytes: ByteReader): Promise<ArchiveEntry | undefined> {
  const length = await bytes.length();
  if (length === undefined) return undefined;
  if (length > MOST_HEADER_BYTES) throw malformed("an entry has no name");
  const text = (await bytes.take(length)).toString("utf8");
  const read = entrySchema.safeParse(parsed(text));
  if (!read.success) throw malformed("an entry has no name");
  checkEntryName(read.data.name);
  return read.data;
}

async function* contentOf(bytes: ByteReader): AsyncGenerator<Buffer> {
  for (;;) {
    const length = await bytes.length();
    if (length === undefined || length > MOST_PIECE_BYTES) throw malformed("a file is cut");
    if (length === 0) return;
    yield await bytes.take(length);
  }
}

async function checkedManifest(
  bytes: ByteReader,
  found: readonly ArchivedFile[],
): Promise<Readonly<Record<string, unknown>>> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of contentOf(bytes)) {
    size += piece.length;
    if (size > MOST_MANIFEST_BYTES) throw malformed("its manifest is too large");
    pieces.push(piece);
  }
  const manifest = parsed(Buffer.concat(pieces).toString("utf8")) as {
    files?: readonly ArchivedFile[];
  } | null;
  const said = (files: readonly ArchivedFile[]) =>
    JSON.stringify(files.map(({ name, size: bytes_, sha256 }) => [name, bytes_, sha256]));
  if (!Array.isArray(manifest?.files) || said(manifest.files) !== said(found))
    throw malformed("its files are not those of its manifest");
  if ((await bytes.length()) !== undefined) throw malformed("something follows its manifest");
  return manifest as Record<string, unknown>;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const malformed = (how: string) =>
  new SysError("EINVAL", `the archive is damaged: ${how}`, { hint: "use another one" });

class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** Undefined at the end. */
  async length(): Promise<number | undefined> {
    if (this.#rest.length === 0 && !(await this.#more())) return undefined;
    return (await this.take(4)).readUInt32BE(0);
  }

  async take(count: number): Promise<Buffer> {
    const pieces = [this.#rest];
    let size = this.#rest.length;
    while (size < count) {
      if (!(await this.#more())) throw malformed("it ends too early");
      pieces.push(this.#rest);
      size += this.#rest.length;
    }
    const all = pieces.length === 1 ? this.#rest : Buffer.concat(pieces);
    this.#rest = all.subarray(count);
    return all.subarray(0, count);
  }

  async #more(): Promise<boolean> {
    const next = await this.#next();
    this.#rest = next ?? Buffer.alloc(0);
    return next !== undefined;
  }

  async #next(): Promise<Buffer | undefined> {
    try {
      const { value, done } = await this.#source.next();
      return done === true ? undefined : value;
    } catch (error) {
      if (error instanceof SysError) throw error;
      throw malformed((error as Error).message);
    }
  }
}
