// ClientHello: parses the first message of a TLS connection for the requested server name.
//
//   readClientHello(bytes)   undefined while more is needed
//
// CLIENT-HELLO-1  Anything that is not exactly a ClientHello is refused: inconsistent lengths, a repeated name or
//     extension, an invalid name.
// CLIENT-HELLO-2  At most MAX_HELLO bytes are read.

import { Buffer } from "node:buffer";
import { SysError } from "@aos/protocol";

export interface ClientHello {
  /** In small letters; undefined when it says none. */
  readonly name: string | undefined;
  /** A second name may be hidden in it (encrypted client hello), or what only looks like one. */
  readonly hidesName: boolean;
}

export const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const ENCRYPTED_HELLO = 0xfe0d;
const RECORD_HEAD = 5;
const MESSAGE_HEAD = 4;
const MAX_RECORD = 16_384;
const MAX_HELLO = 65_536;

export function readClientHello(bytes: Buffer): ClientHello | undefined {
  if (bytes.length > MAX_HELLO) throw refused("its first message is too long");
  const message = joinRecords(bytes);
  if (message === undefined) return undefined;
  return readMessage(new Reader(message));
}

/** The message without the heads of the records that it comes in. */
function joinRecords(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE) throw refused("its bytes are not TLS");
    if (bytes.length < at + RECORD_HEAD) return undefined;
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at + 1] !== 3 || length === 0 || length > MAX_RECORD)
      throw refused("its bytes are not TLS");
    parts.push(bytes.subarray(at + RECORD_HEAD, at + RECORD_HEAD + length));
    const message = wholeMessage(Buffer.concat(parts));
    if (message !== undefined) return message;
    at += RECORD_HEAD + length;
  }
  return undefined;
}

function wholeMessage(joined: Buffer): Buffer | undefined {
  if (joined.length > 0 && joined[0] !== CLIENT_HELLO)
    throw refused("its first message is not a ClientHello");
  if (joined.length < MESSAGE_HEAD) return undefined;
  const end = MESSAGE_HEAD + joined.readUIntBE(1, 3);
  if (end > MAX_HELLO) throw refused("its first message is too long");
  return joined.length < end ? undefined : joined.subarray(MESSAGE_HEAD, end);
}

function readMessage(hello: Reader): ClientHello {
  hello.take(2 + 32); // version and random bytes
  hello.take(hello.number(1)); // session
  hello.take(hello.number(2)); // ciphers
  hello.take(hello.number(1)); // compressions
  const seen = new Set<number>();
  let name: string | undefined;
  if (!hello.isDone) {
    const extensions = new Reader(hello.take(hello.number(2)));
    while (!extensions.isDone) {
      const kind = extensions.number(2);
      if (seen.has(kind)) throw refused("an extension of its ClientHello is repeated");
      seen.add(kind);
      const content = new Reader(extensions.take(extensions.number(2)));
      if (kind === SERVER_NAME) name = readName(content);
    }
  }
  if (!hello.isDone) throw malformed();
  return { name, hidesName: seen.has(ENCRYPTED_HELLO) };
}

function readName(content: Reader): string {
  const list = new Reader(content.take(content.number(2)));
  if (list.number(1) !== HOST_NAME) throw refused("its ClientHello names no host");
  const name = list.take(list.number(2)).toString("latin1").toLowerCase();
  if (!list.isDone || !content.isDone) throw refused("its ClientHello names more than one host");
  if (!/^[a-z0-9_.:-]{1,253}$/.test(name)) throw refused("its ClientHello names an invalid host");
  return name;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number(size: number): number {
    return this.take(size).readUIntBE(0, size);
  }
}

const refused = (why: string): SysError => new SysError("EACCES", `the tunnel is refused: ${why}`);
const malformed = (): SysError => refused("its ClientHello is malformed");
