// Bundle: single runs in one signed file, which another machine can replay.
//
//   agent-os bundle\n{…}\n   then an archive (archive.ts) with runs.db
//
// BUNDLE-1  The manifest is signed by the key of the signed log and names that key: a changed file is refused, and a
//     file that another key signed shows that key.
// BUNDLE-2  Its runs are history: they are read and replayed, and never continued.

import { createPublicKey, verify } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, lstat, mkdir, mkdtemp, open, rename, rm } from "node:fs/promises";
import { once } from "node:events";
import { finished } from "node:stream/promises";
import { join } from "node:path";
import type { Kernel, RunSelection } from "@aos/kernel";
import { SysError, type ExportReport } from "@aos/protocol";
import type { Home } from "../home.ts";
import { DAEMON_VERSION } from "../version.ts";
import { ArchiveWriter, readArchive, type ArchivedFile } from "./archive.ts";
import { signedText } from "./backup-format.ts";
import { fileFailure } from "./file-failure.ts";
import { readHeader } from "./sealed-file.ts";

const BUNDLE_MAGIC = "agent-os bundle";
const BUNDLE_FORMAT = 1;
const RUNS = "runs.db";
/** What precedes an Ed25519 key of 32 bytes in SubjectPublicKeyInfo. */
const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

interface Wish {
  readonly wanted: RunSelection;
  readonly file: string;
  readonly schema: number;
}

export async function writeBundle(
  kernel: Pick<Kernel, "exportRuns">,
  home: Home,
  { wanted, file, schema }: Wish,
): Promise<ExportReport> {
  if ((await lstat(file).catch(() => undefined)) !== undefined)
    throw new SysError("EEXIST", `${file} already exists`, { hint: "choose another name" });
  await mkdir(home.backups, { recursive: true, mode: 0o700 });
  const scratch = await mkdtemp(join(home.backups, ".export-"));
  const half = `${file}.part`;
  try {
    const database = join(scratch, RUNS);
    const { runs, records, sign, signer } = await kernel.exportRuns(wanted, database);
    const about = { schema, runs, records, signer };
    const bytes = await packBundle({ database, half, file, about, sign });
    return { file, bytes, runs, records, signer };
  } catch (error) {
    throw fileFailure(error, `${file} was not written`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Contents {
  /** The SQLite file with the runs. */
  readonly database: string;
  /** What it is called until it is whole. */
  readonly half: string;
  readonly file: string;
  readonly about: Readonly<{
    schema: number;
    runs: number;
    records: number;
    signer: string | null;
  }>;
  readonly sign: (text: string) => string | null;
}

/** Answers how many bytes it has. They are on the disk; the name of the file is once its folder is synced. */
export async function packBundle({
  database,
  half,
  file,
  about: { schema, ...counts },
  sign,
}: Contents): Promise<number> {
  const out = createWriteStream(half, { flags: "wx", mode: 0o600, flush: true });
  const isClosed = finished(out);
  isClosed.catch(() => {});
  const about = {
    format: BUNDLE_FORMAT,
    version: DAEMON_VERSION,
    schema,
    createdAt: new Date().toISOString(),
    ...counts,
  };
  try {
    out.write(`${BUNDLE_MAGIC}\n${JSON.stringify(about)}\n`);
    const archive = new ArchiveWriter(async (piece) => {
      if (out.errored !== null) throw out.errored;
      if (!out.write(piece)) await once(out, "drain");
    });
    await archive.add(RUNS, createReadStream(database));
    await archive.end({ ...about, signature: sign(signedText(about, archive.files)) });
    out.end();
    await isClosed;
    await link(half, file).then(
      () => rm(half),
      () => rename(half, file),
    );
    return out.bytesWritten;
  } catch (error) {
    out.destroy();
    await isClosed.catch(() => {});
    const { errored } = out;
    if ((errored as NodeJS.ErrnoException | null)?.code !== "EEXIST")
      await rm(half, { force: true });
    throw errored ?? error; // whoever waits for a stream that failed is told that it was closed
  }
}

export interface OpenBundle {
  /** A SQLite file with the runs. */
  readonly database: string;
  readonly signer: string | null;
  readonly runs: number;
}

/** Unpacks a bundle into a folder, and refuses one that does not match its signature (BUNDLE-1). */
export async function openBundle(
  file: string,
  into: string,
  knownSchema: number,
): Promise<OpenBundle> {
  const { header, head } = await readHeader(file, BUNDLE_MAGIC);
  if (header.format !== BUNDLE_FORMAT || Number(header["schema"]) > knownSchema)
    throw new SysError(
      "EINVAL",
      `${file} was made by a newer release (${String(header["version"])})`,
      {
        hint: "use that release",
      },
    );
  const database = join(into, RUNS);
  const manifest = await readArchive(
    createReadStream(file, { start: head.length }),
    async (entry) => {
      if (entry.name !== RUNS)
        throw new SysError("EINVAL", `${file} has an entry that is not known`);
      const out = await open(database, "wx", 0o600);
      return {
        write: (piece) => out.writeFile(piece),
        end: () => out.close(),
      };
    },
  );
  const { signature, files, ...about } = manifest as {
    signature: string | null;
    files: ArchivedFile[];
    signer: string | null;
    runs: number;
  };
  const { kdf: _, ...said } = header;
  if (
    JSON.stringify(said) !== JSON.stringify(about) ||
    !isSigned(about.signer, signature, signedText(about, files))
  )
    throw new SysError("EINVAL", `${file} does not match its signature`, {
      hint: "it was changed after it was made; nothing was read from it",
    });
  return { database, signer: about.signer, runs: about.runs };
}

function isSigned(signer: string | null, signature: string | null, text: string): boolean {
  if (signer === null || signature === null) return signer === signature; // made without a key, which its header says
  const raw = Buffer.from(signer.split("+").slice(2).join("+"), "base64").subarray(1);
  const [, bytes = ""] = signature.split(":");
  try {
    const key = createPublicKey({
      key: Buffer.concat([SPKI_PREFIX, raw]),
      format: "der",
      type: "spki",
    });
    return verify(null, Buffer.from(text), key, Buffer.from(bytes, "base64"));
  } catch {
    return false;
  }
}
