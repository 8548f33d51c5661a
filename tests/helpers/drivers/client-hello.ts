// A client hello for tests, written by hand.

import { Buffer } from "node:buffer";

interface Hello {
  readonly names?: readonly string[];
  /** Extensions beside it, by number. */
  readonly others?: readonly (readonly [kind: number, content: string])[];
  readonly nameKind?: number;
  /** The most bytes of one record. */
  readonly recordBytes?: number;
  /** Bytes that its message says to have more than it has. */
  readonly more?: number;
  readonly afterExtensions?: string;
}

const sized = (size: number, content: Buffer, more = 0): Buffer => {
  const head = Buffer.alloc(size);
  head.writeUIntBE(content.length + more, 0, size);
  return Buffer.concat([head, content]);
};
const bytes = (text: string): Buffer => Buffer.from(text, "latin1");

export function helloText(hello: Hello = {}): Buffer {
  const { names, others = [], nameKind = 0, recordBytes = 16_384, more, afterExtensions } = hello;
  const list = (names ?? []).map((name) =>
    Buffer.concat([Buffer.from([nameKind]), sized(2, bytes(name))]),
  );
  const all: (readonly [number, Buffer])[] = others.map(([kind, content]) => [
    kind,
    bytes(content),
  ]);
  if (names !== undefined) all.unshift([0, sized(2, Buffer.concat(list))]);
  const extensions = all.map(([kind, content]) =>
    Buffer.concat([Buffer.from([kind >> 8, kind & 255]), sized(2, content)]),
  );
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32),
    sized(1, Buffer.alloc(0)),
    sized(2, Buffer.from([0x13, 0x01])),
    sized(1, Buffer.from([0])),
    sized(2, Buffer.concat(extensions)),
    bytes(afterExtensions ?? ""),
  ]);
  const message = Buffer.concat([Buffer.from([1]), sized(3, body, more)]);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += recordBytes) {
    const part = message.subarray(at, at + recordBytes);
    records.push(Buffer.from([0x16, 3, 1]), sized(2, part));
  }
  return Buffer.concat(records);
}
