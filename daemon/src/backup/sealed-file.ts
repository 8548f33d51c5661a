// Sealed file: bytes under a passphrase. A reader gets exactly the bytes that were written, whole and in order, or
// none.
//
//   agent-os backup\n          which file this is
//   {…}\n                      the header, readable: format, release, schema, how the key is derived
//   [u32 length][sealed]…      pieces, AES-256-GCM; the key by scrypt from the passphrase and the header's salt
//
// SEALED-FILE-1  A piece opens only in its place: its number is its nonce, and the header is authenticated with it.
// SEALED-FILE-2  The last piece is marked as the last, so that a truncated file is detected.
// SEALED-FILE-3  The content of the first piece is known: if it does not open, the passphrase is wrong.

import { createCipheriv, createDecipheriv, randomBytes, scrypt } from "node:crypto";
import { once } from "node:events";
import { createReadStream, type WriteStream } from "node:fs";
import { SysError } from "@aos/protocol";
import { z } from "zod";

const PIECE_BYTES = 256 * 1024;
const TAG_BYTES = 16;
const KNOWN = Buffer.from("agent-os");
const MOST_HEADER_BYTES = 64 * 1024;
export const MIN_PASSPHRASE = 8;

const kdfSchema = z.strictObject({
  name: z.literal("scrypt"),
  /** Bounded: a file from somewhere must not make us use all of the memory. */
  n: z.number().int().min(1024).max(1_048_576),
  r: z.literal(8),
  p: z.literal(1),
  salt: z.string().regex(/^[0-9a-f]{32,64}$/),
});
type Kdf = z.output<typeof kdfSchema>;

export interface SealedHeader {
  readonly format: number;
  readonly kdf: Kdf;
  readonly [key: string]: unknown;
}

const newKdf = (): Kdf => ({
  name: "scrypt",
  n: 131_072,
  r: 8,
  p: 1,
  salt: randomBytes(16).toString("hex"),
});

function keyOf(passphrase: string, { n, r, p, salt }: Kdf): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: 256 * n * r };
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize("NFC"), Buffer.from(salt, "hex"), 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

/** SEALED-FILE-1, SEALED-FILE-2. */
function nonceOf(number: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(number));
  nonce[8] = isLast ? 1 : 0;
  return nonce;
}

export class SealedWriter {
  readonly #out: WriteStream;
  readonly #key: Buffer;
  readonly #head: Buffer;
  #number = 0;
  #pending: Buffer[] = [];
  #bytes = 0;

  private constructor(out: WriteStream, key: Buffer, head: Buffer) {
    this.#out = out;
    this.#key = key;
    this.#head = head;
  }

  static async begin(
    out: WriteStream,
    magic: string,
    about: Readonly<Record<string, unknown>> & { readonly format: number },
    passphrase: string,
  ): Promise<SealedWriter> {
    const kdf = newKdf();
    const head = Buffer.from(`${magic}\n${JSON.stringify({ ...about, kdf })}\n`);
    const writer = new SealedWriter(out, await keyOf(passphrase, kdf), head);
    await writer.#send(head);
    await writer.#seal(KNOWN, false); // SEALED-FILE-3
    return writer;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#pending.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    this.#bytes += bytes.length;
    if (this.#bytes < PIECE_BYTES) return;
    const all = Buffer.concat(this.#pending);
    let at = 0;
    for (; all.length - at >= PIECE_BYTES; at += PIECE_BYTES)
      await this.#seal(all.subarray(at, at + PIECE_BYTES), false);
    this.#pending = [all.subarray(at)];
    this.#bytes = all.length - at;
  }

  async end(): Promise<void> {
    await this.#seal(Buffer.concat(this.#pending), true);
  }

  async #seal(bytes: Buffer, isLast: boolean): Promise<void> {
    const cipher = createCipheriv("aes-256-gcm", this.#key, nonceOf(this.#number++, isLast));
    cipher.setAAD(this.#head);
    const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(sealed.length);
    await this.#send(Buffer.concat([length, sealed]));
  }

  async #send(bytes: Buffer): Promise<void> {
    if (this.#out.errored !== null) throw this.#out.errored;
    if (this.#out.write(bytes)) return;
    await once(this.#out, "drain"); // rejects with the error of the stream
  }
}

/** Whether it is a file of this kind at all, and its header; nothing is opened. */
export async function readHeader(
  file: string,
  magic: string,
): Promise<{ header: SealedHeader; head: Buffer }> {
  let head = Buffer.alloc(0);
  try {
    for await (const piece of createReadStream(file, { end: MOST_HEADER_BYTES - 1 }))
      head = Buffer.concat([head, piece as Buffer]);
  } catch (error) {
    throw unreadable(file, error);
  }
  if (!head.subarray(0, magic.length + 1).equals(Buffer.from(`${magic}\n`)))
    throw new SysError("EINVAL", `${file} is not an Agent OS ${magic.split(" ")[1]}`, {
      hint:
        head.length === 0 ? "it is empty" : "give the file that `aos backup` or `aos export` wrote",
    });
  const end = head.indexOf("\n", magic.length + 1);
  if (end === -1) throw truncated(file);
  let header: SealedHeader;
  try {
    header = JSON.parse(head.subarray(magic.length + 1, end).toString("utf8")) as SealedHeader;
  } catch {
    throw damaged(file, "its header cannot be read");
  }
  return { header, head: Buffer.from(head.subarray(0, end + 1)) };
}

/** What was sealed; throws at the first piece that is not as it was written. */
export async function* openSealed(
  file: string,
  magic: string,
  passphrase: string,
): AsyncGenerator<Buffer> {
  const { header, head } = await readHeader(file, magic);
  const kdf = kdfSchema.safeParse(header.kdf);
  if (!kdf.success) throw damaged(file, "its header does not say how the key is derived");
  const key = await keyOf(passphrase, kdf.data);
  let number = 0;
  let isOver = false;
  for await (const sealed of piecesOf(file, head.length)) {
    if (isOver) throw damaged(file, "something was added to its end");
    const open = (isLast: boolean): Buffer | undefined => {
      const decipher = createDecipheriv("aes-256-gcm", key, nonceOf(number, isLast));
      decipher.setAAD(head);
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]);
      } catch {
        return undefined;
      }
    };
    const bytes = open(false);
    if (number === 0) {
      if (bytes?.equals(KNOWN) !== true) throw wrongPassphrase(file); // SEALED-FILE-3
    } else if (bytes !== undefined) yield bytes;
    else {
      const last = open(true);
      if (last === undefined) throw damaged(file, `piece ${number} was changed`);
      isOver = true;
      yield last;
    }
    number += 1;
  }
  if (!isOver) throw truncated(file); // SEALED-FILE-2
}

async function* piecesOf(file: string, from: number): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  try {
    for await (const read of createReadStream(file, { start: from, highWaterMark: 1024 * 1024 })) {
      rest = Buffer.concat([rest, read as Buffer]);
      while (rest.length >= 4) {
        const length = rest.readUInt32BE(0);
        if (length < TAG_BYTES || length > PIECE_BYTES + TAG_BYTES)
          throw damaged(file, "the length of a piece is not possible");
        if (rest.length < 4 + length) break;
        yield rest.subarray(4, 4 + length);
        rest = rest.subarray(4 + length);
      }
    }
  } catch (error) {
    throw error instanceof SysError ? error : unreadable(file, error);
  }
  if (rest.length > 0) throw truncated(file);
}

const truncated = (file: string) =>
  new SysError("EINVAL", `${file} is not whole: its end is missing`, {
    hint: "it was truncated when it was copied or written; use another one",
  });

const damaged = (file: string, how: string) =>
  new SysError("EINVAL", `${file} is damaged or was changed: ${how}`, { hint: "use another one" });

const wrongPassphrase = (file: string) =>
  new SysError("EINVAL", `the passphrase does not open ${file}`, {
    hint: "give the one that it was made with; a changed header has the same effect",
  });

const unreadable = (file: string, error: unknown) =>
  new SysError("EINVAL", `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`, {
    hint: "check the path and the mode of the file",
  });
