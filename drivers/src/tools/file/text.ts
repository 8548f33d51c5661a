// Text of files: bytes from a descriptor, and the characters in them.

import type { FileHandle } from "node:fs/promises";
import { SysError } from "@aos/protocol";

export async function readFileBytes(
  file: FileHandle,
  offset: number,
  most: number,
): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let got = 0;
  while (got < most) {
    const { bytesRead } = await file.read(bytes, got, most - got, offset + got);
    if (bytesRead === 0) break;
    got += bytesRead;
  }
  return bytes.subarray(0, got);
}

/** With a rest to come, a character that is cut in two is left to it. */
export function decodeText(bytes: Buffer, hasRest: boolean, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, {
      stream: hasRest,
    });
  } catch {
    throw new SysError("EINVAL", `${path} is not UTF-8 text at this offset`);
  }
}
