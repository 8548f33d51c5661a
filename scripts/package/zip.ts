// Zip: files as one archive, stored as they are. No time and no user of the machine is in it, so that the
// same files are the same bytes.

import { crc32 } from "node:zlib";

/** 1 January 1980, the first day that the format knows. */
const DATE = 0x21;
const VERSION = 20;
/** Made on Unix: the modes of files count. */
const MADE_BY = (3 << 8) | VERSION;
const UTF8_NAMES = 0x0800;
const MODE = (0o100644 << 16) >>> 0;

export function zip(files: ReadonlyMap<string, Buffer>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, data] of files) {
    const name = Buffer.from(path);
    const local = Buffer.concat([header(0x04034b50, [], name, data), name, data]);
    directory.push(header(0x02014b50, [offset], name, data), name);
    parts.push(local);
    offset += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.size, 8);
  end.writeUInt16LE(files.size, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}

/** Of a file, before its data; with an offset the one of the directory at the end. */
function header(
  signature: number,
  [offset]: readonly number[],
  name: Buffer,
  data: Buffer,
): Buffer {
  const isListed = offset !== undefined;
  const bytes = Buffer.alloc(isListed ? 46 : 30);
  bytes.writeUInt32LE(signature, 0);
  if (isListed) bytes.writeUInt16LE(MADE_BY, 4);
  const at = isListed ? 6 : 4;
  bytes.writeUInt16LE(VERSION, at);
  bytes.writeUInt16LE(UTF8_NAMES, at + 2);
  bytes.writeUInt16LE(DATE, at + 8);
  bytes.writeUInt32LE(crc32(data), at + 10);
  bytes.writeUInt32LE(data.length, at + 14);
  bytes.writeUInt32LE(data.length, at + 18);
  bytes.writeUInt16LE(name.length, at + 22);
  if (isListed) {
    bytes.writeUInt32LE(MODE, 38);
    bytes.writeUInt32LE(offset, 42);
  }
  return bytes;
}
